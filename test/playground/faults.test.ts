import { ErrorCode } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { type SmallWorld, startSmallWorld } from "./support/small-world.ts";
import { channelInfo } from "./support/samples.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

const post = () => world.post({ channel: "C0OPS", text: "x" });

test("500 and garbage reach the SDK as failures, and nothing is posted", async () => {
  world.playground.faults.answer("all", "500", 1);
  await expect(post()).rejects.toMatchObject({ code: ErrorCode.HTTPError });
  world.playground.faults.answer("all", "garbage", 1);
  await expect(post()).rejects.toThrow(Error);

  expect(world.playground.messages("ops")).toEqual([]);
});

test("an answer can be lost after the message was posted", async () => {
  world.playground.faults.answer("chat.postMessage", "lost", 1);
  await expect(post()).rejects.toThrow(Error);

  expect(world.playground.messages("ops")).toHaveLength(1);
});

test("an answer can be late, after the message was posted", async () => {
  world.playground.faults.answer("chat.postMessage", "late", 1);
  const posting = post();
  await until(() => world.playground.messages("ops").length > 0);
  world.pass(10_000);
  const late = await posting;
  const after = await post();

  expect([late.ok, after.ok]).toEqual([true, true]);
  expect(world.playground.messages("ops")).toHaveLength(2);
  expect(world.playground.transcript()[0]?.ms).toBeGreaterThanOrEqual(29);
});

test("blocks can be refused while messages without blocks are accepted", async () => {
  world.playground.faults.answer("chat.postMessage", "blocks");
  const blocks = [{ type: "divider" }];
  const refused = await world.call("chat.postMessage", { channel: "C0OPS", text: "x", blocks });
  const plain = await world.call("chat.postMessage", { channel: "C0OPS", text: "x", blocks: [] });

  expect(refused).toEqual({ ok: false, error: "invalid_blocks" });
  expect(plain).toMatchObject({ ok: true });
  expect(world.playground.messages("ops")).toHaveLength(1);
});

test("in an archived channel nothing is posted by any way", async () => {
  await world.playground.as("dana").says("/gantry list");
  world.playground.people.archive("ops");
  const posted = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });
  const whispered = await world.call("chat.postEphemeral", { channel: "C0OPS", user: "U0DANA", text: "x" });
  const answer = await fetch(String(world.bot.last()["response_url"]), { method: "POST", body: '{"text":"x"}' });
  const channel = await channelInfo(world, "C0OPS");

  expect(posted).toMatchObject({ ok: false, error: "is_archived" });
  expect(whispered).toMatchObject({ ok: false, error: "is_archived" });
  expect(await answer.json()).toMatchObject({ ok: false, error: "is_archived" });
  expect(channel).toMatchObject({ is_archived: true });
  expect(world.playground.messages("ops")).toEqual([]);
});

test("a hanging answer ends when faults are cleared", async () => {
  world.playground.faults.answer("auth.test", "hang", 1);
  const asked = world.web.auth.test().catch(() => "failed");
  await expect.poll(() => world.playground.transcript().length).toBe(1);
  const whileHanging = world.playground.transcript()[0]?.status;
  world.playground.faults.clear();

  expect(await asked).toBe("failed");
  expect(whileHanging).toBeUndefined();
});

test("a slow Slack is slow", async () => {
  world.playground.faults.slowMs = 2_000;
  const posting = post();
  await until(() => world.playground.messages("ops").length > 0);
  world.pass(2_000);
  await posting;

  expect(world.playground.transcript().at(-1)?.ms).toBe(2_000);
});

test("delivered twice is the same request twice", async () => {
  world.playground.faults.deliverTwice = true;
  await world.playground.as("dana").says("/gantry list");
  const [first, second] = world.bot.received;

  expect(world.bot.received).toHaveLength(2);
  expect(second?.raw).toBe(first?.raw);
});

const retryAfter = async (method: string, args: object): Promise<string | null> => {
  const headers = { authorization: "Bearer xoxb-for-tests", "content-type": "application/json" };
  const answer = await fetch(`${world.url}/api/${method}`, { method: "POST", headers, body: JSON.stringify(args) });
  return answer.headers.get("retry-after");
};

test("429 for one method in one channel leaves other channels, methods and its own later calls alone", async () => {
  world.playground.people.invite("general", "gantry");
  world.playground.faults.answer("chat.postMessage", "429", { channel: "#ops", times: 2, retryAfterSeconds: 40 });
  const inOps = { channel: "C0OPS", text: "x" };

  expect(await retryAfter("chat.postMessage", inOps)).toBe("40");
  expect(await retryAfter("chat.postMessage", { channel: "C0GENERAL", text: "x" })).toBeNull();
  expect(await retryAfter("chat.postMessage", { channel: "U0DANA", text: "x" })).toBeNull();
  expect(await retryAfter("conversations.members", { channel: "C0OPS" })).toBeNull();
  expect(await retryAfter("chat.postMessage", inOps)).toBe("40");
  expect(await retryAfter("chat.postMessage", inOps)).toBeNull();
  expect(world.playground.messages("ops")).toHaveLength(1);
});

test("a direct conversation is named by its person", async () => {
  const { channel: id } = await world.call("chat.postMessage", { channel: "U0DANA", text: "x" });
  world.playground.faults.answer("chat.postMessage", "429", { channel: "U0DANA" });

  expect(await world.call("chat.postMessage", { channel: id, text: "x" })).toMatchObject({ error: "ratelimited" });
  expect(await world.call("chat.postMessage", { channel: "U0DANA", text: "x" })).toMatchObject({
    error: "ratelimited",
  });
  expect(await world.call("chat.postMessage", { channel: "U0ALEX", text: "x" })).toMatchObject({ ok: true });
});

test("a response_url fails by the channel it answers in", async () => {
  await world.playground.as("dana").says("/gantry list");
  const url = String(world.bot.last()["response_url"]);
  const answers = async () => (await fetch(url, { method: "POST", body: '{"text":"x"}' })).status;
  world.playground.faults.answer("response_url", { error: "expired_url" }, { channel: "ops", times: 1 });
  world.playground.faults.answer("response_url", { error: "no_permission" }, { channel: "general" });

  expect([await answers(), await answers()]).toEqual([404, 200]);
});

test("any method answers any error code, as many times as asked", async () => {
  const { faults } = world.playground;
  const { ts } = await post();
  const update = () => world.call("chat.update", { channel: "C0OPS", ts, text: "y" });
  faults.answer("chat.update", { error: "is_inactive" }, { channel: "C0OPS", times: 1 });
  const answers = [await update(), await update()];
  faults.answer("conversations.members", { error: "missing_scope", needed: "channels:read" });
  const unscoped = await world.call("conversations.members", { channel: "C0OPS" });
  faults.answerNormally("conversations.members");
  const scoped = await world.call("conversations.members", { channel: "C0OPS" });

  expect(answers).toMatchObject([{ ok: false, error: "is_inactive" }, { ok: true }]);
  expect(unscoped).toMatchObject({ ok: false, error: "missing_scope", needed: "channels:read" });
  expect(unscoped["provided"]).toContain("chat:write,");
  expect(scoped).toMatchObject({ ok: true });
});

describe("each method has the calls of its rate tier in a minute", () => {
  test.each([
    ["usergroups.users.list", 20, { usergroup: "S0ONCALL" }],
    ["usergroups.list", 20, {}],
    ["users.conversations", 50, {}],
    ["users.info", 100, { user: "U0DANA" }],
    ["conversations.members", 100, { channel: "C0OPS" }],
  ])("%s: %i, and one more after a minute", async (method, most, args) => {
    world.playground.faults.enforcesRateTiers = true;
    for (let call = 0; call < most; call += 1) expect(await world.call(method, args)).toMatchObject({ ok: true });
    world.pass(15_000);

    expect(await retryAfter(method, args)).toBe("45");
    expect(await world.call("auth.test", {})).toMatchObject({ ok: true });
    world.pass(44_999);
    expect(await retryAfter(method, args)).toBe("1");
    world.pass(1);
    expect(await world.call(method, args)).toMatchObject({ ok: true });
  });

  test("nothing is counted unless a test asks for it", async () => {
    for (let call = 0; call < 21; call += 1) await world.call("usergroups.list", {});

    expect(await world.call("usergroups.list", {})).toMatchObject({ ok: true });
  });
});
