import { afterEach, beforeEach, expect, test } from "vitest";
import { actions, button, input, modal, plain, trigger } from "../support/samples.ts";
import { type Answer, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

// https://docs.slack.dev/reference/methods/views.update: the hash guards against two updates that don't know of each
// other.

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

type View = { readonly id: string; readonly hash: string };

const viewOf = (answer: Answer): View => answer["view"] as View; // as views.* and payloads carry it
const view = modal({
  submit: plain("Go"),
  blocks: [actions(button({ action_id: "go" })), input({ type: "plain_text_input", action_id: "note" })],
});
const open = async () => viewOf(await world.call("views.open", { trigger_id: await trigger(world), view }));
const update = (more: object) => world.call("views.update", { view, ...more });

test("clicks and submissions carry the hash of the view they were made in", async () => {
  const dana = world.playground.as("dana");
  const opened = await open();
  await dana.clicks("go");
  const clicked = viewOf(world.bot.last());
  const { hash } = viewOf(await update({ view_id: opened.id }));
  await dana.submits({ note: "3" });
  const submitted = viewOf(world.bot.last());

  expect(clicked).toMatchObject({ id: opened.id, hash: opened.hash });
  expect(submitted).toMatchObject({ id: opened.id, hash });
});
