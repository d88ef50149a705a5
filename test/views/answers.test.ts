import { expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import {
  bugMessage,
  problemMessage,
  usageWithForm,
  userErrorMessage,
} from "../../src/views/messages/error-messages.ts";
import { inviteHint } from "../../src/views/messages/sentences.ts";
import { drawn } from "./support/drawn.ts";
import { command } from "./support/workloads.ts";

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
    usage: "scale NAME N",
    example: "scale web 4",
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
