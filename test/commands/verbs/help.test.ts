import { expect, test } from "vitest";
import { commands } from "../../../src/commands/verbs.ts";
import type { About } from "../../../src/commands/command.ts";
import { helpList, helpVerb } from "../../../src/commands/verbs/help/view.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo } from "../support/script.ts";
import { leftOut, ruled } from "../support/ruled.ts";

type Seen = Pick<About, "op" | "risk">;
const guest = ({ risk }: Seen) => (risk === undefined ? ("allow" as const) : ("refuse" as const));
const member = ({ risk }: Seen) =>
  risk === undefined || risk === "routine" ? ("allow" as const) : ("approve" as const);

test("a guest who may only look sees the verbs that look, and how many are left out", async () => {
  const help = drawn(await answerTo("help", { outlook: guest })).split("\n");
  const looks = commands.filter(
    ({ actions }) => actions.length === 0 || actions.some(({ risk }) => risk === undefined),
  );
  const rest = commands.filter((verb) => !looks.includes(verb));

  expect(help.filter((line) => line.startsWith("•"))).toEqual(
    looks.map(({ usage, summary }) => `• /gantry ${usage}  ${summary}`),
  );
  expect(help).toContain("• /gantry show NAME  Show one service or job");
  expect(help.join("\n")).not.toContain("/gantry scale");
  expect(help.at(-1)).toBe(leftOut(rest));
});

test("a member sees which verbs need approval whatever the workload is", async () => {
  const help = drawn(await answerTo("help", { outlook: member }));

  expect(help).toContain("• /gantry stop NAME  Stop a service; its definition stays · needs approval");
  expect(help).toContain("• /gantry scale NAME N  Set how many instances a service has\n");
  expect(help).not.toContain("left out");
});

test("somebody without any right still sees what is about Gantry itself", async () => {
  const help = drawn(await answerTo("help", { outlook: () => "refuse" }));

  expect(help).toContain("/gantry whoami");
  expect(help).not.toContain("/gantry list");
  expect(help).toContain(leftOut(ruled));
});

test("the help of one verb says what would happen for this person", async () => {
  expect(drawn(await answerTo("help scale", { outlook: member }))).toMatchInlineSnapshot(`
    "# /gantry scale
    Set how many instances a service has
    Usage  /gantry scale NAME N
    Example  /gantry scale web 4
    For you here: routine at once, disruptive and destructive with approval; /gantry can-i scale says which rule decides.
    • --instances N  the new size, or a step such as +1 or -1 (also --replicas)
    • --region R  region of the service; jobs always run in us
    • --share  show the answer to everyone in the channel
    • --reason TEXT  why; approvers and history show it
    • --break-glass  run immediately where a rule allows it; needs a reason, and the channel sees it"
  `);
  expect(drawn(await answerTo("help delete", { outlook: guest }))).toContain("You may not use it here");
  expect(drawn(await answerTo("help restart", { outlook: member }))).toContain("it needs approval");
  expect(drawn(await answerTo("help show", { outlook: member }))).toContain("You may use it here, at once");
  expect(drawn(await answerTo("help approve", { outlook: guest }))).not.toContain("here");
});

const command = "/gantry";
const scale = {
  name: "scale",
  summary: "Set the number of instances",
  usage: "scale NAME N",
  example: "scale web 4",
  options: [{ flag: "--region R", summary: "where the service runs" }],
};

test("help lists the verbs", () => {
  const message = helpList({
    commands: [
      { ...scale, outlook: "allow" },
      { ...scale, name: "stop", usage: "stop NAME", summary: "Stop a service", outlook: "approve" },
      { ...scale, name: "delete", outlook: "refuse" },
    ],
    command,
  });

  expect(message.text).toMatchInlineSnapshot(
    `
    "Run container workloads from Slack.
    /gantry scale: Set the number of instances
    /gantry stop: Stop a service (needs approval)
    1 verb is left out, because you may not use it here; /gantry can-i VERB says why."
  `,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "Run container workloads from Slack.
    • /gantry scale NAME N  Set the number of instances
    • /gantry stop NAME  Stop a service · needs approval
    One verb with its flags and an example: /gantry help VERB
    Leave words out and a form asks for them. By pointing: the Home tab of this app, and its shortcuts.
    1 verb is left out, because you may not use it here; /gantry can-i VERB says why."
  `);
});

test("help tells about one verb", () => {
  const message = helpVerb({
    verb: scale,
    command,
    outlooks: [
      { risk: "routine", outlook: "allow" },
      { risk: "destructive", outlook: "approve" },
    ],
  });

  expect(message.text).toMatchInlineSnapshot(
    `
    "/gantry scale NAME N: Set the number of instances. Example: /gantry scale web 4
    For you here: routine at once, destructive with approval; /gantry can-i scale says which rule decides."
  `,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "# /gantry scale
    Set the number of instances
    Usage  /gantry scale NAME N
    Example  /gantry scale web 4
    For you here: routine at once, destructive with approval; /gantry can-i scale says which rule decides.
    • --region R  where the service runs"
  `);
});
