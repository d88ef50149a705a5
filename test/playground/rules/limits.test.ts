import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type LimitId, limits } from "../../../src/playground/rules/limits.ts";
import {
  actions,
  button,
  input,
  long,
  many,
  modal,
  mrkdwn,
  open,
  option,
  plain,
  post,
  publish,
  section,
  select,
  trigger,
} from "../support/samples.ts";
import { type Answer, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(async () => {
  await world.stop();
});
// A channel takes about one message a second.
beforeEach(() => world.pass(60_000));

function longUrl(size: number): string {
  return "https://example.com/".padEnd(size, "x");
}

/** Sections whose JSON is exactly `size` characters long. */
function blocksOf(size: number, most = 3000): object[] {
  const blocks: object[] = [];
  for (;;) {
    const left = size - JSON.stringify([...blocks, section({ text: mrkdwn("") })]).length;
    // The last two sections share the rest, so that it is never too small for a section.
    const next = left <= most ? left : Math.min(most, left - 100);
    blocks.push(section({ text: mrkdwn(long(next)) }));
    if (left <= most) return blocks;
  }
}

function viewOf(bytes: number): object {
  const empty = JSON.stringify(modal({ blocks: [] })).length - 2;
  return modal({ blocks: blocksOf(bytes - empty) });
}

/** Searches in an external select that the bot answers with this. */
async function suggest(json: object): Promise<Answer> {
  await open(world, { submit: plain(), blocks: [input({ type: "external_select", action_id: "find" })] });
  world.bot.answer = (payload) => (payload["type"] === "block_suggestion" ? { json } : undefined);
  await world.playground.as("dana").searches("find", "web");
  world.bot.answer = () => undefined;
  return { ok: world.rule() === undefined };
}

async function useResponseUrl(times: number): Promise<Answer> {
  await world.playground.as("dana").says("/gantry list");
  const url = String(world.bot.last()["response_url"]);
  let last = new Response();
  for (let use = 1; use <= times; use += 1) {
    last = await world.playground.fetch(new Request(url, { method: "POST", body: JSON.stringify({ text: "x" }) }));
  }
  return { ok: last.ok };
}

async function update(more: object): Promise<Answer> {
  const { ts } = await post(world, []);
  return world.call("chat.update", { channel: "C0OPS", ts, text: "x", ...more });
}

const message = (more: object): Promise<Answer> =>
  world.call("chat.postMessage", { channel: "C0OPS", text: "x", ...more });

/** The limits of the manifest are in app.test.ts: they are not sent. Those of connections are in sockets/. */
type SentLimitId = Exclude<LimitId, `app.${string}` | `socket.${string}`>;

const rows: Readonly<Record<SentLimitId, (n: number) => Promise<Answer>>> = {
  "message.blocks": (n) => message({ blocks: many(n, () => ({ type: "divider" })) }),
  "message.blocks-size": (n) => message({ blocks: blocksOf(n) }),
  "message.text": (n) => message({ text: long(n) }),
  "update.text": (n) => update({ text: long(n) }),
  "view.blocks": (n) => publish(world, ...many(n, () => ({ type: "divider" }))),
  "view.size": async (n) => world.call("views.open", { trigger_id: await trigger(world), view: viewOf(n) }),
  "view.title": (n) => open(world, { title: plain(long(n)) }),
  "view.submit": (n) => open(world, { submit: plain(long(n)) }),
  "view.close": (n) => open(world, { close: plain(long(n)) }),
  "view.private-metadata": (n) => open(world, { private_metadata: long(n) }),
  "view.callback-id": (n) => open(world, { callback_id: long(n) }),
  "view.external-id": (n) => open(world, { external_id: long(n) }),
  "block.id": (n) => message({ blocks: [{ type: "divider", block_id: long(n) }] }),
  "action.id": (n) => message({ blocks: [actions(button({ action_id: long(n) }))] }),
  "text.text": (n) => message({ blocks: [{ type: "context", elements: [mrkdwn(long(n))] }] }),
  "section.text": (n) => message({ blocks: [section({ text: mrkdwn(long(n)) })] }),
  "header.text": (n) => message({ blocks: [{ type: "header", text: plain(long(n)) }] }),
  "context.elements": (n) => message({ blocks: [{ type: "context", elements: many(n, () => plain()) }] }),
  "actions.elements": (n) => message({ blocks: [actions(...many(n, () => button()))] }),
  "input.label": (n) => message({ blocks: [input(undefined, { label: plain(long(n)) })] }),
  "input.hint": (n) => message({ blocks: [input(undefined, { hint: plain(long(n)) })] }),
  "button.text": (n) => message({ blocks: [actions(button({ text: plain(long(n)) }))] }),
  "button.value": (n) => message({ blocks: [actions(button({ value: long(n) }))] }),
  "button.url": (n) => message({ blocks: [actions(button({ url: longUrl(n) }))] }),
  "placeholder.text": (n) =>
    message({ blocks: [actions(select({ options: [option()], placeholder: plain(long(n)) }))] }),
  "select.options": (n) => publish(world, actions(select({ options: many(n, () => option()) }))),
  "select.groups": (n) => suggest({ option_groups: many(n, () => ({ label: plain(), options: [option()] })) }),
  "overflow.options": (n) => publish(world, actions({ type: "overflow", options: many(n, () => option()) })),
  "checkboxes.options": (n) => publish(world, actions({ type: "checkboxes", options: many(n, () => option()) })),
  "radio.options": (n) => publish(world, actions({ type: "radio_buttons", options: many(n, () => option()) })),
  "option.text": (n) => publish(world, actions(select({ options: [option({ text: plain(long(n)) })] }))),
  "option.value": (n) => publish(world, actions(select({ options: [option({ value: long(n) })] }))),
  "option.description": (n) => publish(world, actions(select({ options: [option({ description: plain(long(n)) })] }))),
  "group.label": (n) => suggest({ option_groups: [{ label: plain(long(n)), options: [option()] }] }),
  "group.options": (n) => suggest({ option_groups: [{ label: plain(), options: many(n, () => option()) }] }),
  "input.max-length": (n) => publish(world, input({ type: "plain_text_input", max_length: n })),
  "response-url.uses": (n) => useResponseUrl(n),
};

const cases = Object.entries(rows).map(([id, send]) => ({
  id: id as SentLimitId,
  send,
  max: limits[id as SentLimitId].max,
})); // the keys of a record over SentLimitId

test.each(cases)("Slack takes $max and refuses one more: $id", async ({ id, send, max }) => {
  const atLimit = await send(max);
  const ruleAtLimit = world.rule();
  const past = await send(max + 1);
  const rulePast = world.rule();

  expect({ ...atLimit, response_metadata: undefined }).toMatchObject({ ok: true });
  expect(ruleAtLimit).toBeUndefined();
  expect(past["ok"]).toBe(false);
  expect(rulePast).toBe(id);
});
