import { expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import {
  bugMessage,
  problemMessage,
  usageWithForm,
  userErrorMessage,
} from "../../src/views/messages/error-messages.ts";
import { helpList, helpVerb } from "../../src/commands/verbs/help/view.ts";
import { inviteHint } from "../../src/views/messages/sentences.ts";
import { whoami } from "../../src/commands/verbs/whoami/view.ts";
import { drawn } from "./support/drawn.ts";
import { command, now } from "./support/workloads.ts";

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

test("a problem says what happened, what to do, and its reference", () => {
  const problem = { sentence: "The service refused the token.", next: "Renew it.", status: 401 };

  const message = problemMessage(problem, { reference: "abc123" });

  expect(message.text).toMatchInlineSnapshot(`"The service refused the token. Renew it."`);
  expect(drawn(message)).toMatchInlineSnapshot(`
    "⚠️ The service refused the token.
    Renew it.
    The service answered 401. Reference abc123"
  `);
});

test("a mistake is told with the usage of the verb", () => {
  const error = new UserError("--region needs a value.", {
    next: "Write `--region R`.",
    usage: scale.usage,
    example: scale.example,
  });

  const message = userErrorMessage(error, command);

  expect(message.text).toMatchInlineSnapshot(
    `
    "--region needs a value.
    Write \`--region R\`.
    Usage: /gantry scale NAME N"
  `,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "--region needs a value.
    Write --region R.
    Usage  /gantry scale NAME N
    Example  /gantry scale web 4"
  `);
});

test("a bug has a reference", () => {
  const message = bugMessage("abc123");

  expect(message.text).toMatchInlineSnapshot(
    `"Something broke in Gantry; it is no mistake of yours. If you asked for a change, look whether it took effect before you ask again. Tell who runs Gantry here the reference abc123: the log says more under it."`,
  );
});

test("whoami tells the account and how much it was used", () => {
  const message = whoami({
    account: {
      owner: { kind: "user", userId: "UDANA" },
      username: "dana",
      calls: { count: 1234, since: new Date("2026-11-21T00:00:00Z") },
    },
    command,
    service: "https://workloads.example.org",
    region: "beijing1",
    regions: ["us", "beijing1", "beijing2"],
    slackUser: "UDANA",
    now,
  });

  expect(message.text).toMatchInlineSnapshot(
    `"Gantry acts as dana (your own) at https://workloads.example.org, 1,234 calls today"`,
  );
  expect(drawn(message)).toMatchInlineSnapshot(`
    "# Who you are to Gantry
    You  @UDANA
    Account  dana, your own
    Service  https://workloads.example.org
    Region  beijing1 for services without --region; jobs run in the region us
    Known regions  us, beijing1, beijing2
    Calls  1,234 calls since 2026-11-21 00:00 UTC (12 h)
    Another token or account: /gantry connect. To unlink this one: /gantry disconnect"
  `);
});

test("the bot says how it is invited", () => {
  const hint = inviteHint("C0OPS", "gantry");

  expect(hint.text).toMatchInlineSnapshot(
    `"Only you see this: Gantry cannot post in this channel. To let it in, type /invite @gantry"`,
  );
  expect(drawn(hint)).toMatchInlineSnapshot(
    `"Only you see this: Gantry cannot post in #ops. To let it in, type /invite @gantry there."`,
  );
});

test("what was missing in a mention stands there with a button that opens the form", () => {
  const error = new UserError("NAME is missing: say which workload.", {
    usage: "scale NAME N",
    example: "scale web 4",
  });

  const message = usageWithForm(error, { verb: "scale", values: { size: "4" }, region: "eu1" }, command);

  expect(drawn(message)).toMatchInlineSnapshot(`
    "NAME is missing: say which workload.
    Usage  /gantry scale NAME N
    Example  /gantry scale web 4
    [Open form]"
  `);
  expect(message.blocks.at(-1)).toMatchObject({
    elements: [{ action_id: "form:open:scale", value: '{"verb":"scale","values":{"size":"4"},"region":"eu1"}' }],
  });
});
