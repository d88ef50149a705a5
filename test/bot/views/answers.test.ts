import { expect, test } from "vitest";
import { UserError } from "../../../src/bot/errors.ts";
import {
  bugMessage,
  problemMessage,
  mistakeWithForm,
  userErrorMessage,
} from "../../../src/bot/views/messages/error-messages.ts";
import { inviteHint } from "../../../src/bot/views/messages/sentences.ts";
import { drawn } from "./support/drawn.ts";
import { command } from "./support/workloads.ts";

test("a problem says what failed, whether anything changed, what to do, and its reference", () => {
  const problem = { sentence: "The workload API failed.", next: "Try again in a minute.", status: 500 };

  const message = problemMessage(problem, { reference: "abc123", effect: "write" });

  expect(message.text).toMatchInlineSnapshot(`"The workload API failed. Nothing was changed. Try again in a minute."`);
  expect(drawn(message)).toMatchInlineSnapshot(`
    "❌ The workload API failed.
    Nothing was changed. Try again in a minute.
    HTTP 500 · Reference abc123"
  `);
});

test("a rejected account comes with a button that connects one", () => {
  const problem = { sentence: "The workload API rejected the user name or token.", next: "Renew it.", status: 401 };

  const message = problemMessage(problem, { reference: "abc123", effect: "read" });

  expect(drawn(message)).toMatchInlineSnapshot(`
    "❌ The workload API rejected the user name or token.
    Renew it.
    [Connect your account]
    HTTP 401 · Reference abc123"
  `);
  expect(message.blocks[1]).toMatchObject({ elements: [{ action_id: "form:open:connect" }] });
});

test("a mistake names the command of this deployment", () => {
  const error = new UserError("No account is connected.", { next: "Connect yours with `/gantry connect`." });

  expect(userErrorMessage(error, "/fleet").text).toContain("Connect yours with /fleet connect.");
});

test("a mistake is told with the usage of the verb", () => {
  const error = new UserError("--region needs a value.", {
    next: "Write `--region R`.",
    usage: "scale NAME N",
    example: "scale web 4",
  });

  const message = userErrorMessage(error, command);

  expect(message.text).toMatchInlineSnapshot(
    `
    "--region needs a value.
    Write --region R.
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
    `"❌ Something went wrong in Gantry. If you changed a workload, check it before you try again. To report this, contact your Gantry admin. Reference abc123"`,
  );
});

test("the bot says how it is invited", () => {
  const hint = inviteHint("C0OPS", "gantry");

  expect(hint.text).toMatchInlineSnapshot(
    `"Only you can see this: I can't post in this channel. Invite me with /invite @gantry"`,
  );
  expect(drawn(hint)).toMatchInlineSnapshot(
    `"Only you can see this: I can't post in #ops. Invite me with /invite @gantry."`,
  );
});

test("what was missing in a mention comes with a button that opens the form", () => {
  const error = new UserError("NAME is missing: say which workload.", {
    usage: "scale NAME N",
    example: "scale web 4",
  });

  const message = mistakeWithForm(error, { verb: "scale", values: { size: "4" }, region: "eu1" }, command);

  expect(drawn(message)).toMatchInlineSnapshot(`
    "NAME is missing: say which workload.
    [Open form]"
  `);
  expect(message.blocks.at(-1)).toMatchObject({
    elements: [{ action_id: "form:open:scale", value: '{"verb":"scale","values":{"size":"4"},"region":"eu1"}' }],
  });
});
