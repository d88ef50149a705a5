import { afterAll, beforeEach, expect, test } from "vitest";
import { type OtherRuleId, rules } from "../../../src/playground/rules/rules.ts";
import { createSteps, type Row, type Steps } from "./rows/steps.ts";
import { blockRows } from "./rows/block-rows.ts";
import { eventRows } from "./rows/event-rows.ts";
import { messageRows } from "./rows/message-rows.ts";
import { methodRows } from "./rows/method-rows.ts";
import { actions, button, input, many, option, plain, richText, section } from "../support/samples.ts";
import { app, type SmallWorld, startSmallWorld } from "../support/small-world.ts";
import { viewRows } from "./rows/view-rows.ts";

const world = await startSmallWorld();
const poor = await startSmallWorld({ app: { ...app, scopes: ["chat:write"] } });
const closed = await startSmallWorld({ app: { ...app, hasOptionsUrl: false } });
const steps: Steps = createSteps(world, poor);
const { blocks, dana } = steps;
afterAll(async () => {
  await Promise.all([world.stop(), poor.stop(), closed.stop()]);
});
// A channel takes about one message a second.
beforeEach(() => world.pass(60_000));

/** The rules of the manifest are in app.test.ts: it is not sent. Those of Socket Mode are in sockets/. */
type SentRuleId = Exclude<OtherRuleId, `app.${string}` | `socket.${string}`>;

const rows: Readonly<Record<SentRuleId, Row>> = {
  ...blockRows(steps),
  ...viewRows(steps),
  ...messageRows(steps),
  ...eventRows(steps, closed),
  ...methodRows(steps),
};
const cases = Object.entries(rows).map(([id, row]) => ({ ...row, id: id as SentRuleId })); // the keys of a record over SentRuleId
const elsewhere: Readonly<Record<string, SmallWorld>> = {
  "auth.scope": poor,
  "ack.in-time": poor,
};

test.each(cases)("$id is kept, then broken", async ({ id, error, kept, broken }) => {
  while (dana().modal() !== undefined) await dana().closes();
  const owner = elsewhere[id] ?? world;
  await kept();
  const whenKept = owner.rule();
  await broken();
  // The same select in an app without an Options Load URL.
  const breaker = id === "options.address" ? closed : owner;
  const last = breaker.playground.transcript().at(-1);

  expect(whenKept).toBeUndefined();
  expect(last?.refusal?.rule).toBe(id);
  expect(last?.refusal?.link).toBe(rules[id].link);
  expect(last?.refusal?.sentence).toContain(`${error}: `);
});

test.each(Object.entries(rules))("%s names a page of Slack's that states it", (_id, { link }) => {
  expect(link).toMatch(/^https:\/\/(docs\.slack\.dev|github\.com\/slackapi)\//);
});

test("an error has Slack's code, and each problem with its JSON pointer", async () => {
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

test("a missing scope names the needed and the provided scopes", async () => {
  expect(await poor.call("usergroups.list", {})).toMatchObject({
    ok: false,
    error: "missing_scope",
    needed: "usergroups:read",
    provided: "chat:write",
  });
});

test.each([
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

test.each([
  ["a block", "video", { type: "video", title: plain() }],
  ["an element of actions", "timepicker", actions({ type: "timepicker" })],
  ["an input", "email_text_input", input({ type: "email_text_input" })],
  ["a part of rich text", "rich_text_quote", richText({ type: "rich_text_quote", elements: [] })],
  [
    "an element of a line",
    "broadcast",
    richText({ type: "rich_text_section", elements: [{ type: "broadcast", range: "here" }] }),
  ],
])("%s that Gantry doesn't send is refused by its name: %s", async (_what, type, block) => {
  const answer = await blocks(block);

  expect(answer).toMatchObject({ ok: false, error: "invalid_blocks" });
  expect(world.rule()).toBe("block.type");
  expect(JSON.stringify(answer)).toContain(`the playground doesn't show the type \\"${type}\\"`);
  expect(world.playground.transcript().at(-1)?.refusal?.sentence).toContain("add it in src/playground/block-kit.ts");
});

test("a property, an argument and a method that Gantry doesn't use are refused by their names", async () => {
  const property = await blocks(section({ text: plain(), fields: [plain()] }));
  const argument = await steps.message({ attachments: [] });
  const method = await world.call("views.push", {});

  expect(JSON.stringify(property)).toContain("invalid additional property: fields");
  expect(JSON.stringify(argument)).toContain("invalid additional property: attachments");
  expect(method).toMatchObject({ ok: false, error: "unknown_method", req_method: "views.push" });
  expect(world.playground.transcript().at(-1)?.refusal?.sentence).toContain("the playground has no method views.push");
});

test.each([
  ["options", 100, undefined],
  ["options", 101, "select.options"],
  ["option_groups", 100, undefined],
  ["option_groups", 101, "select.groups"],
])("an external select takes %s × %i: %s", async (name, count, rule) => {
  const items = many(count, () => (name === "options" ? option() : { label: plain(), options: [option()] }));
  await steps.search({ [name]: items });
  const broken = world.rule();
  await dana().closes();

  expect(broken).toBe(rule);
});
