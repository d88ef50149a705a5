import { afterEach, beforeEach, expect, test } from "vitest";
import { actOnPage } from "../support/live-page.ts";
import { actions, button, input, modal, option, plain, trigger } from "../support/samples.ts";
import { running, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld(running);
});
afterEach(async () => {
  await world.stop();
});

const does = async (action: string, body: Parameters<typeof actOnPage>[2]) => actOnPage(world.url, action, body);
const dana = () => world.playground.as("dana");

/** Opens a modal with a name field and returns its id. */
async function openModal(more: object = {}): Promise<string> {
  const named = { block_id: "name", element: { type: "plain_text_input", action_id: "v" } };
  const view = modal({ submit: plain("Create"), blocks: [input(named.element, named)], ...more });
  await world.call("views.open", { trigger_id: await trigger(world), view });
  return dana().modal()?.id ?? "";
}

const typed = (value: string) => ({ name: { v: { type: "plain_text_input", value } } });

test("filled-in fields are submitted, and the modal closes", async () => {
  const view = await openModal();
  await does("submit", { view, values: typed("web") });

  expect(world.bot.last()).toMatchObject({ type: "view_submission", view: { state: { values: typed("web") } } });
  expect(dana().modal()).toBeUndefined();
});

test("Slack itself refuses an empty field, the bot a wrong one, and the input stays", async () => {
  const view = await openModal();
  await does("submit", { view });
  const own = dana().modal()?.errors;
  world.bot.answer = () => ({ json: { response_action: "errors", errors: { name: "Taken." } } });
  await does("submit", { view, values: typed("web") });

  expect(own).toEqual({ name: "Please complete this required field." });
  expect(dana().modal()).toMatchObject({ errors: { name: "Taken." }, state: typed("web") });
});

test("a button in a modal sends the values of its fields", async () => {
  const named = { block_id: "name", element: { type: "plain_text_input", action_id: "v" } };
  const more = { ...actions(button({ action_id: "add" })), block_id: "b" };
  const view = await openModal({ blocks: [input(named.element, named), more] });
  const click = { at: { in: "view", id: view }, blockId: "b", actionId: "add", value: {} };
  await does("act", { ...click, values: { ...typed("web"), gone: { v: { type: "plain_text_input", value: "x" } } } });

  expect(world.bot.last()).toMatchObject({
    view: { state: { values: typed("web") } },
    actions: [{ action_id: "add" }],
  });
});

test("a silent input is kept and not sent", async () => {
  const view = await openModal();
  const before = world.bot.received.length;
  const value = { type: "plain_text_input", value: "web" };
  const answer = await does("act", { at: { in: "view", id: view }, blockId: "name", actionId: "v", value });

  expect(answer.body["kind"]).toBe("input");
  expect(dana().modal()?.state).toEqual(typed("web"));
  expect(world.bot.received).toHaveLength(before);
});

test("a value of another form than the element's is refused", async () => {
  const view = await openModal();
  const value = { type: "plain_text_input", selected_option: option() };
  const answer = await does("act", { at: { in: "view", id: view }, blockId: "name", actionId: "v", value });

  expect(answer.body["error"]).toBe("A plain_text_input holds value; the page sent type, selected_option.");
});

test("nobody submits another's modal, nor one that is closed", async () => {
  const view = await openModal();
  const other = await does("submit", { as: "alex", view, values: typed("web") });
  await does("close", { view });
  const closed = await does("submit", { view, values: typed("web") });

  expect(other.body["error"]).toBe("This form is closed.");
  expect(closed.body["error"]).toBe("This form is closed.");
});
