import { expect, test } from "vitest";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import type { Replica } from "./bench.ts";
import {
  ann,
  approvedChange,
  atOnce,
  bob,
  type Bench,
  cleo,
  event,
  ofId,
  pendingChange,
  storyOf,
  terms,
  votes,
} from "./bench.ts";

const two = { terms: { ...terms, votes: 2 } };

export function decisionsContract({ replica }: Bench): void {
  test("with the last vote that is needed it is approved, and ours to carry out", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111", two), event("requested"));

    const first = await a.vote("AAA111", bob, votes);
    const second = await b.vote("AAA111", cleo, votes);

    expect(first).toMatchObject({ kind: "counted", change: { state: "pending", votes: [bob], version: 2 } });
    expect(second).toMatchObject({
      kind: "counted",
      change: { state: "approved", votes: [bob, cleo], approvedAt: expect.any(Date), expiresAt: undefined },
    });
    expect(await storyOf(a, "AAA111")).toEqual(["requested", "voted", "voted", "approved"]);
    expect(ofId(await b.openChanges())).toEqual(["AAA111"]);
    expect(ofId(await a.openChanges())).toEqual([]);
  });

  test("a second vote of the same person, a late one, and one on nothing change nothing", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", two), event("requested"));
    await a.vote("AAA111", bob, votes);

    const twice = await a.vote("AAA111", bob, votes);
    await a.vote("AAA111", cleo, votes);
    const late = await a.vote("AAA111", ann, votes);

    expect(twice).toMatchObject({ kind: "twice", change: { version: 2, votes: [bob] } });
    expect(late).toMatchObject({ kind: "late", change: { state: "approved", votes: [bob, cleo] } });
    expect(await a.vote("NONE", bob, votes)).toEqual({ kind: "missing" });
    expect(await storyOf(a, "AAA111")).toEqual(["requested", "voted", "voted", "approved"]);
  });

  test("of 50 people who approve at once, exactly as many count as are needed, and it is approved once", async () => {
    const replicas = [await replica("a"), await replica("b")] as const; // a pair
    await replicas[0].addChange(pendingChange("AAA111", { terms: { ...terms, votes: 3 } }), event("requested"));

    const results = await atOnce(50, replicas, (store, at) =>
      store.vote("AAA111", { userId: `V${at}`, name: `Voter ${at}` }, votes),
    );

    const kinds = results.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "counted")).toHaveLength(3);
    expect(kinds.filter((kind) => kind === "late")).toHaveLength(47);
    expect(await replicas[1].findChange("AAA111")).toMatchObject({ state: "approved", votes: { length: 3 } });
    expect(await storyOf(replicas[0], "AAA111")).toEqual(["requested", "voted", "voted", "voted", "approved"]);
  });

  test("50 clicks of one person at once are one vote", async () => {
    const replicas = [await replica("a"), await replica("b")] as const; // a pair
    await replicas[0].addChange(pendingChange("AAA111", two), event("requested"));

    const results = await atOnce(50, replicas, (store) => store.vote("AAA111", bob, votes));

    expect(results.filter(({ kind }) => kind === "counted")).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === "twice")).toHaveLength(49);
    expect(await replicas[1].findChange("AAA111")).toMatchObject({ state: "pending", votes: [bob] });
  });

  test("a vote after the time is late, also before somebody has noticed", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", { terms: { ...terms, expiresMs: 1_000 } }), event("requested"));

    a.later(1_100);

    expect(await a.vote("AAA111", bob, votes)).toMatchObject({ kind: "late", change: { votes: [] } });
  });

  test("a rejection and a cancellation end it, with who and why", async () => {
    const a = await replica("a");
    for (const id of ["AAA111", "BBB222"]) await a.addChange(pendingChange(id), event("requested"));
    await a.addChange(approvedChange("CCC333"), event("requested"));

    const rejected = await a.reject("AAA111", { who: bob, reason: "not today" }, event("rejected"));
    const cancelled = await a.cancel("BBB222", ann, event("cancelled"));
    const stopped = await a.cancel("CCC333", ann, event("cancelled"));

    expect(rejected).toMatchObject({
      state: "rejected",
      settledAt: expect.any(Date),
      ending: { kind: "rejected", by: bob, reason: "not today" },
    });
    expect(cancelled).toMatchObject({ state: "cancelled", ending: { kind: "cancelled", by: ann } });
    expect(stopped).toMatchObject({ state: "cancelled" });
    expect(await a.reject("CCC333", { who: bob, reason: undefined }, event("rejected"))).toBeUndefined();
    expect(await storyOf(a, "CCC333")).toEqual(["requested", "cancelled"]);
  });

  test("when one approves and two reject at once, one of them has decided and the story says so", async () => {
    const replicas = [await replica("a"), await replica("b")] as const; // a pair
    const ids = Array.from({ length: 10 }, (_, at) => `ID${at}`);
    for (const id of ids) await replicas[0].addChange(pendingChange(id), event("requested"));

    const answers = await Promise.all(
      ids.map(async (id) => {
        const [voted, ...ended] = await Promise.all([
          replicas[0].vote(id, bob, votes),
          replicas[1].reject(id, { who: cleo, reason: undefined }, event("rejected")),
          replicas[0].reject(id, { who: cleo, reason: undefined }, event("rejected")),
        ]);
        return { id, wins: [voted.kind === "counted", ...ended.map((each) => each !== undefined)] };
      }),
    );

    for (const { id, wins } of answers) {
      expect(wins.filter(Boolean)).toHaveLength(1);
      const state: StoredChange["state"] = wins[0] === true ? "approved" : "rejected";
      expect(await replicas[0].findChange(id)).toMatchObject({ state });
      expect((await storyOf(replicas[0], id)).at(-1)).toBe(state);
    }
  });

  test("when the workload moved, the votes are void and nothing is sent", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111"), event("requested"));
    await a.vote("AAA111", bob, votes);

    // oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
    const moved = [{ field: "instances", then: "6", now: "4", asked: "2" }];
    const drifted = await a.drift("AAA111", moved, event("drifted"));

    expect(drifted).toMatchObject({ state: "drifted", votes: [], ending: { kind: "drifted", drift: moved } });
    expect(await a.findChange("AAA111")).toEqual(drifted);
    expect(await a.claim("AAA111", event("claimed"))).toEqual({ kind: "lost" });
  });

  test("what is refused before it is sent has failed", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));

    const outcome = { kind: "failed", why: "The account is gone.", next: "Connect it." } as const; // a literal kind
    const refused = await a.refuse("AAA111", outcome, event("failed"));

    expect(refused).toMatchObject({ state: "failed", ending: { kind: "run", outcome }, settledAt: expect.any(Date) });
    expect(await a.claim("AAA111", event("claimed"))).toEqual({ kind: "lost" });
  });

  test("a request that is not due any more when its turn comes doesn't expire", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("FIRST1", { terms: { ...terms, expiresMs: 1_000 } }), event("requested"));
    await a.addChange(pendingChange("SECOND", { terms: { ...terms, expiresMs: 1_000 } }), event("requested"));
    a.later(60_000);

    expect(ofId(await a.openChanges())).toEqual(["FIRST1", "SECOND"]);
    const overdue = { was: "pending", withinMs: 0 } as const; // a literal state

    const first = await a.carry("FIRST1", "expire", overdue, event("expired"));
    a.later(-60_000);
    const second = await a.carry("SECOND", "expire", overdue, event("expired"));

    expect([first.kind, second.kind]).toEqual(["moved", "late"]);
    expect(await a.findChange("SECOND")).toMatchObject({ state: "pending" });
  });

  test("what nobody decided or carried out in time expires, once, on any replica", async () => {
    const replicas = [await replica("a"), await replica("b")] as const; // a pair
    await replicas[0].addChange(pendingChange("WAITS"), event("requested"));
    await replicas[0].addChange(pendingChange("SHORT", { terms: { ...terms, expiresMs: 1_000 } }), event("requested"));
    await replicas[0].addChange(approvedChange("READY"), event("requested"));
    const expire = (store: Replica) =>
      store.expireDue(600_000, (change) => event("expired", { result: `${change.id} ${change.ending?.kind}` }));
    const none = await expire(replicas[0]);
    for (const store of replicas) store.later(601_000);

    const expired = await atOnce(6, replicas, expire);

    expect(none).toEqual([]);
    expect(ofId(expired.flat()).toSorted()).toEqual(["READY", "SHORT"]);
    expect(await replicas[0].findChange("SHORT")).toMatchObject({
      state: "expired",
      ending: { kind: "expired", was: "pending" },
    });
    expect(await replicas[0].findChange("READY")).toMatchObject({ ending: { kind: "expired", was: "approved" } });
    expect(await replicas[0].findChange("WAITS")).toMatchObject({ state: "pending" });
    expect(await storyOf(replicas[0], "READY")).toEqual(["requested", "expired"]);
  });
}
