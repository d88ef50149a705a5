import { pino } from "pino";
import { expect, test } from "vitest";
import type { Due } from "../../../src/bot/workflow/due.ts";
import { deliver, type DeliverParts } from "../../../src/bot/workflow/post/deliver.ts";
import type { PostKind, Readable, SavedPost, Sent, StoredPost } from "../../../src/bot/workflow/post/post.ts";

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
const post: StoredPost = {
  id: "p1",
  kind: "alert",
  key: "a1",
  teamId: "T1",
  payload: undefined,
  place: "C1",
  insteadOf: undefined,
  fallback: "U1",
  card: undefined,
  posts: 0,
  told: [],
  listed: [],
  restUntil: undefined,
  blockedAt: undefined,
  createdAt: new Date(0),
};
const text = (words: string) => ({ text: words, blocks: [] });
const card = { channelId: "C1", ts: "1.1" };
const replies = ["one", "two"];
const shown: Readable = {
  kind: "shown",
  card: async ({ isAgain }) => text(isAgain ? "card again" : "card"),
  kept: {
    lacks: ({ told }) => replies.filter((key) => !told.includes(key)),
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
};

/** One attempt to deliver a message. */
async function delivered({ stored, answers = [], reads = [shown], lostAt }: Scene) {
  const sent: string[] = [];
  const saved: SavedPost[] = [];
  const left = [...answers];
  const seen = [...reads];
  const answer = <Value>(what: string, value: Value): Promise<Sent<Value>> => {
    sent.push(what);
    return Promise.resolve(left.shift() ?? { kind: "sent", value });
  };
  const happened: string[] = [];
  const parts: DeliverParts = {
    log: pino({ level: "silent" }),
    wake: () => undefined,
    sender: {
      post: ({ place, threadTs }, { text: words }) =>
        answer(`${threadTs === undefined ? place : "reply"}: ${words}`, card),
      update: (_card, { text: words }) => answer(`update: ${words}`, undefined),
      remove: async () => void happened.push("removed the message"),
      startStream: () => answer("stream", card),
      appendStream: () => answer("append", undefined),
      stopStream: () => answer("stop", undefined),
    },
    store: {
      postOf: () => Promise.resolve({ ...post, ...stored }),
      async savePost(_due, changed) {
        saved.push(changed);
        return saved.length === lostAt ? "lost" : "held";
      },
      announce: () => Promise.resolve(),
      postDue: () => Promise.resolve(true),
      deliverAgain: async () => void happened.push("again"),
      removePost: async () => void happened.push("forgot it"),
    },
  };
  const kind: PostKind = () => Promise.resolve((seen.length > 1 ? seen.shift() : seen[0]) ?? { kind: "nothing" });
  const end = await deliver(
    parts,
    { alert: kind, announcement: kind, digest: kind, "follow end": kind, "watch news": kind },
    due,
  ).catch((error: unknown) => (error as Error).constructor.name);
  return { end, sent, saved, happened };
}

const last = ({ saved }: { readonly saved: readonly SavedPost[] }): SavedPost | undefined => saved.at(-1);

test("a message is posted with its thread, and what was told is stored before the next reply", async () => {
  const { end, sent, saved } = await delivered({});

  expect(end).toBe("done");
  expect(sent).toEqual(["C1: card", "reply: one", "reply: two"]);
  expect(saved).toEqual([
    { posts: 1 },
    { card },
    { told: ["unsure one"] },
    { told: ["one"] },
    { told: ["one", "unsure two"] },
    { told: ["one", "two"] },
    { told: ["one", "two"], restMs: 2_000, isBlocked: false },
  ]);
});

test("who may read it is asked before each reply", async () => {
  const scene = await delivered({ reads: [shown, shown, { kind: "nothing" }] });

  expect(scene.sent).toEqual(["C1: card", "reply: one"]);
  expect(last(scene)).toEqual({ told: ["one"] });
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

test.each<readonly [what: string, answer: Sent<never>, ms: number, posts: number]>([
  ["not now", { kind: "later", ms: 90_000, isMaybeSent: false }, 90_000, 0],
  ["perhaps", { kind: "later", ms: 0, isMaybeSent: true }, 5_000, 1],
])("a first message that Slack takes %s is posted later", async (_what, answer, ms, posts) => {
  const scene = await delivered({ answers: [answer] });

  expect(scene.end).toEqual({ ms, isFailure: true });
  expect([1, ...scene.saved.flatMap((each) => each.posts ?? [])].at(-1)).toBe(posts);
});

test("a reply that Slack may have taken is sent once more, with a note", async () => {
  const maybe = { kind: "later", ms: 0, isMaybeSent: true } as const; // a literal kind
  const stored = { card, posts: 1, told: ["one"] };
  const sent: Sent<never>[] = [{ kind: "sent", value: undefined as never }];

  const first = await delivered({ stored, answers: [...sent, maybe] });
  const second = await delivered({ stored: { ...stored, told: last(first)?.told ?? [] }, answers: [...sent, maybe] });

  expect(last(first)?.told).toEqual(["one", "unsure two"]);
  expect(second.sent.at(-1)).toMatch(/reply: two\nSent again: you may have it already/u);
  expect(second.end).toBe("done");
});

test("a deleted message is posted once more, and not a third time", async () => {
  const answers = [{ kind: "gone" }] as const; // a literal kind

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

test.each([
  ["a first message", {}, true],
  ["an update", { card, posts: 1 }, true],
  ["an update that is too late", { card, posts: 1, told: replies }, false],
])("%s that Slack refuses waits, and a person is told only if the place is closed", async (_what, stored, isPlace) => {
  const scene = await delivered({ stored, answers: [{ kind: "blocked", by: isPlace ? "place" : "message" }] });

  // Its thread takes news at once.
  expect(scene.end).toEqual({ ms: 60_000, isFailure: isPlace });
  expect(last(scene)?.isBlocked).toBe(true);
  expect(last(scene)?.instead !== undefined).toBe(isPlace);
});

test("pauses grow while nobody changes anything", async () => {
  const blockedAt = new Date(due.takenAt.getTime() - 3_600_000);
  const scene = await delivered({
    stored: { blockedAt, told: ["instead"] },
    answers: [{ kind: "blocked", by: "place" }],
  });

  expect(scene.end).toEqual({ ms: 360_000, isFailure: true });
  expect(last(scene)?.instead).toBeUndefined();
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
  expect(last(await delivered({ reads: [listing], stored: { card, told: replies } }))).toMatchObject({
    listed: ["i1", "i2"],
  });
});

test("what nobody will be told any more is forgotten, also when it is posted", async () => {
  expect(await delivered({ reads: [{ kind: "nothing", isOver: true }], stored: { card } })).toMatchObject({
    happened: ["forgot it"],
  });
});
