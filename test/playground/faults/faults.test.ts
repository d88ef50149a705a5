import { ErrorCode } from "@slack/web-api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type SmallWorld, startSmallWorld } from "../support/small-world.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

const post = () => world.post({ channel: "C0OPS", text: "x" });

test("429 comes with Retry-After, as many times as asked", async () => {
  world.playground.faults.retryAfterSeconds = 7;
  world.playground.faults.answer("chat.postMessage", "429", 1);
  const headers = { authorization: "Bearer xoxb-for-tests", "content-type": "application/json" };
  const refused = await fetch(`${world.url}/api/chat.postMessage`, { method: "POST", headers, body: "{}" });
  const after = await post();

  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("7");
  expect(after.ok).toBe(true);
});

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
  world.playground.faults.lateMs = 30;
  world.playground.faults.answer("chat.postMessage", "late", 1);
  const late = await post();
  const after = await post();

  expect([late.ok, after.ok]).toEqual([true, true]);
  expect(world.playground.messages("ops")).toHaveLength(2);
  expect(world.playground.transcript()[0]?.ms).toBeGreaterThanOrEqual(29);
});

test("blocks can be refused, and what has none is taken", async () => {
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
  const { channel } = await world.call("conversations.info", { channel: "C0OPS" });

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
  world.playground.faults.slowMs = 30;
  await post();

  expect(world.playground.transcript().at(-1)?.ms).toBeGreaterThanOrEqual(29);
});

test("delivered twice is the same request twice", async () => {
  world.playground.faults.deliverTwice = true;
  await world.playground.as("dana").says("/gantry list");
  const [first, second] = world.bot.received;

  expect(world.bot.received).toHaveLength(2);
  expect(second?.raw).toBe(first?.raw);
});

test("a response_url can fail too", async () => {
  await world.playground.as("dana").says("/gantry list");
  world.playground.faults.answer("response_url", "500", 1);
  const answer = await fetch(String(world.bot.last()["response_url"]), { method: "POST", body: '{"text":"x"}' });

  expect(answer.status).toBe(500);
});
