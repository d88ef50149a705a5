import { afterAll, expect, test } from "vitest";
import { limits } from "../../src/playground/limits.ts";
import { type OtherRuleId, rules } from "../../src/playground/rules.ts";
import { type Acts, createActs } from "./support/acts.ts";
import { blockRows } from "./support/block-rows.ts";
import { messageRows } from "./support/message-rows.ts";
import { methodRows } from "./support/method-rows.ts";
import type { Row } from "./support/row.ts";
import { actions, button, plain, richText, section, table } from "./support/samples.ts";
import { app, startSmallWorld } from "./support/small-world.ts";
import { viewRows } from "./support/view-rows.ts";

const world = await startSmallWorld();
const poor = await startSmallWorld({ app: { ...app, scopes: ["chat:write"] }, ackMs: 500 });
const acts: Acts = createActs(world, poor);
const { blocks, dana } = acts;
afterAll(async () => {
  await world.stop();
  await poor.stop();
});

const rows: Readonly<Record<OtherRuleId, Row>> = {
  ...blockRows(acts),
  ...viewRows(acts),
  ...messageRows(acts),
  ...methodRows(acts),
};
const table1 = Object.entries(rows).map(([id, row]) => ({ ...row, id: id as OtherRuleId })); // the keys of a record over OtherRuleId

test.each(table1)("$id is kept, then broken", async ({ id, error, kept, broken }) => {
  while (dana().modal() !== undefined) await dana().closes();
  const owner = ["auth.scope", "ack.in-time"].includes(id) ? poor : world;
  await kept();
  const whenKept = owner.rule();
  await broken();
  const last = owner.playground.transcript().at(-1);

  expect(whenKept).toBeUndefined();
  expect(last?.refusal?.rule).toBe(id);
  expect(last?.refusal?.link).toMatch(/^https:\/\/(docs\.slack\.dev|github\.com\/slackapi)\//);
  expect(last?.refusal?.sentence).toContain(`${error}: `);
});

test("every rule has a row here or in the limits", () => {
  const covered = [...Object.keys(rows), ...Object.keys(limits)].sort();

  expect(Object.keys(rules).sort()).toEqual(covered);
});

test("an error looks as Slack's: code, and what is wrong where", async () => {
  const answer = await blocks(section({ text: plain("") }), { type: "header" });

  expect(answer).toEqual({
    ok: false,
    error: "invalid_blocks",
    response_metadata: {
      messages: [
        "[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]",
        "[ERROR] missing required field: text [json-pointer:/blocks/1]",
      ],
    },
  });
});

test("a missing scope names what is needed and what there is", async () => {
  expect(await poor.call("usergroups.list", {})).toMatchObject({
    ok: false,
    error: "missing_scope",
    needed: "usergroups:read",
    provided: "chat:write",
  });
});

test.each([
  ["a cell must have a text", table([[{ type: "raw_text" }]])],
  [
    "a list takes sections only",
    richText({ type: "rich_text_list", style: "bullet", elements: [{ type: "text", text: "x" }] }),
  ],
  [
    "preformatted text takes no mentions",
    richText({ type: "rich_text_preformatted", elements: [{ type: "user", user_id: "U0DANA" }] }),
  ],
  ["a header is plain text", { type: "header", text: { type: "mrkdwn", text: "x" } }],
  ["a value is not empty", actions(button({ value: "" }))],
  ["an object named like a method of objects is unknown", { type: "toString" }],
])("%s", async (_name, block) => {
  expect(await blocks(block)).toMatchObject({ ok: false, error: "invalid_blocks" });
});
