import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { Due } from "../../../../src/bot/workflow/due-kinds.ts";
import { deliver, type DeliverParts } from "../../../../src/bot/workflow/post/deliver.ts";
import type { PostKind, Readable, SavedPost, Sent, StoredPost } from "../../../../src/bot/workflow/posts.ts";
import { unposted } from "../support/unposted.ts";

const due: Due = {
  kind: "post",
  key: "p1",
  teamId: "T1",
  token: "t",
  leaseMs: 30_000,
  attempts: 1,
  payload: undefined,
  createdAt: new Date(0),
  takenAt: new Date(3_600_000),
};
const text = (words: string) => ({ text: words, blocks: [] });
const card = { channelId: "C1", ts: "1.1" };
const refusal = { reason: "Slack refused it.", reference: "abcd1234" };
const replies = ["one", "two"];
const shown: Extract<Readable, { readonly kind: "shown" }> = {
  kind: "shown",
  card: async ({ isAgain }) => text(isAgain ? "card again" : "card"),
  kept: {
    lacks: ({ sentKeys }) => replies.filter((key) => !sentKeys.includes(key)),
    reply: async (key) => text(key),
    restMs: 2_000,
  },
};

type Scene = {
  readonly stored?: Partial<StoredPost>;
  /** Slack's answers, in order; "sent" when there is none left. */
  readonly answers?: readonly Sent<never>[];
  /** What may be seen each time; the last one stays. */
  readonly reads?: readonly Readable[];
  /** At which save the lease is lost. */
  readonly lostAt?: number;
  /** Slack takes what is told by the address of a command. */
  readonly isAnswerTaken?: boolean | "maybe";
  readonly lateMs?: number;
  /** How long each read of what may be seen takes. */
  readonly slowMs?: number;
  /** How long each call to Slack takes. */
  readonly callMs?: number;
  /** This replica posts it first, and has stored that. */
  readonly isCounted?: boolean;
};

/** One attempt to deliver a message. */
async function delivered(scene: Scene) {
  let elapsedMs = 0;
  const timers: { readonly ms: number; readonly happens: () => void }[] = [];
  /** Until then, what was to happen happens. */
  const passes = async (ms: number): Promise<void> => {
    const end = elapsedMs + ms;
    for (let next = timers.shift(); next !== undefined; next = timers.shift()) {
      elapsedMs = Math.min(end, elapsedMs + next.ms);
      next.happens();
      await nextTurn();
    }
    elapsedMs = end;
  };
  const {
    stored,
    slowMs = 0,
    callMs = 0,
    answers = [],
    reads = [shown],
    lostAt,
    isAnswerTaken = true,
    lateMs,
    isCounted = false,
  } = scene;
  const sent: string[] = [];
  const saved: SavedPost[] = [];
  const left = [...answers];
  const seen = [...reads];
  const answer = async <Value>(what: string, value: Value): Promise<Sent<Value>> => {
    sent.push(what);
    if (callMs > 0) await passes(callMs);
    return left.shift() ?? { kind: "sent", value };
  };
  const happened: string[] = [];
  const parts: DeliverParts = {
    log: pino({ level: "silent" }),
    clock: {
      elapsedMs: () => elapsedMs,
      after(ms, happens) {
        const timer = { ms, happens };
        timers.push(timer);
        return { cancel: () => void timers.splice(0, timers.length, ...timers.filter((each) => each !== timer)) };
      },
    },
    sender: {
      post: ({ place, threadTs }, { text: words }) =>
        answer(`${threadTs === undefined ? place : "reply"}: ${words}`, card),
      update: (_card, { text: words }) => answer(`update: ${words}`, undefined),
      answer: async (url, { text: words }) => {
        sent.push(`${url}: ${words}`);
        return isAnswerTaken;
      },
      remove: async () => void happened.push("removed the message"),
      link: () => Promise.resolve(undefined),
    },
    store: {
      postOf: () => Promise.resolve({ ...unposted, ...stored }),
      async savePost(_due, changed) {
        saved.push(changed);
        return saved.length === lostAt ? "lost" : "held";
      },
      deliverAgain: async () => void happened.push("again"),
      removePost: async (_due, untold = []) => void happened.push(["forgot it", ...untold].join(", untold: ")),
    },
  };
  const kind: PostKind = async () => {
    elapsedMs += slowMs;
    return (seen.length > 1 ? seen.shift() : seen[0]) ?? { kind: "nothing" };
  };
  const end = await deliver(
    parts,
    () => kind,
    lateMs === undefined ? due : { ...due, createdAt: new Date(due.takenAt.getTime() - lateMs) },
    isCounted ? { ...unposted, ...stored } : undefined,
  ).catch((error: unknown) => (error as Error).constructor.name);
  return { end, sent, saved, happened };
}

const last = ({ saved }: { readonly saved: readonly SavedPost[] }): SavedPost | undefined => saved.at(-1);

test("a message is posted with its thread, and what was told is stored before the next reply", async () => {
  const { end, sent, saved } = await delivered({});

  expect(end).toBe("ended");
  expect(sent).toEqual(["C1: card", "reply: one", "reply: two"]);
  expect(saved).toEqual([
    { posts: 1 },
    { card },
    { sentKeys: ["unsure one"] },
    { sentKeys: ["one"] },
    { sentKeys: ["one", "unsure two"] },
    { sentKeys: ["one", "two"] },
    { sentKeys: ["one", "two"], restMs: 2_000, isOver: true },
  ]);
});

test("who may read it is asked before each reply", async () => {
  const scene = await delivered({ reads: [shown, shown, { kind: "nothing" }] });

  expect(scene.sent).toEqual(["C1: card", "reply: one"]);
  expect(last(scene)).toEqual({ sentKeys: ["one"] });
  expect((await delivered({ reads: [shown, { kind: "unknown" }] })).end).toMatchObject({ ms: 60_000 });
});

test("nothing is posted of what nobody there may see, and nothing while that isn't known", async () => {
  expect(await delivered({ reads: [{ kind: "nothing" }] })).toMatchObject({ sent: [], happened: ["forgot it"] });
  expect(await delivered({ reads: [{ kind: "nothing" }], stored: { card } })).toMatchObject({ sent: [], end: "done" });
  expect(await delivered({ reads: [{ kind: "unknown" }] })).toMatchObject({ sent: [], end: { ms: 60_000 } });
});

test("one that rests isn't drawn", async () => {
  const restUntil = new Date(due.takenAt.getTime() + 1);

  expect(await delivered({ stored: { restUntil } })).toMatchObject({ sent: [], end: { at: restUntil } });
});

test.each([
  ["a first message", {}],
  ["an update", { card, posts: 1 }],
])("%s that Slack takes at no time is tried less and less often", async (_what, stored) => {
  const answers = [{ kind: "later", ms: 0, isMaybeSent: false, refusal }] as const; // a literal kind
  const soon = await delivered({ stored, answers, lateMs: 20_000 });
  const later = await delivered({ stored, answers, lateMs: 400_000 });

  expect([soon.end, later.end]).toMatchObject([{ ms: 5_000 }, { ms: 40_000 }]);
});

test.each<readonly [what: string, answer: Sent<never>, ms: number, posts: number]>([
  ["not now", { kind: "later", ms: 90_000, isMaybeSent: false, refusal }, 90_000, 0],
  ["perhaps", { kind: "later", ms: 0, isMaybeSent: true, refusal }, 5_000, 1],
])("a first message that Slack takes %s is posted later", async (_what, answer, ms, posts) => {
  const scene = await delivered({ answers: [answer] });

  expect(scene.end).toEqual({ ms, isFailure: true });
  expect([1, ...scene.saved.flatMap((each) => each.posts ?? [])].at(-1)).toBe(posts);
});

test("a reply that Slack may have taken is sent again, with a note and after growing pauses", async () => {
  const maybe = { kind: "later", ms: 0, isMaybeSent: true, refusal } as const; // a literal kind
  const stored = { card, posts: 1, sentKeys: ["one"] };
  const sent: Sent<never>[] = [{ kind: "sent", value: undefined as never }];

  const first = await delivered({ stored, answers: [...sent, maybe] });
  const second = await delivered({
    stored: { ...stored, sentKeys: last(first)?.sentKeys ?? [] },
    answers: [...sent, maybe],
  });

  expect(last(first)?.sentKeys).toEqual(["one", "unsure two"]);
  expect(second.sent.at(-1)).toMatch(/reply: two\nSent again: you may have it already/u);
  expect(second.end).toEqual({ ms: 5_000, isFailure: true });
  expect(last(second)?.sentKeys).toEqual(["one", "unsure two"]);
});

test("a deleted message is posted once more, and not a third time", async () => {
  const answers = [{ kind: "gone", refusal }] as const; // a literal kind

  expect((await delivered({ stored: { card, posts: 1 }, answers })).sent).toEqual([
    "update: card",
    "C1: card again",
    "reply: one",
    "reply: two",
  ]);
  expect(await delivered({ stored: { card, posts: 2 }, answers })).toMatchObject({
    sent: ["update: card again"],
    happened: ["forgot it"],
  });
});

test("what joined a message that is gone is due again, unless people saw it there", async () => {
  const answers = [{ kind: "gone", refusal }] as const; // a literal kind
  const reads = [{ ...shown, listed: ["i1", "i2"] }];

  expect((await delivered({ stored: { card, posts: 2, listed: ["i1"] }, answers, reads })).happened).toEqual([
    "forgot it, untold: i2",
  ]);
});

test.each([
  ["a first message", {}, true],
  ["an update", { card, posts: 1 }, true],
  ["an update that is too late", { card, posts: 1, sentKeys: replies }, false],
])("%s that Slack refuses waits, and a person is told only if the place is closed", async (_what, stored, isPlace) => {
  const scene = await delivered({ stored, answers: [{ kind: "blocked", by: isPlace ? "place" : "message", refusal }] });

  // Its thread takes news at once.
  expect(scene.end).toEqual({ ms: 60_000, isFailure: isPlace, isDone: false });
  expect(last(scene)?.isBlocked).toBe(true);
  expect(last(scene)?.also !== undefined).toBe(isPlace);
});

test("pauses grow while nobody changes anything", async () => {
  const blockedAt = new Date(due.takenAt.getTime() - 3_600_000);
  const scene = await delivered({
    stored: { blockedAt, sentKeys: ["instead"] },
    answers: [{ kind: "blocked", by: "place", refusal }],
  });

  expect(scene.end).toEqual({ ms: 360_000, isFailure: true, isDone: false });
  expect(last(scene)?.also).toBeUndefined();
});

test("a replica whose lease ended meanwhile sends nothing more, and takes its message back", async () => {
  expect(await delivered({ lostAt: 1 })).toMatchObject({ sent: [], end: "LeaseLost", happened: ["again"] });
  expect(await delivered({ lostAt: 2 })).toMatchObject({
    sent: ["C1: card"],
    end: "LeaseLost",
    happened: ["removed the message", "again"],
  });
});

test("what a message lists is stored with it, for what its readers may see later", async () => {
  const listing: Readable = { ...shown, listed: ["i1", "i2"] };

  expect((await delivered({ reads: [listing] })).saved[1]).toEqual({ card, listed: ["i1", "i2"] });
  expect(last(await delivered({ reads: [listing], stored: { card, sentKeys: replies } }))).toMatchObject({
    listed: ["i1", "i2"],
  });
});

test("what nobody will be told any more is forgotten, also when it is posted", async () => {
  expect(await delivered({ reads: [{ kind: "nothing", isOver: true }], stored: { card } })).toMatchObject({
    happened: ["forgot it"],
  });
});

const quiet: Extract<Readable, { readonly kind: "shown" }> = {
  kind: "shown",
  card: shown.card,
  kept: { lacks: () => [], reply: async () => undefined, complete: (sentKeys) => ["all", ...sentKeys], restMs: 2_000 },
};

test("a message without news in its thread is stored once, with its end", async () => {
  const { end, saved } = await delivered({ reads: [quiet], stored: { posts: 1 }, isCounted: true });

  expect(end).toBe("ended");
  expect(saved).toEqual([{ card, sentKeys: ["all"], restMs: 2_000, isOver: true }]);
  expect(await delivered({ reads: [quiet], stored: { posts: 1 }, isCounted: true, lostAt: 1 })).toMatchObject({
    end: "LeaseLost",
    happened: ["removed the message", "again"],
  });
});

test("one that this replica posts first isn't counted again, and is taken back when Slack doesn't take it", async () => {
  const later = { kind: "later", ms: 0, isMaybeSent: false, refusal } as const; // a literal kind
  const scene = await delivered({ reads: [quiet], stored: { posts: 1 }, isCounted: true, answers: [later] });

  expect(scene.sent).toEqual(["C1: card"]);
  expect(scene.saved).toEqual([{ posts: 0 }]);
});

test("buttons come once the message is stored, because one whose answer is lost must have none", async () => {
  const opening: Readable = { ...quiet, opening: () => text("without buttons") };

  expect((await delivered({ reads: [opening] })).sent).toEqual(["C1: without buttons", "update: card"]);
  const lost = await delivered({ reads: [opening], answers: [{ kind: "later", ms: 0, isMaybeSent: true, refusal }] });
  expect(lost.sent).toEqual(["C1: without buttons"]);
});

test("a message belongs into a thread, and into its place when that is gone", async () => {
  const inThread: Readable = { ...shown, threadTs: "9.9" };
  const gone = { kind: "gone", refusal } as const; // a literal kind

  expect((await delivered({ reads: [inThread] })).sent).toEqual(["reply: card", "reply: one", "reply: two"]);
  expect((await delivered({ reads: [inThread], answers: [gone] })).sent.slice(0, 2)).toEqual([
    "reply: card",
    "C1: card",
  ]);
  const only = await delivered({ reads: [{ ...inThread, isOnlyInThread: true }], answers: [gone] });
  expect(only.sent).toEqual(["reply: card"]);
  expect(last(only)).toMatchObject({ isBlocked: true });
});

test("what is told by the address of a command is told there, or in its place if Slack doesn't take it", async () => {
  const news: Readable = { kind: "shown", card: async () => text("news"), responseUrl: "url" };

  expect(await delivered({ reads: [news] })).toMatchObject({ sent: ["url: news"], happened: ["forgot it"] });
  expect(await delivered({ reads: [news], isAnswerTaken: false })).toMatchObject({ sent: ["url: news", "C1: news"] });

  const again: Readable = { ...news, card: shown.card };
  const maybe = await delivered({ reads: [again], isAnswerTaken: "maybe" });
  expect(maybe.sent).toEqual(["url: card", "C1: card again"]);
  expect(maybe.saved[0]).toEqual({ posts: 1 });
  const since = await delivered({ reads: [again], stored: { posts: 1 } });
  expect(since.sent).toEqual(["url: card again"]);
});

const told = {
  kind: "requester",
  key: "a1 ended",
  teamId: "T1",
  payload: "words",
  place: "U1",
  fallback: undefined,
} as const; // a literal kind
const awaited = (reasons: string[] = []): Readable => ({
  ...quiet,
  isAwaited: true,
  beside: (_told, unshown) => {
    reasons.push(`${unshown?.why} after ${unshown?.lateMs}`);
    if (unshown === undefined) return undefined;
    if (unshown.lateMs < 10_000) return { kind: "soon", ms: 10_000 - unshown.lateMs };
    return { kind: "tell", keys: ["ended"], posts: [told] };
  },
});
const limited = { kind: "later", ms: 600_000, isMaybeSent: false, refusal } as const; // a literal kind

test("who waits is told what a message can't show, once, when it is late", async () => {
  const reasons: string[] = [];
  const soon = await delivered({ reads: [awaited(reasons)], stored: { card }, answers: [limited], lateMs: 4_000 });
  const late = await delivered({ reads: [awaited(reasons)], stored: { card }, answers: [limited], lateMs: 10_000 });
  const again = { card, sentKeys: ["ended"] };
  const once = await delivered({ reads: [awaited(reasons)], stored: again, answers: [limited], lateMs: 20_000 });

  expect(reasons).toEqual(["later after 4000", "later after 10000", "later after 20000"]);
  expect(soon.end).toEqual({ ms: 6_000, isFailure: false });
  expect(last(late)).toEqual({ sentKeys: ["ended"], also: [told] });
  expect(late.end).toEqual({ ms: 600_000, isFailure: false });
  expect(once.saved.flatMap(({ also }) => also ?? [])).toEqual([]);
});

test.each([
  ["is deleted twice", { card, posts: 2 }, { kind: "gone", refusal }, "gone"],
  ["can't be edited", { card, posts: 1 }, { kind: "blocked", by: "message", refusal }, "message"],
  ["has a closed channel", {}, { kind: "blocked", by: "invitation", refusal }, "invitation"],
] as const)(
  "who waits for a message that %s is told, and news is tried at once",
  async (_what, stored, answer, why) => {
    const reasons: string[] = [];
    const scene = await delivered({ reads: [awaited(reasons)], stored, answers: [answer], lateMs: 20_000 });

    expect(reasons).toEqual([`${why} after 20000`]);
    expect(last(scene)).toMatchObject({
      sentKeys: [...(why === "message" ? ["all"] : []), "ended"],
      also: [told],
      isBlocked: true,
    });
    expect(scene.end).toEqual({ ms: 60_000, isFailure: false, isDone: false });
  },
);

test("a message that is shown, whose thread takes nothing, is done for whoever waits for it", async () => {
  const closed = { kind: "blocked", by: "place", refusal } as const; // a literal kind
  const sent = { kind: "sent", value: undefined as never } as const; // a literal kind
  const scene = await delivered({ stored: { card, posts: 1 }, answers: [sent, closed] });

  expect(scene.end).toMatchObject({ isDone: true });
});

test("an update that changes nothing of what is stored ends with its lease, which is renewed only when reading took long", async () => {
  const done = { card, posts: 1, sentKeys: ["all"] };
  const rests: Readable = { ...quiet, kept: { lacks: () => [], reply: async () => undefined, restMs: 0 } };

  expect((await delivered({ reads: [rests], stored: done })).saved).toEqual([{ isOver: true }]);
  expect((await delivered({ reads: [rests], stored: { ...done, blockedAt: new Date(0) } })).saved).toEqual([
    { isBlocked: false, isOver: true },
  ]);
  expect((await delivered({ reads: [rests], stored: done, slowMs: 16_000 })).saved).toEqual([{}, { isOver: true }]);
});

test("who waits is told beside a call that takes long, while it does, and once", async () => {
  const reasons: string[] = [];
  const slow = await delivered({ reads: [awaited(reasons)], stored: { card, posts: 1 }, callMs: 20_000, lateMs: 0 });

  expect(reasons).toEqual(["later after 3000", "later after 10000", "undefined after undefined"]);
  expect(slow.saved).toEqual([
    { sentKeys: ["ended"], also: [told] },
    { sentKeys: ["all", "ended"], restMs: 2_000, isOver: true },
  ]);
  const quick = await delivered({ reads: [awaited()], stored: { card, posts: 1 }, callMs: 0 });
  expect(quick.saved).toEqual([{ sentKeys: ["all"], restMs: 2_000, isOver: true }]);
});

test("after a week, a message that Slack refuses is tried only when there is news", async () => {
  const blockedAt = new Date(due.takenAt.getTime() - 8 * 24 * 3_600_000);
  const answers = [{ kind: "blocked", by: "place", refusal }] as const; // a literal kind

  expect(await delivered({ reads: [awaited()], stored: { card, blockedAt }, answers })).toMatchObject({
    sent: ["update: card"],
    end: "done",
  });
});

test("what readers may not see by now isn't posted in place of a deleted message, nor in place of a deleted thread", async () => {
  const gone = { kind: "gone", refusal } as const; // a literal kind
  const reads: readonly Readable[] = [shown, { kind: "nothing" }];

  const deleted = await delivered({ stored: { card, posts: 1 }, answers: [gone], reads });
  const inThread: Readable = { ...shown, threadTs: "0.1" };
  const first = await delivered({ answers: [gone], reads: [inThread, { kind: "nothing" }] });
  const reply = await delivered({
    stored: { card, posts: 1 },
    answers: [{ kind: "sent", value: undefined as never }, gone],
    reads: [inThread, inThread, { kind: "nothing" }],
  });

  expect(deleted.sent).toEqual(["update: card"]);
  expect(first.sent).toEqual(["reply: card"]);
  expect(reply.sent).toEqual(["update: card", "reply: one"]);
});
