import { afterEach, beforeEach, expect, test } from "vitest";
import { app, type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

const dana = () => world.playground.as("dana");

test("a command arrives signed and as Slack sends it", async () => {
  const delivery = await dana().says("/gantry list  services");
  const [request] = world.bot.received;

  expect(delivery).toMatchObject({ kind: "slash_command", acked: true, status: 200 });
  expect(request?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(request?.payload).toEqual({
    token: expect.any(String),
    team_id: "T0PLAYGR",
    team_domain: "playground",
    channel_id: "C0OPS",
    channel_name: "ops",
    user_id: "U0DANA",
    user_name: "dana",
    command: "/gantry",
    text: "list  services",
    api_app_id: "A0GANTRY",
    is_enterprise_install: "false",
    response_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/response\/R/),
    trigger_id: expect.stringMatching(/^\d+\.\d+\.[0-9a-f]{32}$/),
  });
});

test.each([
  ["ask @dana", "ask <@U0DANA|dana>"],
  ["tell #ops & #nowhere", "tell <#C0OPS|ops> &amp; #nowhere"],
  ["wake @oncall", "wake <!subteam^S0ONCALL|@oncall>"],
  ["mail a@dana", "mail a@dana"],
  ["mail a@web.dev", "mail a@web.dev"],
  ["add web.example.com, 1.2.3", "add <http://web.example.com|web.example.com>, 1.2.3"],
  ["ghcr.io/team/web:1.2", "<http://ghcr.io/team/web:1.2|ghcr.io/team/web:1.2>"],
  ["URL=https://x.dev?a=1&b=2", "URL=<https://x.dev?a=1&amp;b=2>"],
  ["create\n  web", "create\n  web"],
  ["<!channel>", "&lt;!channel&gt;"],
])("typed %s arrives as %s", async (typed, arrived) => {
  await dana().says(`/gantry ${typed}`);

  expect(world.bot.last()["text"]).toBe(arrived);
});

test("without should_escape, names stay as typed", async () => {
  const raw = await startSmallWorld({ app: { ...app, escapesNames: false } });
  await raw.playground.as("dana").says("/gantry ask @dana in #ops & <you>");
  const { text } = raw.bot.last();
  await raw.stop();

  expect(text).toBe("ask @dana in #ops &amp; &lt;you&gt;");
});

test.each([
  ["incidents", { channel_id: "C0INCIDENTS", channel_name: "privategroup" }],
  ["@alex", { channel_name: "directmessage" }],
  ["@gantry", { channel_name: "directmessage" }],
])("in %s the bot gets no channel name", async (channel, expected) => {
  await dana().says("/gantry list", { channel });

  expect(world.bot.last()).toMatchObject(expected);
});

test("the ack's text is visible to its user, or to all", async () => {
  world.bot.answer = () => ({ body: "just *you*" });
  await dana().says("/gantry list");
  world.bot.answer = () => ({ json: { response_type: "in_channel", text: "all of you" } });
  await dana().says("/gantry list");

  expect(
    dana()
      .sees()
      .map((seen) => seen.text),
  ).toEqual(["just *you*", "all of you"]);
  expect(
    world.playground
      .as("alex")
      .sees()
      .map((seen) => seen.text),
  ).toEqual(["all of you"]);
});

test("an ack with blocks Slack would not take shows nothing and is noted", async () => {
  world.bot.answer = () => ({ json: { text: "x", blocks: [{ type: "dividre" }] } });
  const delivery = await dana().says("/gantry list");

  expect(delivery.refusal?.rule).toBe("block.type");
  expect(dana().sees()).toEqual([]);
});

test("a late ack is reported as operation_timeout", async () => {
  const hasty = await startSmallWorld();
  hasty.bot.answer = () => "never";
  const delivery = await hasty.passAckLimit(hasty.playground.as("dana").says("/gantry list"));
  const seen = hasty.playground.as("dana").sees().at(-1);
  await hasty.stop();

  expect(delivery).toMatchObject({ acked: false, error: "operation_timeout", status: undefined });
  expect(seen).toMatchObject({
    author: "slackbot",
    isEphemeral: true,
    text: '/gantry failed with the error "operation_timeout"',
  });
});

test("a bot that answers 500, or does not run, is reported as dispatch_failed", async () => {
  world.bot.answer = () => ({ status: 500 });
  const failing = await dana().says("/gantry list");
  await world.bot.stop();
  const gone = await dana().says("/gantry list");

  expect(failing).toMatchObject({ acked: false, status: 500, error: "dispatch_failed" });
  expect(gone).toMatchObject({ acked: false, status: undefined, error: "dispatch_failed" });
});

test("commands do not work in threads, and unknown ones nowhere", async () => {
  const { ts = "" } = await dana().says("look at this");
  const inThread = await dana().says("/gantry list", { thread: ts });
  const unknown = await dana().says("/gantyr list");

  expect(inThread.error).toBe("not_supported_in_threads");
  expect(unknown.error).toBe("invalid_command");
  expect(world.bot.received).toEqual([]);
  expect(
    dana()
      .sees()
      .slice(1)
      .map((seen) => seen.text),
  ).toEqual(["/gantry is not supported in threads. Sorry!", "/gantyr is not a valid command."]);
});

test("people can't type in a channel they are not in", async () => {
  await expect(async () => world.playground.as("gwen").says("/gantry list", { channel: "general" })).rejects.toThrow(
    "gwen isn't in #general.",
  );
});

test("a mention reaches the bot as an event where it is a member", async () => {
  const { ts } = await dana().says("hey @gantry, list");
  await dana().says("hey @gantry", { channel: "general" });
  await dana().says("nothing for you");

  expect(world.bot.received).toHaveLength(1);
  expect(world.bot.last()).toMatchObject({
    type: "event_callback",
    team_id: "T0PLAYGR",
    event: { type: "app_mention", user: "U0DANA", text: "hey <@U0BOT>, list", channel: "C0OPS", ts },
  });
});

test("a response_url answers where the bot is no member, in its thread, and in public", async () => {
  await dana().says("/gantry list", { channel: "incidents" });
  const url = String(world.bot.last()["response_url"]);
  const respond = async (body: object) => fetch(url, { method: "POST", body: JSON.stringify(body) });
  await respond({ text: "for dana" });
  await respond({ text: "for all", response_type: "in_channel" });
  const parent = dana().sees("incidents").at(-1)?.ts;
  await respond({ text: "below", response_type: "in_channel", thread_ts: parent, replace_original: false });

  expect(
    dana()
      .sees("incidents")
      .map((seen) => seen.text),
  ).toEqual(["for dana", "for all", "below"]);
  expect(
    world.playground
      .as("alex")
      .sees("incidents")
      .map((seen) => [seen.text, seen.threadTs]),
  ).toEqual([
    ["for all", undefined],
    ["below", parent],
  ]);
});

test("a response_url keeps the argument rules", async () => {
  await dana().says("/gantry list");
  const url = String(world.bot.last()["response_url"]);
  const unknown = await fetch(url, { method: "POST", body: JSON.stringify({ text: "x", ephemeral: true }) });
  const notJson = await fetch(url, { method: "POST", body: "text=x" });

  expect(unknown.status).toBe(400);
  expect(await unknown.json()).toMatchObject({ ok: false, error: "invalid_arguments" });
  expect(await notJson.json()).toMatchObject({ ok: false, error: "invalid_payload" });
});

test("timestamps are unique and increase while the clock is frozen", async () => {
  const posted = await Promise.all(Array.from({ length: 20 }, (_, index) => dana().says(`message ${index}`)));
  const all = posted.map((delivery) => delivery.ts ?? "");

  expect(new Set(all).size).toBe(20);
  expect(all).toEqual([...all].sort());
  expect(all[0]).toMatch(/^\d{10}\.\d{6}$/);
});
