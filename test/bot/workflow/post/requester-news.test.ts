import { expect, test } from "vitest";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import type { StoredPost, Unshown } from "../../../../src/bot/workflow/posts.ts";
import { besideCard, requesterPost } from "../../../../src/bot/workflow/post/requester-news.ts";
import { ended, run, stored } from "../../views/support/stored-changes.ts";
import { desk } from "../support/desk.ts";
import { unposted } from "../support/unposted.ts";

const now = new Date("2026-11-30T12:00:00Z");
const clock = { now: () => now } as Awaited<ReturnType<typeof desk>>["deps"]["clock"]; // nothing else is asked of it
const done = run({ kind: "done", after: undefined, alsoMoved: [] });
const refusal = { reason: "the channel is archived.", reference: "abcd1234" };
const card = { channelId: "C0OPS", ts: "1.1" };
const reached = { kind: "reached", line: "", excerpt: [] } as const; // a literal kind

const unshown = (why: Unshown["why"], lateMs = 0): Unshown => ({ why, refusal, lateMs });
const well = (other: Partial<StoredChange> = {}): StoredChange =>
  ended("done", { ending: done, health: reached, settledAt: now, createdAt: now, ...other });

function beside(change: StoredChange, why: Unshown | undefined, sentKeys: readonly string[] = []) {
  return besideCard({ clock }, { change, complete: ["all 0 9"], sentKeys, unshown: why });
}

test.each([
  ["who sees the card is told nothing beside it", well({ card }), undefined, undefined],
  ["a card that is late gets ten seconds", well({ card }), unshown("later", 4_000), { kind: "soon", ms: 6_000 }],
  ["then its thread tells how it ended", well({ card }), unshown("later", 10_000), { post: { place: "C0OPS" } }],
  ["without a card, the end is told at once", well(), unshown("later"), { post: { place: "U0DANA" } }],
  ["a closed channel is told in a direct message", well({ card }), unshown("place"), { post: { place: "U0DANA" } }],
  ["what can't be edited, in its thread", well({ card }), unshown("message"), { post: { place: "C0OPS" } }],
  ["a card that was deleted twice", well({ card }), unshown("gone"), { post: { place: "U0DANA" } }],
  ["a token that is refused leads nowhere", well({ card }), unshown("app"), undefined],
  ["only its thread lacks something", well({ card }), unshown("thread"), undefined],
] as const)("%s", (_what, change, why, expected) => {
  const told = beside(change, why);

  if (expected === undefined) expect(told).toBeUndefined();
  else expect(told).toMatchObject(expected);
});

test("trouble is told beside a thread that takes nothing", () => {
  const failing = well({ card, health: { kind: "trouble", line: "exit 1", excerpt: [] } });

  expect(beside(failing, unshown("thread"))).toMatchObject({ kind: "tell", keys: ["after", "all 0 9"] });
  expect(beside(failing, unshown("thread"), ["after"])).toBeUndefined();
});

test("that it runs is told once, after three seconds without a card, and its end after that", () => {
  const since = (ms: number) => ({ createdAt: new Date(now.getTime() - ms), settledAt: undefined });
  const running = (ms: number) => ended("claimed", since(ms));

  expect(beside(running(1_000), unshown("place"))).toEqual({ kind: "soon", ms: 2_000 });
  expect(beside(running(4_000), unshown("place"))).toMatchObject({
    keys: ["running"],
    post: { key: "7K3M9Q running" },
  });
  expect(beside(running(4_000), unshown("place"), ["running"])).toBeUndefined();
  expect(beside(well(), unshown("place"), ["running"])).toMatchObject({ keys: ["ended", "all 0 9"] });
});

test("who asked to hear how it ends is told in a direct message, once, whatever the card shows", () => {
  const asked = well({ card, notifies: true });

  expect(beside(asked, undefined)).toMatchObject({ kind: "tell", keys: ["asked"], post: { place: "U0DANA" } });
  expect(beside(asked, unshown("place"))).toMatchObject({ keys: ["asked"] });
  expect(beside(asked, unshown("later", 4_000))).toEqual({ kind: "soon", ms: 6_000 });
  expect(beside(stored({ notifies: true }), undefined)).toBeUndefined();
});

test("a request in a conversation with the bot is told there", () => {
  expect(beside(well({ channelId: "D1" }), unshown("gone"))).toMatchObject({ post: { place: "D1" } });
});

async function read(change: StoredChange | undefined, other: Partial<StoredPost> = {}, news = "ended") {
  const { deps } = await desk();
  const store = { ...deps.store, find: () => Promise.resolve(change) };
  const why = { ...refusal, isThread: false, canInvite: true };
  return requesterPost({ ...deps, clock, store })({
    ...unposted,
    id: "n1",
    kind: "requester",
    key: `7K3M9Q ${news}`,
    teamId: change?.teamId ?? "T1",
    payload: JSON.stringify({ change: "7K3M9Q", news, ...(news !== "asked" && { why }) }),
    place: "U0DANA",
    fallback: undefined,
    createdAt: now,
    ...other,
  });
}

const over = { kind: "nothing", isOver: true };

test("news says how to invite the bot where that helps, and nothing that is outdated by now", async () => {
  const told = await read(well());
  if (told.kind !== "shown") throw new Error("nothing was told");

  expect((await told.card({ isAgain: false })).text).toMatch(/web[\s\S]*invite/u);
  expect((await told.card({ isAgain: true })).text).toContain("Sent again");
  expect(await read(undefined)).toEqual(over);
  expect(await read(well(), { createdAt: new Date(now.getTime() - 49 * 3_600_000) })).toEqual(over);
  // It has ended, and that is told by other news.
  expect(await read(well(), {}, "running")).toEqual(over);
  expect(await read(stored({ card }), {}, "waiting")).toEqual(over);
  expect(await read(stored(), {}, "waiting")).toMatchObject({ kind: "shown" });
});

test("a thread that takes nothing for long hands over to a direct message, and is over", async () => {
  const told = await read(well({ card }), { place: card.channelId });
  if (told.kind !== "shown") throw new Error("nothing was told");

  expect(told.threadTs).toBe(card.ts);
  expect(told.beside?.([], unshown("place"))).toMatchObject({ keys: ["elsewhere"], post: { place: "U0DANA" } });
  expect(told.beside?.([], unshown("later", 4_000))).toEqual({ kind: "soon", ms: 6_000 });
  expect(told.beside?.([], unshown("later", 10_000))).toMatchObject({ keys: ["elsewhere"], post: { place: "U0DANA" } });
  expect(await read(well({ card }), { place: card.channelId, sentKeys: ["elsewhere"] })).toEqual(over);
});

test("of a request in a conversation with the bot, the thread of the card in another channel tells it", async () => {
  const told = await read(well({ channelId: "D1", card }), { place: card.channelId });
  if (told.kind !== "shown") throw new Error("nothing was told");

  expect(told.threadTs).toBe(card.ts);
  expect(told.beside?.([], unshown("place"))).toMatchObject({ post: { place: "D1" } });
});

test("a direct message that takes nothing leaves it to the address of the command", async () => {
  const told = await read(well({ card }));
  if (told.kind !== "shown") throw new Error("nothing was told");

  expect(told.beside?.([], unshown("place"))).toEqual({ kind: "soon", ms: 1_000 });
  const again = await read(well({ card }), { blockedAt: now });
  expect(again.kind === "shown" && again.beside?.([], unshown("place"))).toBeUndefined();
});

test("what was asked for says where the card is, and stands in its thread if the direct message takes nothing", async () => {
  const change = well({ card, notifies: true });
  const told = await read(change, {}, "asked");
  if (told.kind !== "shown") throw new Error("nothing was told");

  expect((await told.card({ isAgain: false })).text).toMatch(/You asked to hear how it ends\. Its card is in/u);
  expect(told.responseUrl).toBeUndefined();
  expect(told.beside?.([], unshown("place"))).toMatchObject({ keys: ["elsewhere"], post: { place: card.channelId } });
  const inThread = await read(change, { place: card.channelId }, "asked");
  expect(inThread.kind === "shown" && inThread.beside?.([], unshown("place"))).toEqual({ kind: "soon", ms: 1_000 });
});
