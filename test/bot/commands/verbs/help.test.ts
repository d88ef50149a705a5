import { expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { About, Command } from "../../../../src/bot/commands/command.ts";
import { clickablesIn } from "../../../support/clickables.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo } from "../support/script.ts";
import { leftOut, ruled } from "../support/ruled.ts";

type Seen = Pick<About, "op" | "risk">;
const guest = ({ risk }: Seen) => (risk === undefined ? ("allow" as const) : ("refuse" as const));
const member = ({ risk }: Seen) =>
  risk === undefined || risk === "routine" ? ("allow" as const) : ("approve" as const);

const lines = async (text: string, outlook: (about: Seen) => "allow" | "approve" | "refuse") =>
  drawn(await answerTo(text, { outlook })).split("\n");
const named = (help: readonly string[]) => help.filter((line) => line.startsWith("•"));

test("help begins with seven commands, and the rest is behind a button", async () => {
  const message = await answerTo("help", { outlook: member });

  expect(drawn(message)).toMatchInlineSnapshot(`
    "Look
    • /gantry list [services|jobs] [failed|running|stopped|…] [TEXT]  List services and jobs, trouble first
    • /gantry show NAME  Show a workload's status, instances and last change
    • /gantry logs NAME  Show log lines in a thread
    Change
    • /gantry create service|job NAME  Create a service or job
    • /gantry scale NAME N  Set the number of instances of a service
    • /gantry restart NAME…  Restart all instances of a service (needs approval)
    • /gantry deploy NAME… IMAGE  Put another image of a service live, one instance after the other (needs approval)
    [All commands]
    Leave something out and a form opens · More about one command: /gantry help restart"
  `);
  const [button] = message.blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
  expect(button).toMatchObject({
    action_id: "ask:0",
    value: JSON.stringify({ verb: "help", share: false, args: { verb: "all" } }),
  });
});

/** The line of a verb in the list; the flags are in the help of the verb alone. */
const lineOf = ({ usage, summary, actions }: Command) => {
  const needsApproval = actions.length > 0 && actions.every((action) => member(action) === "approve");
  return `• /gantry ${usage.replace(/ \[?--.*$/su, "")}  ${summary}${needsApproval ? " (needs approval)" : ""}`;
};

test("all commands are shown in groups, with those that need approval marked", async () => {
  const help = await lines("help all", member);
  const groups = help.reduce<Record<string, string[]>>((found, line) => {
    if (!line.startsWith("•")) found[line] = [];
    else
      Object.values(found)
        .at(-1)
        ?.push(line.split(" ")[2] ?? "");
    return found;
  }, {});

  expect(Object.keys(groups)).toEqual([
    "Look",
    "Change",
    "Approve",
    "Watch",
    "Set up",
    "Leave something out and a form opens · More about one command: /gantry help restart",
  ]);
  expect(named(help).toSorted()).toEqual(commands.map(lineOf).toSorted());
  expect(help).toContain("• /gantry stop NAME…  Stop a service and keep its settings (needs approval)");
  expect(help).toContain("• /gantry history [NAME]  Show requests and their outcomes, newest first");
  expect(groups["Look"]).toEqual(expect.arrayContaining(["list", "show", "why", "logs", "history"]));
  expect(groups["Change"]).toEqual(expect.arrayContaining(["create", "scale", "delete", "undo"]));
  expect(groups["Approve"]).toEqual(expect.arrayContaining(["pending", "approve", "reject", "cancel"]));
  expect(groups["Watch"]).toEqual(["watch", "watches", "unwatch", "mute", "unmute"]);
  expect(groups["Set up"]).toEqual(
    expect.arrayContaining(["can-i", "whoami", "status", "use", "connect", "disconnect", "version", "help"]),
  );
});

test("a guest who may only look sees the commands that look, and how many aren't allowed", async () => {
  const help = await lines("help all", guest);
  const looks = commands.filter(
    ({ actions }) => actions.length === 0 || actions.some(({ risk }) => risk === undefined),
  );
  const rest = commands.filter((verb) => !looks.includes(verb));

  expect(named(help)).toHaveLength(looks.length);
  expect(help.join("\n")).not.toContain("/gantry scale");
  expect(help).toContain(leftOut(rest));
  expect(named(await lines("help", guest)).map((line) => line.split(" ")[2])).toEqual(["list", "show", "logs"]);
});

test("somebody without any right still sees the commands about themselves", async () => {
  const help = (await lines("help", () => "refuse")).join("\n");

  expect(help).toContain("/gantry whoami");
  expect(help).not.toContain("/gantry list");
  expect(help).toContain(leftOut(ruled));
});

test("the command alone opens a short menu, whose answers don't replace it", async () => {
  const message = await answerTo("", {});

  expect(drawn(message)).toMatchInlineSnapshot(`
    "What would you like to do?
    [List workloads] [Show logs] [Create] [… What needs my approval?]
    Or type: /gantry restart web · /gantry logs web --grep error · /gantry help"
  `);
  expect(message.text).toMatchInlineSnapshot(
    `"What would you like to do? Or type: /gantry restart web · /gantry logs web --grep error · /gantry help"`,
  );
  expect(clickablesIn(message.blocks).map(({ actionId }) => actionId)).toEqual([
    "ask:beside:list",
    "form:open:logs",
    "form:open:create",
    "ask:beside:pending",
  ]);
});

test("the help of one verb says what would happen for this person", async () => {
  const ofScale = await answerTo("help scale", { outlook: member });
  expect(ofScale.text).toMatchInlineSnapshot(`
    "/gantry scale NAME N: Set the number of instances of a service. Example: /gantry scale web 4
    For you here: routine allowed, disruptive and destructive with approval. To see which policy rule decides: /gantry can-i scale"
  `);
  expect(drawn(ofScale)).toMatchInlineSnapshot(`
    "# /gantry scale
    Set the number of instances of a service
    Usage  /gantry scale NAME N
    Example  /gantry scale web 4
    For you here: routine allowed, disruptive and destructive with approval. To see which policy rule decides: /gantry can-i scale
    • --instances N  the new size, or a step such as +1 or -1 (also --replicas)
    • --region R  region of the service (jobs have their own)
    • --share  show the answer to everybody in the channel
    • --reason TEXT  why you need it; approvers and history show it
    • --break-glass  run without approval where policy allows it; needs a reason, and the channel sees it
    [Open form]"
  `);
  expect(drawn(await answerTo("help create"))).toContain("• --sync-timezone  use the host's time zone");
  expect(drawn(await answerTo("help delete", { outlook: guest }))).toMatch(/^Also: rm\nYou can't use it here/mu);
  expect(drawn(await answerTo("help restart", { outlook: member }))).toContain("You can use it here with approval");
  expect(drawn(await answerTo("help show", { outlook: member }))).toContain("You can use it here.");
  expect(drawn(await answerTo("help approve", { outlook: guest }))).not.toContain("here");
});
