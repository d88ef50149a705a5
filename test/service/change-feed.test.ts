import { expect, test } from "vitest";
import { makeChangeFeed, type ChangesRequest } from "../../src/service/change-feed.ts";

const never = new AbortController().signal;
const asked = (more: Partial<ChangesRequest> = {}): ChangesRequest => ({
  username: "dana",
  region: "us",
  after: undefined,
  waitMs: 0,
  signal: never,
  ...more,
});

test("a first request names both lists, and the next one what changed since", async () => {
  const feed = makeChangeFeed(0);

  const first = await feed.read(asked());
  expect(first.changed).toEqual(["service", "job"]);
  expect(await feed.read(asked({ after: first.cursor }))).toEqual({ cursor: first.cursor, changed: [] });

  feed.note({ username: "dana", region: "us", kind: "job" });
  const second = await feed.read(asked({ after: first.cursor }));
  expect(second.changed).toEqual(["job"]);
  expect(second.cursor).not.toBe(first.cursor);
  // A client that lost the answer asks with its old cursor, and hears it again.
  expect(await feed.read(asked({ after: first.cursor }))).toEqual(second);
});

test("who waits is told as soon as something changes, with all that comes right after it", async () => {
  const feed = makeChangeFeed(20);
  const { cursor } = await feed.read(asked());

  const waiting = feed.read(asked({ after: cursor, waitMs: 60_000 }));
  feed.note({ username: "dana", region: "us", kind: "service" });
  feed.note({ username: "dana", region: "us", kind: "job" });

  expect((await waiting).changed).toEqual(["service", "job"]);
});

test("other users and other regions aren't told", async () => {
  const feed = makeChangeFeed(0);
  const [dana, elsewhere, kim] = [asked(), asked({ region: "beijing1" }), asked({ username: "kim" })];
  const cursors = await Promise.all([dana, elsewhere, kim].map((each) => feed.read(each)));

  feed.note({ username: "dana", region: "us", kind: "service" });

  const next = await Promise.all(
    [dana, elsewhere, kim].map((each, at) => feed.read({ ...each, after: cursors[at]?.cursor })),
  );
  expect(next.map(({ changed }) => changed)).toEqual([["service"], [], []]);
});

test.each(["", "x", "1", ".", "x.0", "x.-1", "x.1e3", "x.99999999999999999999"])(
  "a cursor that this process didn't give, as from before a restart, counts as a change of everything: %j",
  async (after) => {
    const feed = makeChangeFeed(0);
    expect((await feed.read(asked({ after, waitMs: 60_000 }))).changed).toEqual(["service", "job"]);
  },
);

test("a cursor from the future of this process is none of its own", async () => {
  const feed = makeChangeFeed(0);
  const { cursor } = await feed.read(asked());
  const ahead = cursor.replace(/\.\d+$/u, ".7");
  expect((await feed.read(asked({ after: ahead, waitMs: 60_000 }))).changed).toEqual(["service", "job"]);
});

test("a client that goes and a server that stops end the wait", async () => {
  const feed = makeChangeFeed(60_000);
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
  const feed = makeChangeFeed(0);
  const { cursor } = await feed.read(asked());
  const waiting = Array.from({ length: 100 }, () => feed.read(asked({ after: cursor, waitMs: 60_000 })));

  await expect(feed.read(asked({ after: cursor }))).rejects.toMatchObject({ status: 429, retryAfterSeconds: 5 });
  expect((await feed.read(asked({ username: "kim" }))).changed).toEqual(["service", "job"]);

  feed.note({ username: "dana", region: "us", kind: "job" });
  expect(new Set((await Promise.all(waiting)).flatMap(({ changed }) => changed))).toEqual(new Set(["job"]));
  // They are over, so there is room again.
  expect((await feed.read(asked({ after: cursor }))).changed).toEqual(["job"]);
});
