import { expect, test } from "vitest";
import { type Due, dueKinds } from "../../../../src/bot/workflow/due-kinds.ts";
import type { StoredPost } from "../../../../src/bot/workflow/posts.ts";
import { unposted } from "../../workflow/support/unposted.ts";
import { type Bench, type Replica, takeOne } from "./bench.ts";

const LEASE_MS = dueKinds.post.leaseMs;
const card = { channelId: "C1", ts: "1.1" };

function given(due: Due | undefined): Due {
  if (due === undefined) throw new Error("nothing is due");
  return due;
}

async function taken(store: Replica): Promise<Due> {
  return given(await takeOne(store, "post"));
}

async function postOf(store: Replica, due: Due): Promise<StoredPost> {
  const post = await store.postOf(due);
  if (post === undefined) throw new Error("the message is gone");
  return post;
}

export function postsContract({ replica, db }: Bench): void {
  /** A message that is due. */
  const planted = async () => {
    const row = { kind: "alert", key: "a1", team_id: "T1", place: "C1", fallback: "U1", created_at: "2026" } as const; // a literal kind
    await db()
      .insertInto("post")
      .values({ ...row, id: "p1", posts: 0, told: "[]" })
      .execute();
    const due = { kind: "post", key: "p1", team_id: "T1", attempts: 0, at: "2026", created_at: "2026" } as const; // a literal kind
    await db().insertInto("due").values(due).execute();
  };

  test("what became of a message is stored with its lease", async () => {
    const a = await replica("a");
    await planted();
    const due = await taken(a);
    expect(await postOf(a, due)).toEqual({ ...unposted, createdAt: new Date("2026") });

    a.later(LEASE_MS - 1_000);
    expect(await a.savePost(due, { posts: 1 })).toBe("held");
    expect(await a.savePost(due, { card })).toBe("held");
    expect(await a.savePost(due, { sentKeys: ["lines"], listed: ["i1"], isBlocked: true, restMs: 1_000 })).toBe("held");
    expect(await a.savePost(due, {})).toBe("held");
    a.later(LEASE_MS - 1_000);

    expect(await takeOne(a, "post")).toBeUndefined();
    const stored = await postOf(a, due);
    expect(stored).toMatchObject({ card, posts: 1, sentKeys: ["lines"], listed: ["i1"] });
    const { restUntil, blockedAt } = stored;
    expect((restUntil?.getTime() ?? 0) - (blockedAt?.getTime() ?? 0)).toBeCloseTo(1_000, -2);
    await a.savePost(due, { isBlocked: true });
    expect((await postOf(a, due)).blockedAt).toEqual(blockedAt);
    await a.savePost(due, { isBlocked: false });
    expect((await postOf(a, due)).blockedAt).toBeUndefined();
  });

  test("what shows all is over, until something new happens", async () => {
    const a = await replica("a");
    await planted();
    const due = await taken(a);

    expect(await a.savePost(due, { card, isOver: true })).toBe("held");
    expect(await a.savePost(due, { posts: 2 })).toBe("lost");
    expect(await takeOne(a, "post")).toBeUndefined();
    expect(await postOf(a, due)).toMatchObject({ card, posts: 0 });
    await a.deliverAgain(due);
    const again = await taken(a);
    await a.deliverAgain(again);
    expect(await a.savePost(again, { isOver: true })).toBe("again");
    expect(await takeOne(a, "post")).toMatchObject({ key: "p1" });
  });

  test("a replica that was too slow stores only a card that nobody has", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await planted();
    const slow = await taken(a);
    b.later(LEASE_MS + 1_000);
    const next = await taken(b);

    expect(await a.savePost(slow, { posts: 9 })).toBe("lost");
    expect(await a.savePost(slow, { card })).toBe("adopted");
    expect(await a.savePost(slow, { card: { channelId: "C1", ts: "2.2" } })).toBe("lost");
    await a.removePost(slow);

    expect(await postOf(b, next)).toMatchObject({ card, posts: 0 });
    await a.deliverAgain(slow);
    await b.endDue(next);
    expect(await takeOne(b, "post")).toBeDefined();
  });

  test("a message is scheduled with the end of other work, once", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const row = { kind: "digest", key: "w1", team_id: "T1", attempts: 0, at: "2026", created_at: "2026" } as const; // a literal kind
    await db().insertInto("due").values(row).execute();
    const slow = given(await takeOne(a, "digest"));
    b.later(61_000);
    const due = given(await takeOne(b, "digest"));
    const post = {
      kind: "digest",
      key: "w1 2026",
      teamId: "T1",
      payload: "words",
      place: "C1",
      fallback: "U1",
    } as const; // a literal kind
    const next = { at: new Date("2100-01-01"), payload: "the next one" };

    expect(await a.postDue(slow, post, next)).toBe(false);
    expect(await b.postDue(due, { ...post, posts: 1 }, next)).toBe(true);

    expect(await postOf(b, await taken(b))).toMatchObject({ ...post, posts: 1 });
    expect(await takeOne(b, "post")).toBeUndefined();
    const left = await db().selectFrom("due").select(["at", "token"]).where("kind", "=", "digest").execute();
    expect(left).toEqual([{ at: "2100-01-01T00:00:00.000Z", token: null }]);
  });

  test("what is removed isn't delivered again", async () => {
    const a = await replica("a");
    await planted();
    const due = await taken(a);

    await a.removePost(due);
    await a.deliverAgain(due);

    expect(await a.postOf(due)).toBeUndefined();
    expect(await takeOne(a, "post")).toBeUndefined();
  });

  test("a person gets a message instead of the channel, once", async () => {
    const a = await replica("a");
    await planted();
    const first = await taken(a);
    const also = {
      kind: "alert",
      key: "a1",
      teamId: "T1",
      payload: "words",
      place: "U1",
      insteadOf: "C1",
      fallback: undefined,
    } as const; // a literal kind

    await a.savePost(first, { sentKeys: ["instead"], also: [also] });
    await a.savePost(first, { also: [{ ...also, payload: undefined }] });
    await a.savePost({ ...first, token: "of another replica" }, { also: [{ ...also, key: "a2" }] });

    const due = await taken(a);
    const instead = {
      kind: "alert",
      key: "a1",
      place: "U1",
      insteadOf: "C1",
      fallback: undefined,
      payload: "words",
    } as const; // a literal kind
    expect(await postOf(a, due)).toMatchObject(instead);
    expect(await takeOne(a, "post")).toBeUndefined();
    expect(await a.postOf({ ...due, teamId: "T2" })).toBeUndefined();
  });
}
