import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { scheduleDue } from "../../../../src/bot/store/due.ts";
import { textSealer } from "../../../../src/bot/store/database/text-sealer.ts";
import { clockOf } from "../../../../src/bot/store/database/session.ts";
import type { Due, Scheduled } from "../../../../src/bot/workflow/due-kinds.ts";
import { atOnce, type Bench, type Replica, takeOne } from "./bench.ts";

const MINUTE = 60_000;

function given(due: Due | undefined): Due {
  if (due === undefined) throw new Error("nothing was due");
  return due;
}

export function dueContract({ replica, db, flavour }: Bench): void {
  const sealer = createSealer(readKeyring(newKey()));
  /** As a statement of the store adds work, some seconds before or after the replicas were opened. */
  const schedule = (other: Partial<Scheduled> = {}, laterMs = -5_000): Promise<void> =>
    scheduleDue(
      {
        db: db(),
        flavour: flavour(),
        clock: clockOf(flavour(), () => laterMs),
        textSealer: textSealer(sealer),
        scheduled: { isNow: false },
      },
      { kind: "digest", key: "w1", teamId: "T1", ...other },
    );
  const two = async (): Promise<readonly [Replica, Replica]> => [
    await replica("a", { sealer }),
    await replica("b", { sealer }),
  ];

  test("work is taken by one replica when its time has come, and by nobody before", async () => {
    const [a, b] = await two();
    await schedule({ payload: "what to do" }, MINUTE - 5_000);
    const early = [await a.dueKinds(), await takeOne(a, "digest")];
    for (const each of [a, b]) each.later(MINUTE + 1);

    const waiting = await b.dueKinds();
    const taken = (await atOnce(10, [a, b], (store) => takeOne(store, "digest"))).filter(Boolean);

    expect(early).toEqual([[], undefined]);
    expect(waiting).toEqual(["digest"]);
    expect(taken).toMatchObject([{ key: "w1", teamId: "T1", attempts: 1, payload: "what to do" }]);
    expect(await a.dueKinds()).toEqual([]);
  });

  test("each kind with something due is found once, however much of it there is, and the others aren't", async () => {
    const [a, b] = await two();
    for (const key of ["w1", "w2", "w3"]) await schedule({ key });
    await schedule({ kind: "change", key: "later" }, MINUTE);
    await schedule({ kind: "round", key: "r1" });
    await schedule({ kind: "audit", key: "a1" });
    await schedule({ kind: "audit", key: "later" }, MINUTE);

    expect((await b.dueKinds()).toSorted()).toEqual(["audit", "digest", "round"]);
    a.later(MINUTE + 1);
    expect((await a.dueKinds()).toSorted()).toEqual(["audit", "change", "digest", "round"]);
  });

  test("two replicas share what is due: each row is taken once, the oldest first, and no more than there is room for", async () => {
    const [a, b] = await two();
    for (let at = 0; at < 30; at += 1) await schedule({ key: `w${at}` }, at - 5_000);
    await schedule({ kind: "round", key: "other" });

    const first = await a.takeDue({ kind: "digest", leaseMs: MINUTE, most: 3 });
    const rest = await atOnce(12, [a, b], (store) => store.takeDue({ kind: "digest", leaseMs: MINUTE, most: 4 }));

    expect(first.map(({ key }) => key).toSorted()).toEqual(["w0", "w1", "w2"]);
    const keys = [...first, ...rest.flat()].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(rest.every((some) => some.length <= 4)).toBe(true);
  });

  test("one of several is taken by its key, if it is due", async () => {
    const [a] = await two();
    await schedule({ key: "w1" });
    await schedule({ key: "w2" });
    const take = (key: string) => a.takeDue({ kind: "digest", leaseMs: MINUTE, most: 1, key });

    const taken = [await take("w2"), await take("w2"), await take("w3")];

    expect(taken.map((some) => some.map(({ key }) => key))).toEqual([["w2"], [], []]);
    expect(await takeOne(a, "digest")).toMatchObject({ key: "w1" });
  });

  test("a replica that lost its lease can change nothing, and the next one sees a second attempt", async () => {
    const [a, b] = await two();
    await schedule({ payload: "first" });
    const lost = given(await takeOne(a, "digest"));
    for (const each of [a, b]) each.later(MINUTE + 1);
    const next = given(await takeOne(b, "digest"));

    expect([await a.holdDue(lost, "late"), await a.endDue(lost), await a.delayDue(lost, { ms: 0 })]).toEqual([
      false,
      undefined,
      false,
    ]);
    expect(next).toMatchObject({ attempts: 2, payload: "first" });
    expect(await b.endDue(next)).toBe("over");
    expect(await db().selectFrom("due").selectAll().execute()).toEqual([]);
  });

  test("what is scheduled during an attempt comes at once, unless the attempt failed: its pause stays", async () => {
    const [a] = await two();
    for (const [isFailure, isDue] of [
      [false, true],
      [true, false],
    ]) {
      await schedule();
      const due = given(await takeOne(a, "digest"));
      await schedule();
      await a.delayDue(due, { ms: MINUTE, isFailure });

      const next = await takeOne(a, "digest");
      expect(next !== undefined).toBe(isDue);
      if (next !== undefined) await a.endDue(next);
    }
  });

  test("a lease that is renewed lasts, with what was stored", async () => {
    const [a, b] = await two();
    await schedule();
    const due = given(await takeOne(a, "digest"));
    for (const each of [a, b]) each.later(MINUTE - 1_000);

    expect(await a.holdDue(due, "half way")).toBe(true);
    for (const each of [a, b]) each.later(MINUTE - 1_000);
    const early = await takeOne(b, "digest");
    for (const each of [a, b]) each.later(2_000);

    expect(early).toBeUndefined();
    expect(await takeOne(b, "digest")).toMatchObject({ payload: "half way" });
  });

  test("it comes again at its time; a success begins the count of attempts anew, a failure doesn't", async () => {
    const [a] = await two();
    await schedule();
    await a.delayDue(given(await takeOne(a, "digest")), { ms: MINUTE, payload: "second", isFailure: true });
    const early = await takeOne(a, "digest");
    a.later(MINUTE + 1);
    const failed = given(await takeOne(a, "digest"));
    await a.delayDue(failed, { at: new Date(Date.now() + 2 * MINUTE) });
    a.later(MINUTE);
    const again = given(await takeOne(a, "digest"));

    expect(early).toBeUndefined();
    expect(failed).toMatchObject({ attempts: 2, payload: "second" });
    expect(again).toMatchObject({ attempts: 1, payload: "second" });
  });

  test.each(["done", "later"] as const)(
    "work that is scheduled during its lease is done again after that: %s",
    async (end) => {
      const [a, b] = await two();
      await schedule({ payload: "old" });
      const due = given(await takeOne(a, "digest"));
      await schedule({ payload: "new" });
      const meanwhile = await takeOne(b, "digest");
      const isHeld = await a.holdDue(due, "old, half way");

      await (end === "done" ? a.endDue(due) : a.delayDue(due, { ms: MINUTE, payload: "old, again" }));

      expect([meanwhile, isHeld]).toEqual([undefined, true]);
      expect(await takeOne(b, "digest")).toMatchObject({ attempts: 1, payload: "new" });
    },
  );

  test("scheduling work again doesn't cut a back-off short", async () => {
    const [a] = await two();
    await schedule();
    await a.delayDue(given(await takeOne(a, "digest")), { ms: MINUTE, isFailure: true });
    await schedule();
    await schedule({ payload: "new" });
    const early = await takeOne(a, "digest");
    a.later(MINUTE + 1);
    const again = given(await takeOne(a, "digest"));
    expect(again.payload).toBe("new");
    await a.delayDue(again, { ms: MINUTE });
    await schedule({}, MINUTE + 1);

    expect(early).toBeUndefined();
    expect(await takeOne(a, "digest")).toBeDefined();
  });

  test("a payload is sealed, and without its key the work is taken without it", async () => {
    const [a] = await two();
    await schedule({ payload: "for Ann's eyes" });
    const raw = JSON.stringify(await db().selectFrom("due").selectAll().execute());
    const other = await replica("c", { sealer: createSealer(readKeyring(newKey())) });

    expect(raw).not.toContain("Ann");
    expect(await takeOne(other, "digest")).toMatchObject({ key: "w1", payload: undefined });
    a.later(2 * MINUTE);
    expect(await takeOne(a, "digest")).toMatchObject({ key: "w1", payload: "for Ann's eyes" });
  });

  test("a workspace that removes Gantry takes its work with it", async () => {
    const [a] = await two();
    await schedule();
    await schedule({ key: "w2", teamId: "T2" });

    await a.closeWorkspace({ teamId: "T1", by: { userId: "U1", name: "Ann" } });

    expect((await a.takeDue({ kind: "digest", leaseMs: MINUTE, most: 9 })).map(({ key }) => key)).toEqual(["w2"]);
  });
}
