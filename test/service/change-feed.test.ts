import { expect, test } from "vitest";
import { stillClock } from "../support/test-clock.ts";
import { makeChangeFeed } from "../../src/service/change-feed.ts";
import type { ChangesRequest } from "../../src/service/engine.ts";

const never = new AbortController().signal;
/** What comes right after a change is told with it. */
const GATHER_MS = 200;

function makeFeed() {
  const clock = stillClock();
  const feed = makeChangeFeed(clock);
  /** The answer to a request when something has changed. */
  const told = async (request: ChangesRequest) => {
    const answer = feed.read(request);
    await clock.passMs(GATHER_MS);
    return await answer;
  };
  return { clock, feed, told };
}

const asked = (more: Partial<ChangesRequest> = {}): ChangesRequest => ({
  username: "dana",
  region: "us",
  after: undefined,
  waitMs: 0,
  signal: never,
  ...more,
});

test("a first request names both lists, and the next one what changed since", async () => {
  const { feed, told } = makeFeed();

  const first = await feed.read(asked());
  expect(first.changed).toEqual(["service", "job"]);
  expect(await told(asked({ after: first.cursor }))).toEqual({ cursor: first.cursor, changed: [] });

  feed.note({ username: "dana", region: "us", kind: "job" });
  const second = await told(asked({ after: first.cursor }));
  expect(second.changed).toEqual(["job"]);
  expect(second.cursor).not.toBe(first.cursor);
  // A client that lost the answer asks with its old cursor, and hears it again.
  expect(await told(asked({ after: first.cursor }))).toEqual(second);
});

test("who waits is told as soon as something changes, with all that comes right after it", async () => {
  const { clock, feed } = makeFeed();
  const { cursor } = await feed.read(asked());

  const waiting = feed.read(asked({ after: cursor, waitMs: 60_000 }));
  feed.note({ username: "dana", region: "us", kind: "service" });
  await clock.passMs(GATHER_MS - 1);
  feed.note({ username: "dana", region: "us", kind: "job" });
  await clock.passMs(1);

  expect((await waiting).changed).toEqual(["service", "job"]);
});

test("a wait without a change ends after the time that was asked for", async () => {
  const { clock, feed } = makeFeed();
  const { cursor } = await feed.read(asked());
  const waiting = feed.read(asked({ after: cursor, waitMs: 60_000 }));
  await clock.passMs(60_000);

  expect(await waiting).toEqual({ cursor, changed: [] });
});

test("other users and other regions aren't told", async () => {
  const { feed, told } = makeFeed();
  const [dana, elsewhere, kim] = [asked(), asked({ region: "beijing1" }), asked({ username: "kim" })];
  const cursors = await Promise.all([dana, elsewhere, kim].map((each) => feed.read(each)));

  feed.note({ username: "dana", region: "us", kind: "service" });

  const next = await Promise.all(
    [dana, elsewhere, kim].map((each, at) => told({ ...each, after: cursors[at]?.cursor })),
  );
  expect(next.map(({ changed }) => changed)).toEqual([["service"], [], []]);
});

test.each(["", "x", "1", ".", "x.0", "x.-1", "x.1e3", "x.99999999999999999999"])(
  "a cursor that this process didn't give, as from before a restart, counts as a change of everything: %j",
  async (after) => {
    const { feed } = makeFeed();
    expect((await feed.read(asked({ after, waitMs: 60_000 }))).changed).toEqual(["service", "job"]);
  },
);

test("a cursor from the future of this process is none of its own", async () => {
  const { feed } = makeFeed();
  const { cursor } = await feed.read(asked());
  const ahead = cursor.replace(/\.\d+$/u, ".7");
  expect((await feed.read(asked({ after: ahead, waitMs: 60_000 }))).changed).toEqual(["service", "job"]);
});

test("a client that goes and a server that stops end the wait", async () => {
  const { feed } = makeFeed();
  const { cursor } = await feed.read(asked());
  const client = new AbortController();

  const [gone, stopped] = [
    feed.read(asked({ after: cursor, waitMs: 60_000, signal: client.signal })),
    feed.read(asked({ after: cursor, waitMs: 60_000 })),
  ];
  client.abort();
  expect((await gone).changed).toEqual([]);
  feed.close();
  expect((await stopped).changed).toEqual([]);
});

test("a user may have 100 requests that wait; another user isn't held up", async () => {
  const { clock, feed, told } = makeFeed();
  const { cursor } = await feed.read(asked());
  const waiting = Array.from({ length: 100 }, () => feed.read(asked({ after: cursor, waitMs: 60_000 })));

  await expect(feed.read(asked({ after: cursor }))).rejects.toMatchObject({ status: 429, retryAfterSeconds: 5 });
  expect((await feed.read(asked({ username: "kim" }))).changed).toEqual(["service", "job"]);

  feed.note({ username: "dana", region: "us", kind: "job" });
  await clock.passMs(GATHER_MS);
  expect(new Set((await Promise.all(waiting)).flatMap(({ changed }) => changed))).toEqual(new Set(["job"]));
  // They are over, so there is room again.
  expect((await told(asked({ after: cursor }))).changed).toEqual(["job"]);
});
