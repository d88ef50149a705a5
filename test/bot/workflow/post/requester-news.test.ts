import { expect, test } from "vitest";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import type { StoredPost, Unshown } from "../../../../src/bot/workflow/posts.ts";
import { sealContent } from "../../../../src/bot/workflow/stored-request.ts";
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
  ["then its thread tells how it ended", well({ card }), unshown("later", 10_000), { posts: [{ place: "C0OPS" }] }],
  ["without a card, the end is told at once", well(), unshown("later"), { posts: [{ place: "U0DANA" }] }],
  ["a closed channel is told in a direct message", well({ card }), unshown("place"), { posts: [{ place: "U0DANA" }] }],
  ["what can't be edited, in its thread", well({ card }), unshown("message"), { posts: [{ place: "C0OPS" }] }],
  ["a card that was deleted twice", well({ card }), unshown("gone"), { posts: [{ place: "U0DANA" }] }],
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
    posts: [{ key: "7K3M9Q running" }],
  });
  expect(beside(running(4_000), unshown("place"), ["running"])).toBeUndefined();
  expect(beside(well(), unshown("place"), ["running"])).toMatchObject({ keys: ["ended", "all 0 9"] });
});

test("who asked to hear how it ends is told in a direct message, once, whatever the card shows", () => {
  const asked = well({ card, notifies: true });

  expect(beside(asked, undefined)).toMatchObject({ kind: "tell", keys: ["asked"], posts: [{ place: "U0DANA" }] });
  expect(beside(asked, unshown("place"))).toMatchObject({ keys: ["asked"] });
  expect(beside(asked, unshown("later", 4_000))).toEqual({ kind: "soon", ms: 6_000 });
  expect(beside(stored({ notifies: true }), undefined)).toBeUndefined();
});

test("a request in a conversation with the bot is told there", () => {
  expect(beside(well({ channelId: "D1" }), unshown("gone"))).toMatchObject({ posts: [{ place: "D1" }] });
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
  expect(told.beside?.([], unshown("place"))).toMatchObject({ keys: ["elsewhere"], posts: [{ place: "U0DANA" }] });
  expect(told.beside?.([], unshown("later", 4_000))).toEqual({ kind: "soon", ms: 6_000 });
  expect(told.beside?.([], unshown("later", 10_000))).toMatchObject({
    keys: ["elsewhere"],
    posts: [{ place: "U0DANA" }],
  });
  expect(await read(well({ card }), { place: card.channelId, sentKeys: ["elsewhere"] })).toEqual(over);
});

test("of a request in a conversation with the bot, the thread of the card in another channel tells it", async () => {
  const told = await read(well({ channelId: "D1", card }), { place: card.channelId });
  if (told.kind !== "shown") throw new Error("nothing was told");

  expect(told.threadTs).toBe(card.ts);
  expect(told.beside?.([], unshown("place"))).toMatchObject({ posts: [{ place: "D1" }] });
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
  expect(told.beside?.([], unshown("place"))).toMatchObject({
    keys: ["elsewhere"],
    posts: [{ place: card.channelId }],
  });
  const inThread = await read(change, { place: card.channelId }, "asked");
  expect(inThread.kind === "shown" && inThread.beside?.([], unshown("place"))).toEqual({ kind: "soon", ms: 1_000 });
});

/** What Ann reads of a request of hers in #ops whose workload is in trouble. */
async function readByAnn({ policy, more, gone }: { policy?: string; more?: Partial<StoredChange>; gone?: true }) {
  const { deps } = await desk(policy === undefined ? {} : { policy });
  const { sealer } = deps;
  const content = { ask: { verb: "restart", share: false, args: {} }, responseUrl: "https://hooks.example/1" };
  const change = well({
    requester: { userId: "U1", name: "Ann Lee" },
    account: { owner: { kind: "workspace" }, username: "acme" },
    health: { kind: "trouble", line: "exit 3", excerpt: [] },
    sealed: sealContent(sealer, "7K3M9Q", content),
    ...more,
  });
  const account = { owner: change.account.owner, username: change.account.username, token: "t" };
  const store = { ...deps.store, find: () => Promise.resolve(change) };
  const accounts = { ...deps.accounts, reopen: () => Promise.resolve(account) };
  const channelMembers = () => Promise.resolve(new Set(gone ? ["B1"] : ["B1", "U1"]));
  const people = { ...deps.people, channelMembers };
  const told = await requesterPost({ ...deps, accounts, people, clock, store })({
    ...unposted,
    kind: "requester",
    key: "7K3M9Q after",
    teamId: change.teamId,
    payload: JSON.stringify({ change: "7K3M9Q", news: "after" }),
    place: "U1",
    createdAt: now,
  });
  if (told.kind !== "shown") throw new Error("nothing was told");
  return { responseUrl: told.responseUrl, text: (await told.card({ isAgain: false })).text };
}

const all = "{ name: all, who: members, does: [read, disruptive], then: allow }";

test("beside a command, news tells nothing that policy hides in the channel of the command", async () => {
  const policy = `rules: [{ name: hidden, who: everyone, where: C0OPS, does: read, then: refuse }, ${all}]`;
  const { responseUrl, text } = await readByAnn({ policy });

  expect(responseUrl).toBeDefined();
  expect(text).toContain("web");
  expect(text).not.toMatch(/exit 3/iu);
});

test("whoever left a channel learns nothing more by the account of the channel", async () => {
  const policy = `rules: [${all}]`;
  const more = { account: { owner: { kind: "channel", channelId: "C0OPS" }, username: "team" }, card } as const; // literals

  expect((await readByAnn({ policy, more })).text).toMatch(/exit 3/iu);
  expect((await readByAnn({ policy, more, gone: true })).text).not.toMatch(/exit 3/iu);
});
