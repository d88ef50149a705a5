import { afterEach, beforeEach, expect, test } from "vitest";
import { doDeed } from "./support/deed.ts";
import { type SmallWorld, startSmallWorld } from "./support/small-world.ts";

let world: SmallWorld;
beforeEach(async () => {
  world = await startSmallWorld();
});
afterEach(async () => {
  await world.stop();
});

const does = async (deed: string, body: Parameters<typeof doDeed>[2]) => doDeed(world.url, deed, body);

test("trouble is switched on and off, and cleared", async () => {
  await does("trouble", { answers: "429", slowMs: 5, deliverTwice: true });
  const limited = await world.call("auth.test", {});
  await does("trouble", { answers: "" });
  const normal = await world.call("auth.test", {});
  await does("trouble", { clear: true });

  expect(limited).toEqual({ ok: false, error: "ratelimited" });
  expect(normal).toMatchObject({ ok: true });
  expect(world.playground.trouble).toMatchObject({ slowMs: 0, deliverTwice: false });
});

test("the bot is taken out of a channel and let in again", async () => {
  await does("trouble", { bot: { channel: "C0OPS", isIn: false } });
  const out = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });
  await does("trouble", { bot: { channel: "C0OPS", isIn: true } });
  const back = await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });

  expect(out).toMatchObject({ ok: false, error: "not_in_channel" });
  expect(back).toMatchObject({ ok: true });
});

test("what goes wrong outside of Slack is switched by whoever started the playground", async () => {
  await world.stop();
  const set: boolean[] = [];
  world = await startSmallWorld({ extraTrouble: [{ label: "The API is down", set: (on) => void set.push(on) }] });
  await does("trouble", { extra: { label: "The API is down", on: true } });
  await does("trouble", { clear: true });
  const unknown = await does("trouble", { extra: { label: "The sky falls", on: true } });

  expect(set).toEqual([true, false]);
  expect(unknown).toEqual({ status: 400, body: { error: 'There is no trouble "The sky falls".' } });
});
