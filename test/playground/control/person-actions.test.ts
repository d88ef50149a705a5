import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { actOnPage } from "../support/live-page.ts";
import { actions, button, option, plain, post } from "../support/samples.ts";
import { app, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

const shortcuts = [
  { name: "New workload", callbackId: "new", type: "global" },
  { name: "Why?", callbackId: "why", type: "message" },
] as const;

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld({ app: { ...app, events: ["app_mention", "app_home_opened"], shortcuts } });
});
afterEach(async () => {
  await world.stop();
});

const does = async (action: string, body: Parameters<typeof actOnPage>[2]) => actOnPage(world.url, action, body);
const dana = () => world.playground.as("dana");
const messagesOf = (name = "dana") =>
  world.playground
    .as(name)
    .sees()
    .map((seen) => seen.text);

describe("typed text", () => {
  test("a command reaches the bot, and a message the channel", async () => {
    const command = await does("say", { channel: "C0OPS", text: "/gantry list" });
    await does("say", { channel: "C0OPS", text: "hello @alex" });

    expect(command.body).toMatchObject({ kind: "slash_command", acked: true, status: 200, error: null });
    expect(world.bot.last()).toMatchObject({ command: "/gantry", text: "list", user_id: "U0DANA" });
    expect(messagesOf("alex")).toEqual(["hello @alex"]);
  });

  test("people can edit and delete their own messages, not others'", async () => {
    const { ts = "" } = await dana().says("@gantry hello");
    await does("edit", { channel: "C0OPS", ts, text: "@gantry good bye" });
    const edited = messagesOf();
    const stolen = await does("edit", { as: "alex", channel: "C0OPS", ts, text: "mine" });
    await does("delete", { channel: "C0OPS", ts });

    expect(edited).toEqual(["@gantry good bye"]);
    expect(world.bot.last()["event"]).toMatchObject({ type: "app_mention", ts, edited: { user: "U0DANA" } });
    expect(stolen).toMatchObject({ status: 400, body: { error: expect.stringContaining("only your own messages") } });
    expect(messagesOf()).toEqual([]);
  });

  test("a direct conversation begins with the first word", async () => {
    await does("say", { channel: "D0BOT0DANA", text: "hi" });

    expect(
      dana()
        .sees("@gantry")
        .map((seen) => seen.text),
    ).toEqual(["hi"]);
  });

  test("commands are refused in threads, in the thread itself", async () => {
    const { ts } = await post(world, []);
    const answer = await does("say", { channel: "C0OPS", text: "/gantry list", thread: ts });

    expect(answer.body).toMatchObject({ acked: false, error: "not_supported_in_threads" });
    expect(dana().sees().at(-1)).toMatchObject({
      text: "/gantry is not supported in threads. Sorry!",
      isEphemeral: true,
      threadTs: ts,
    });
    expect(world.bot.received).toEqual([]);
  });

  test("a mention of an absent bot gets a notice, and /invite adds the bot", async () => {
    await does("say", { channel: "C0GENERAL", text: "@gantry hi" });
    const before = world.bot.received.length;
    await does("say", { channel: "C0GENERAL", text: "/invite @gantry" });
    await does("say", { channel: "C0GENERAL", text: "@gantry hi" });

    const seen = dana().sees("general");
    expect(before).toBe(0);
    expect(seen[1]).toMatchObject({ isEphemeral: true, text: expect.stringContaining("type /invite @gantry") });
    expect(seen[2]).toMatchObject({ isEphemeral: true, text: "@gantry is now in #general." });
    expect(world.bot.last()).toMatchObject({ event: { type: "app_mention", channel: "C0GENERAL" } });
  });

  test("/invite of nobody says how it is typed", async () => {
    await does("say", { channel: "C0OPS", text: "/invite @nobody" });

    expect(messagesOf()).toEqual(["Nobody was invited. Type /invite @name in a channel."]);
  });

  test("a channel that one is not in, and a wrong shape are refused with a sentence", async () => {
    const outside = await does("say", { as: "gwen", channel: "C0GENERAL", text: "hi" });
    const shapeless = await does("say", { channel: "C0OPS" });

    expect(outside).toEqual({ status: 400, body: { error: "gwen isn't in #general." } });
    expect(shapeless).toMatchObject({ status: 400, body: { error: expect.stringContaining("text") } });
    expect(world.bot.received).toEqual([]);
  });
});

describe("buttons and menus", () => {
  const at = (ts: unknown) => ({ in: "message", channel: "C0OPS", ts });

  test("a click goes to the bot by the element's ids", async () => {
    const { ts } = await post(world, [{ ...actions(button({ action_id: "go", value: "7" })), block_id: "b" }]);
    const answer = await does("act", { at: at(ts), blockId: "b", actionId: "go", value: { type: "button" } });

    expect(answer.body).toMatchObject({ kind: "block_actions", acked: true });
    expect(world.bot.last()).toMatchObject({ actions: [{ action_id: "go", block_id: "b", value: "7" }] });
  });

  test("a chosen option goes along", async () => {
    const menu = { type: "overflow", action_id: "more", options: [option({ text: plain("Stop"), value: "stop" })] };
    const { ts } = await post(world, [{ ...actions(menu), block_id: "b" }]);
    const value = { type: "overflow", selected_option: menu.options[0] };
    await does("act", { at: at(ts), blockId: "b", actionId: "more", value });

    expect(world.bot.last()).toMatchObject({ actions: [{ selected_option: { value: "stop" } }] });
  });

  test("a late ack is reported in Slack's words", async () => {
    await world.stop();
    world = await startSmallWorld();
    const { ts } = await post(world, [{ ...actions(button({ action_id: "go" })), block_id: "b" }]);
    world.bot.answer = () => "never";
    const clicked = does("act", { at: at(ts), blockId: "b", actionId: "go", value: {} });
    const answer = await world.passAckLimit(clicked);

    expect(answer.body).toMatchObject({ acked: false, error: "operation_timeout" });
    expect(messagesOf().at(-1)).toBe("This app did not respond: operation_timeout");
  });

  test("a replaced button or a deleted message is reported as gone", async () => {
    const { ts } = await post(world, [{ ...actions(button({ action_id: "go" })), block_id: "b" }]);
    const click = { at: at(ts), blockId: "b", actionId: "went", value: {} };
    const replaced = await does("act", click);
    await world.call("chat.delete", { channel: "C0OPS", ts });
    const deleted = await does("act", click);

    expect(replaced.body["error"]).toBe("This button or field no longer exists: the message has changed.");
    expect(deleted.body["error"]).toBe("This message was deleted.");
  });

  test("another's ephemeral button cannot be clicked", async () => {
    const blocks = [{ ...actions(button({ action_id: "go" })), block_id: "b" }];
    const { message_ts: ts } = await world.call("chat.postEphemeral", {
      channel: "C0OPS",
      user: "U0DANA",
      text: "x",
      blocks,
    });
    const answer = await does("act", { as: "alex", at: at(ts), blockId: "b", actionId: "go", value: {} });

    expect(answer.status).toBe(400);
    expect(world.bot.received).toEqual([]);
  });

  test("an external select gets the bot's options, in groups when it groups them", async () => {
    const menu = { type: "external_select", action_id: "pick", min_query_length: 1 };
    const { ts } = await post(world, [{ ...actions(menu), block_id: "b" }]);
    const groups = [{ label: plain("All"), options: [option({ text: plain("web"), value: "web" })] }];
    world.bot.answer = () => ({ json: { option_groups: groups } });
    const answer = await does("suggest", { at: at(ts), blockId: "b", actionId: "pick", query: "w" });

    expect(answer.body).toMatchObject({ acked: true, options: groups });
    expect(world.bot.last()).toMatchObject({ type: "block_suggestion", value: "w" });
  });
});

describe("shortcuts, Home and read marks", () => {
  test("a global shortcut knows no channel, a message shortcut its message", async () => {
    const { ts } = await post(world, []);
    await does("shortcut", { callbackId: "new" });
    const global = world.bot.last();
    await does("shortcut", { callbackId: "why", message: { channel: "C0OPS", ts } });

    expect(global).toMatchObject({ type: "shortcut", callback_id: "new", user: { id: "U0DANA" } });
    expect(global).not.toHaveProperty("channel");
    expect(world.bot.last()).toMatchObject({ type: "message_action", callback_id: "why", message: { ts } });
  });

  test("a shortcut that the app has not is refused", async () => {
    const answer = await does("shortcut", { callbackId: "why" });

    expect(answer.body["error"]).toBe('Gantry has no global shortcut "why".');
  });

  test("opening the Home tab sends app_home_opened", async () => {
    await does("home", { tab: "home" });

    expect(world.bot.last()).toMatchObject({ event: { type: "app_home_opened", tab: "home", user: "U0DANA" } });
  });

  test("a channel is marked as read up to a message, and never back", async () => {
    await does("read", { conversation: "C0OPS", ts: "20.000000" });
    await does("read", { conversation: "C0OPS", ts: "10.000000" });
    const response = await fetch(`${world.url}/playground/events?as=dana`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes('"reads"')) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();

    expect(text).toContain('"reads":{"C0OPS":"20.000000"}');
  });
});
