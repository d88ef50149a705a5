import { afterEach, beforeEach, expect, test } from "vitest";
import { actions, button, input, modal, option, plain, post, section, trigger } from "../support/samples.ts";
import { type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

const dana = () => world.playground.as("dana");
const open = async (more: object) =>
  world.call("views.open", { trigger_id: await trigger(world), view: modal({ submit: plain("Create"), ...more }) });

test("a click on a message carries it, and its response_url replaces it", async () => {
  const { ts } = await post(world, [
    { ...actions(button({ text: plain("Next"), value: "2", action_id: "page" })), block_id: "b" },
  ]);
  const delivery = await dana().clicks("Next");
  const payload = world.bot.last();
  await fetch(String(payload["response_url"]), {
    method: "POST",
    body: JSON.stringify({ text: "page 2", blocks: [], replace_original: true }),
  });

  expect(delivery).toMatchObject({ kind: "block_actions", acked: true });
  expect(payload).toMatchObject({
    type: "block_actions",
    user: { id: "U0DANA", username: "dana", name: "dana", team_id: "T0PLAYGR" },
    container: { type: "message", message_ts: ts, channel_id: "C0OPS", is_ephemeral: false },
    channel: { id: "C0OPS", name: "ops" },
    message: { ts, text: "x", user: "U0BOT" },
    actions: [
      {
        type: "button",
        action_id: "page",
        block_id: "b",
        value: "2",
        text: plain("Next"),
        action_ts: expect.any(String),
      },
    ],
    trigger_id: expect.any(String),
  });
  expect(dana().sees()).toMatchObject([{ ts, text: "page 2", isEdited: true }]);
});

test("the newest button of that name is clicked, by its text or its action_id", async () => {
  await post(world, [actions(button({ text: plain("Next"), value: "old", action_id: "page" }))]);
  await post(world, [actions(button({ text: plain("Next"), value: "new", action_id: "page" }))]);
  await dana().clicks("Next");
  await dana().clicks("page");

  expect(world.bot.received.map((each) => each.payload["actions"])).toMatchObject([
    [{ value: "new" }],
    [{ value: "new" }],
  ]);
});

test("an option of an overflow menu can be clicked", async () => {
  const menu = { type: "overflow", action_id: "more", options: [option({ text: plain("Stop"), value: "stop" })] };
  await post(world, [section({ text: plain("web"), accessory: menu })]);
  await dana().clicks("Stop");

  expect(world.bot.last()["actions"]).toMatchObject([
    { type: "overflow", action_id: "more", selected_option: { value: "stop" } },
  ]);
});

test("a click on an unknown label lists the labels there are", async () => {
  await post(world, [actions(button({ text: plain("Back") }), button({ text: plain("Next") }))]);

  await expect(async () => dana().clicks("Forward")).rejects.toThrow(
    'dana sees no button "Forward" here. There are: Back, Next.',
  );
});

test("only its reader can click an ephemeral message, and the click carries no message", async () => {
  await world.call("chat.postEphemeral", {
    channel: "C0OPS",
    user: "U0DANA",
    text: "x",
    blocks: [actions(button({ text: plain("Close") }))],
  });
  await expect(async () => world.playground.as("alex").clicks("Close")).rejects.toThrow("sees no button");
  await dana().clicks("Close");
  const payload = world.bot.last();

  expect(payload).not.toHaveProperty("message");
  expect(payload["container"]).toMatchObject({ is_ephemeral: true });
});

test("a menu in a message sends the chosen option", async () => {
  await post(world, [
    actions({ type: "static_select", action_id: "pick", options: [option({ text: plain("EU"), value: "eu" })] }),
  ]);
  await dana().selects("pick", "EU");

  expect(world.bot.last()["actions"]).toMatchObject([{ type: "static_select", selected_option: { value: "eu" } }]);
});

test("a modal is filled in, refused by its own checks, corrected and submitted", async () => {
  await open({
    callback_id: "create",
    private_metadata: "m",
    blocks: [{ ...input({ type: "plain_text_input", action_id: "value", max_length: 5 }), block_id: "name" }],
  });
  const tooLong = await dana().submits({ name: "worker" });
  const errors = dana().modal()?.errors;
  world.bot.answer = () => ({ json: { response_action: "errors", errors: { name: "taken" } } });
  await dana().submits({ name: "web" });
  const answered = dana().modal()?.errors;
  world.bot.answer = () => undefined;
  await dana().submits({ name: "web2" });

  expect(tooLong.error).toBe("incomplete");
  expect(errors).toEqual({ name: "Please enter at most 5 characters." });
  expect(answered).toEqual({ name: "taken" });
  expect(dana().modal()).toBeUndefined();
  expect(world.bot.last()).toMatchObject({
    type: "view_submission",
    view: {
      callback_id: "create",
      private_metadata: "m",
      state: { values: { name: { value: { type: "plain_text_input", value: "web2" } } } },
    },
  });
});

test("an external select asks the bot for options from three characters on", async () => {
  const menu = { ...input({ type: "external_select", action_id: "service" }), block_id: "which" };
  await open({ blocks: [menu] });
  world.bot.answer = (payload) =>
    payload["type"] === "block_suggestion"
      ? { json: { options: [option({ text: plain("web-1"), value: "w1" })] } }
      : undefined;
  const offered = await dana().searches("service", "web");
  await dana().submits({ which: "web-1" });

  expect(offered).toMatchObject([{ value: "w1" }]);
  expect(world.bot.received.map((each) => each.payload)).toMatchObject([
    { command: "/gantry" },
    { type: "block_suggestion", action_id: "service", block_id: "which", value: "web" },
    { type: "block_suggestion", value: "web-1" },
    {
      type: "view_submission",
      view: { state: { values: { which: { service: { selected_option: { value: "w1" } } } } } },
    },
  ]);
  await open({ blocks: [menu] });
  await expect(async () => dana().selects("service", "we")).rejects.toThrow("at least 3 characters");
});

test("a click in a home tab carries the view", async () => {
  await world.call("views.publish", {
    user_id: "U0DANA",
    view: { type: "home", blocks: [actions(button({ text: plain("Refresh"), action_id: "r" }))] },
  });
  await dana().clicks("Refresh", { home: true });

  expect(world.bot.last()).toMatchObject({
    container: { type: "view" },
    view: { type: "home" },
    actions: [{ action_id: "r" }],
  });
  expect(world.bot.last()).not.toHaveProperty("response_url");
});
