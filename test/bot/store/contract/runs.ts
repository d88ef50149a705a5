import { redactLines } from "../../../../src/bot/logs/redact.ts";
import { expect, test } from "vitest";
import { type Health, wayBackDelivery } from "../../../../src/bot/changes/stored-change.ts";
import {
  approvedChange,
  atOnce,
  type Bench,
  cardsDue,
  done,
  event,
  ofId,
  pendingChange,
  storyOf,
  unknown,
} from "./bench.ts";

const claimed = event("claimed");
const sameWorkload = { workload: { kind: "service", region: "us", name: "web", uid: "u" } } as const; // a literal kind

export function runsContract({ replica, db }: Bench): void {
  test("of 50 who want to send at once over two replicas, exactly one may", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(approvedChange("AAA111"), event("requested"));

    const results = await atOnce(50, [a, b], (store) => store.claim("AAA111", claimed));

    expect(results.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === "lost")).toHaveLength(49);
    expect(await b.findChange("AAA111")).toMatchObject({ state: "claimed", claimedAt: expect.any(Date) });
    expect(await storyOf(a, "AAA111")).toEqual(["requested", "claimed"]);
  });

  test("what a Run found is stored with its claim, and what was erased stays erased", async () => {
    const a = await replica("a");
    const found = { sealed: "g1.k1.FOUND", diff: ["image a → b"] };
    for (const id of ["AAA111", "BBB222"]) await a.addChange(approvedChange(id), event("requested"));
    const erased = { sealed: "", diff: JSON.stringify(["(erased)"]) };
    await db().updateTable("change").set(erased).where("id", "=", "BBB222").execute();

    for (const id of ["AAA111", "BBB222"]) await a.carry(id, "claim", { found }, claimed);

    expect(await a.findChange("AAA111")).toMatchObject({ state: "claimed", ...found });
    expect(await a.findChange("BBB222")).toMatchObject({ state: "claimed", sealed: "", diff: ["(erased)"] });
  });

  test("a change that waits knows which request runs on its workload, also as the next part of several", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111", sameWorkload), event("requested"));
    await a.addChange(approvedChange("BBB222", sameWorkload), event("requested"));
    const [first, next] = [await a.findChange("AAA111"), await a.findChange("BBB222")];
    if (first === undefined || next === undefined) throw new Error("there is none");

    expect(await a.waitsFor(next)).toBeUndefined();
    await a.claim("AAA111", claimed);
    expect(await a.waitsFor(next)).toBe("AAA111");
    expect(await a.waitsFor(first)).toBeUndefined();
    const over = { ...next, state: "done", settledAt: new Date() } as const; // a literal state
    expect(await a.waitsFor({ ...next, id: "CCC333", state: "claimed", parts: [over, next] })).toBe("AAA111");
  });

  test("a replica cannot send what another one carries out", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(approvedChange("AAA111"), event("requested"));

    expect(await b.claim("AAA111", claimed)).toEqual({ kind: "lost" });
    expect((await a.claim("AAA111", claimed)).kind).toBe("claimed");
  });

  test("a replica whose lease ran out, or nearly, cannot send before it has renewed it", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));

    a.later(11_000);
    const nearly = await a.claim("AAA111", claimed);
    a.later(60_000);
    const over = await a.claim("AAA111", claimed);
    await a.renewDue("change", [a.lease("AAA111")]);

    expect([nearly.kind, over.kind]).toEqual(["lost", "lost"]);
    expect((await a.claim("AAA111", claimed)).kind).toBe("claimed");
  });

  test.each([4_900, 9_900, 14_900, 30_000])(
    "a Change that is added %i ms after the lease was renewed can be claimed 4 s later",
    async (ageMs) => {
      const a = await replica("a");
      a.later(ageMs);
      await a.addChange(approvedChange("AAA111"), event("requested"));
      a.later(4_000);

      expect((await a.claim("AAA111", claimed)).kind).toBe("claimed");
    },
  );

  test("what was taken over cannot be sent, settled or judged by the one who had it, not even when it lives again", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    for (const id of ["APPROVED", "CLAIMED"]) await a.addChange(approvedChange(id), event("requested"));
    await a.claim("CLAIMED", claimed);
    b.later(21_000);

    const taken = await b.openChanges();
    await a.renewDue("change", [a.lease("APPROVED"), a.lease("CLAIMED")]);

    expect(ofId(taken)).toEqual(["APPROVED", "CLAIMED"]);
    expect(await a.claim("APPROVED", claimed)).toEqual({ kind: "lost" });
    expect(await a.settle("CLAIMED", done, event("done"))).toBeUndefined();
    expect(await a.doubt("CLAIMED", unknown, event("unknown"))).toBeUndefined();
    expect(ofId(await a.openChanges())).toEqual([]);
    expect(await b.settle("CLAIMED", unknown, event("unknown"))).toMatchObject({ state: "unknown" });
    expect((await b.claim("APPROVED", claimed)).kind).toBe("claimed");
  });

  test("what a replica left behind goes to one of the others, whole", async () => {
    const [a, b, c] = [await replica("a"), await replica("b"), await replica("c")];
    const ids = Array.from({ length: 12 }, (_, at) => `ID${String(at).padStart(2, "0")}`);
    for (const id of ids) await a.addChange(approvedChange(id), event("requested"));
    for (const store of [b, c]) store.later(21_000);

    await atOnce(8, [b, c], (store) => store.openChanges());

    const [ofB, ofC] = [ofId(await b.openChanges()), ofId(await c.openChanges())];
    expect([...ofB, ...ofC].toSorted()).toEqual(ids);
    const claims = await Promise.all(ids.flatMap((id) => [b.claim(id, claimed), c.claim(id, claimed)]));
    expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(12);
  });

  test("one Run of a workload at a time; the next one goes on when the first has settled", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(approvedChange("FIRST", sameWorkload), event("requested"));
    await b.addChange(approvedChange("SECOND", sameWorkload), event("requested"));
    await b.addChange(approvedChange("OTHER"), event("requested"));

    const results = await Promise.all([a.claim("FIRST", claimed), b.claim("SECOND", claimed)]);
    const [winner, loser] = results[0].kind === "claimed" ? ([a, "SECOND"] as const) : ([b, "FIRST"] as const); // pairs
    const other = await b.claim("OTHER", claimed);

    expect(results.map(({ kind }) => kind).toSorted()).toEqual(["busy", "claimed"]);
    expect(other.kind).toBe("claimed");
    expect(await a.findChange(loser)).toMatchObject({ state: "approved" });
    expect(await storyOf(a, loser)).toEqual(["requested"]);

    await winner.settle(loser === "FIRST" ? "SECOND" : "FIRST", done, event("done"));
    const loserStore = loser === "FIRST" ? a : b;
    expect((await loserStore.claim(loser, claimed)).kind).toBe("claimed");
  });

  test("of 50 Changes of one workload at once, one runs", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await atOnce(50, [a, b], (store, at) =>
      store.addChange(approvedChange(`ID${at}`, sameWorkload), event("requested")),
    );

    const results = await atOnce(50, [a, b], (store, at) => store.claim(`ID${at}`, claimed));

    expect(results.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === "busy")).toHaveLength(49);
  });

  test("no answer: unknown, still ours and still the only Run of its workload, until it is settled for good", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("FIRST", sameWorkload), event("requested"));
    await a.addChange(approvedChange("SECOND", sameWorkload), event("requested"));
    await a.claim("FIRST", claimed);

    const doubted = await a.doubt("FIRST", unknown, event("unknown"));
    const meanwhile = await a.claim("SECOND", claimed);
    const open = ofId(await a.openChanges());
    const settled = await a.settle(
      "FIRST",
      { kind: "failed", why: "It had no effect.", next: "Ask again." },
      event("failed"),
    );

    expect(doubted).toMatchObject({
      state: "unknown",
      settledAt: undefined,
      ending: { kind: "run", outcome: unknown },
    });
    expect(meanwhile).toEqual({ kind: "busy" });
    expect(open).toEqual(["FIRST", "SECOND"]);
    expect(settled).toMatchObject({ state: "failed", settledAt: expect.any(Date) });
    expect(await a.settle("FIRST", done, event("done"))).toBeUndefined();
    expect((await a.claim("SECOND", claimed)).kind).toBe("claimed");
  });

  test.each([
    [
      {
        kind: "done",
        after: { uid: "u", status: "running", size: 2, memoryMiB: [512, undefined], domains: ["a.example"] },
        alsoMoved: ["status"],
      },
      "done",
    ],
    [{ kind: "done", after: undefined, alsoMoved: [] }, "done"],
    [{ kind: "asked", after: undefined, why: "It was accepted." }, "done"],
    [{ kind: "failed", why: "No.", next: "Ask." }, "failed"],
    [{ kind: "unknown", after: "unread", why: "It cannot be told.", next: "Look." }, "unknown"],
    [{ kind: "unknown", after: undefined, why: "It cannot be told.", next: "Look." }, "unknown"],
  ] as const)("how it ended is kept as it was: %j", async (outcome, state) => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));
    await a.claim("AAA111", claimed);

    const settled = await a.settle("AAA111", outcome, event(state));

    expect(settled).toMatchObject({ state, settledAt: expect.any(Date), ending: { kind: "run" } });
    expect(settled?.ending).toEqual({ kind: "run", outcome });
    expect(await a.findChange("AAA111")).toEqual(settled);
  });

  test("health is noted once, of a done one, and then nobody has to carry it on", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));
    const health: Health = { kind: "trouble", line: "1 of 2 run", excerpt: redactLines(["panic: \u0000"]) };
    const early = await a.setHealth("AAA111", health, undefined);
    await a.claim("AAA111", claimed);
    await a.settle("AAA111", done, event("done"));
    const open = ofId(await a.openChanges());

    const noted = await a.setHealth("AAA111", health, event("health"));
    const again = await a.setHealth("AAA111", { ...health, kind: "reached" }, event("health"));

    expect(early).toBeUndefined();
    expect(open).toEqual(["AAA111"]);
    expect(noted).toMatchObject({ health });
    expect(again).toBeUndefined();
    expect(ofId(await a.openChanges())).toEqual([]);
    expect(await storyOf(a, "AAA111")).toEqual(["requested", "claimed", "done", "health"]);
  });

  test("an event that cannot be written takes its step back with it", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));

    const broken = { ...claimed, kind: null } as unknown as typeof claimed; // what the column refuses
    const claim = a.claim("AAA111", broken);

    await expect(claim).rejects.toThrow(/NOT NULL constraint|null value in column "kind"/u);
    expect(await a.findChange("AAA111")).toMatchObject({ state: "approved", version: 1 });
    expect(await db().selectFrom("change").select("running_key").executeTakeFirst()).toEqual({ running_key: null });
  });

  test("a success whose health is known is not carried on any further", async () => {
    const a = await replica("a");
    const known = { kind: "reached", level: "healthy", line: "3 of 3 running", excerpt: [] } as const; // literal kinds
    for (const id of ["KNOWN1", "OPEN22"]) {
      await a.addChange(approvedChange(id), event("requested"));
      await a.claim(id, event("claimed"));
    }

    const settled = await a.carry("KNOWN1", "succeed", { outcome: done, health: known, next: "over" }, event("done"));
    await a.settle("OPEN22", done, event("done"));

    expect(settled).toMatchObject({ kind: "moved", change: { state: "done", health: known } });
    expect(ofId(await a.openChanges())).toEqual(["OPEN22"]);
  });

  test("the card of a version in trouble shows its undo: going, and gone when it is healthy", async () => {
    const a = await replica("a");
    const [trouble, reached] = (["trouble", "reached"] as const).map((kind) => ({ kind, line: "", excerpt: [] }));
    const ends = async (id: string, health: Health | undefined): Promise<void> => {
      await a.claim(id, event("claimed"));
      await a.carry(id, "succeed", { outcome: done, health }, event("done"));
    };
    const told: unknown[] = [];
    const tell = async (...ids: readonly string[]): Promise<void> => {
      for (const id of ids) {
        const { wayBack, version } = (await a.findChange(id)) ?? {};
        told.push({ id, wayBack: wayBack?.state, version });
      }
    };
    for (const [id, health] of [
      ["STUCK1", trouble],
      ["FINE22", reached],
    ] as const) {
      await a.addChange(approvedChange(id), event("requested"));
      await ends(id, health);
      await a.addChange(approvedChange(`BACK${id}`, { undoOf: id }), event("requested"));
    }
    await tell("STUCK1", "FINE22");

    await ends("BACKSTUCK1", reached);
    await ends("BACKFINE22", reached);
    await tell("STUCK1", "FINE22");

    expect(told).toEqual([
      { id: "STUCK1", wayBack: "going", version: 4 },
      { id: "FINE22", wayBack: "going", version: 4 },
      // Redrawn at the claim and at the end. The card of the healthy one isn't redrawn.
      { id: "STUCK1", wayBack: "gone", version: 6 },
      { id: "FINE22", wayBack: "gone", version: 4 },
    ]);
    expect(await cardsDue(a)).toContain("STUCK1");
  });
  test("an undo that waits, didn't help or has no known end isn't shown as one that goes on", async () => {
    const a = await replica("a");
    const trouble: Health = { kind: "trouble", line: "", excerpt: [] };
    for (const id of ["WAITS1", "NOHELP", "NOEND1"]) {
      await a.addChange(approvedChange(id), event("requested"));
      await a.claim(id, event("claimed"));
      await a.carry(id, "succeed", { outcome: done, health: trouble }, event("done"));
    }
    const shown = async () =>
      Promise.all(["WAITS1", "NOHELP", "NOEND1"].map(async (id) => (await a.findChange(id))?.wayBack?.state));
    await a.addChange(pendingChange("UNDO1", { undoOf: "WAITS1" }), event("requested"));
    for (const [id, undoOf] of [
      ["UNDO2", "NOHELP"],
      ["UNDO3", "NOEND1"],
    ] as const) {
      await a.addChange(approvedChange(id, { undoOf }), event("requested"));
      await a.claim(id, event("claimed"));
    }

    expect(await shown()).toEqual([undefined, "going", "going"]);
    await a.carry("UNDO2", "succeed", { outcome: done, health: trouble }, event("done"));
    await a.doubt("UNDO3", unknown, event("unknown"));
    expect(await shown()).toEqual([undefined, undefined, "going"]);
    await a.settle("UNDO3", unknown, event("unknown"));
    expect(await shown()).toEqual([undefined, undefined, undefined]);
  });

  test("an automatic way back has no card, and the deploy tells how it goes until the end", async () => {
    const a = await replica("a");
    const trouble: Health = { kind: "trouble", outcome: "keeps crashing", line: "", excerpt: [] };
    await a.addChange(approvedChange("STUCK1"), event("requested"));
    await a.claim("STUCK1", event("claimed"));
    await a.carry("STUCK1", "succeed", { outcome: done, health: trouble }, event("done"));
    const shown = async () => (await a.findChange("STUCK1"))?.wayBack;
    const back = approvedChange("BACK11", { undoOf: "STUCK1", deliveryId: wayBackDelivery("STUCK1") });

    await a.addChange(back, event("requested"));
    expect(await shown()).toMatchObject({ state: "going", by: undefined, line: "" });
    await a.claim("BACK11", event("claimed"));
    expect(await a.showChange({ id: "BACK11", teamId: "T1" })).toBe(false);
    await a.carry("BACK11", "succeed", { outcome: done, health: trouble }, event("done"));

    expect(await shown()).toMatchObject({ state: "failing", by: undefined, line: "keeps crashing" });
    expect(await cardsDue(a)).not.toContain("BACK11");
  });

  test("an automatic way back that wasn't seen to fail isn't told as one that failed", async () => {
    const a = await replica("a");
    const trouble: Health = { kind: "trouble", line: "", excerpt: [] };
    const slow: Health = { kind: "not-yet", outcome: "isn't running yet", line: "", excerpt: [] };
    const unwatched: Health = { kind: "unwatched", line: "", excerpt: [] };
    const ends = async (name: string, settle: (id: string) => Promise<unknown>) => {
      const [id, back] = [`S${name}`, `B${name}`];
      await a.addChange(approvedChange(id), event("requested"));
      await a.claim(id, event("claimed"));
      await a.carry(id, "succeed", { outcome: done, health: trouble }, event("done"));
      await a.addChange(approvedChange(back, { undoOf: id, deliveryId: wayBackDelivery(id) }), event("requested"));
      await a.claim(back, event("claimed"));
      await settle(back);
      const { state, line } = (await a.findChange(id))?.wayBack ?? {};
      return [state, line];
    };

    expect(await ends("SLOW1", (id) => a.carry(id, "succeed", { outcome: done, health: slow }, event("done")))).toEqual(
      ["unclear", "isn't running yet"],
    );
    expect(
      await ends("LEFT1", (id) => a.carry(id, "succeed", { outcome: done, health: unwatched }, event("done"))),
    ).toEqual(["unclear", ""]);
    expect(
      await ends("LOST1", async (id) => {
        await a.doubt(id, unknown, event("unknown"));
        await a.settle(id, unknown, event("unknown"));
      }),
    ).toEqual(["unclear", "no clear answer came"]);
  });
}
