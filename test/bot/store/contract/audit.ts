import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { keysOf, readHead } from "../../../../src/bot/store/audit/chain-rows.ts";
import { checkDatabase, type Checked } from "../../../../src/bot/store/audit/read-chain.ts";
import { textSealer } from "../../../../src/bot/store/database/text-sealer.ts";
import type { Due } from "../../../../src/bot/workflow/due-kinds.ts";
import { atOnce, type Bench, event, pendingChange, type Replica, takeOne } from "./bench.ts";

const DAY_MS = 24 * 60 * 60_000;
const sealer = createSealer(readKeyring(newKey()));

function given(due: Due | undefined): Due {
  if (due === undefined) throw new Error("nothing was due");
  return due;
}

export function auditContract({ replica, db }: Bench): void {
  async function check(): Promise<Checked> {
    const head = await readHead({ db: db() });
    if (head === undefined) throw new Error("there is no chain");
    return checkDatabase({ db: db(), textSealer: textSealer(sealer) }, keysOf(sealer, head));
  }
  const happened = (store: Replica, count: number): Promise<readonly void[]> =>
    atOnce(count, [store], (each, at) => each.addEvent(event("bound", { result: `reason ${at}` })));

  test("two replicas that seal at once leave no event out and none twice", async () => {
    const [a, b] = [await replica("a", { sealer }), await replica("b", { sealer })];
    await atOnce(240, [a, b], (store, at) => store.addEvent(event("bound", { result: `reason ${at}` })));

    const joined = await atOnce(6, [a, b], (store) => store.sealHistory());

    expect(joined.reduce((sum, count) => sum + count, 0)).toBe(240);
    expect(await check()).toMatchObject({ finding: undefined, events: 240, waiting: 0 });
    const numbers = await db().selectFrom("event").select("chain_number").orderBy("chain_number").execute();
    expect(numbers.map((row) => Number(row.chain_number))).toEqual(Array.from({ length: 240 }, (_, at) => at + 1));
  });

  test("steps of requests join too, with hostile names and texts", async () => {
    const a = await replica("a", { sealer });
    const who = { userId: "U1", name: "A\uD800nn \u0000 \u2028 'x'" };
    await a.addChange(pendingChange("AAA111"), event("requested", { who, result: "half \uD83D of a face" }));
    await a.cancel("AAA111", who, event("cancelled", { who, elapsedMs: 12.7, changeId: "AAA111" }));
    await a.sealHistory();

    expect(await check()).toMatchObject({ finding: undefined, events: 2 });
  });

  test("a new database takes no row without a mark, not even as its first", async () => {
    const other = await replica("other");
    const a = await replica("a", { sealer });
    await happened(other, 1);
    expect((await check()).finding).toMatchObject({ says: expect.stringContaining("Gantry didn't write it") });
    await a.sealHistory();

    expect((await check()).finding).toMatchObject({
      number: 1,
      says: expect.stringContaining("wasn't written by this Gantry"),
    });
  });

  test("rows of an older Gantry join as they are, and later ones without a mark are named", async () => {
    const older = await replica("older");
    await happened(older, 2);
    const a = await replica("a", { sealer });
    await happened(a, 1);
    await a.sealHistory();
    expect(await check()).toMatchObject({ finding: undefined, events: 3 });

    await a.sealHistory();
    await happened(older, 1);
    await a.sealHistory();

    expect((await check()).finding).toMatchObject({
      number: 4,
      says: expect.stringContaining("wasn't written by this Gantry"),
    });
  });

  test("what goes with its age leaves a point from which the rest is checked", async () => {
    const a = await replica("a", { sealer, keepHistoryMs: 10 * DAY_MS });
    await happened(a, 5);
    await a.sealHistory();
    a.later(8 * DAY_MS);
    await happened(a, 4);
    await a.sealHistory();
    a.later(4 * DAY_MS);
    await a.prune();

    const { finding, events, head } = await check();
    expect({ finding, events, first: head?.first.number }).toEqual({ finding: undefined, events: 4, first: 5 });
    await happened(a, 1);
    await a.sealHistory();
    expect(await check()).toMatchObject({ finding: undefined, events: 5 });
  });

  test("a receiver gets every event once and in order, and a batch that was begun is repeated as it was", async () => {
    const [a, b] = [await replica("a", { sealer }), await replica("b", { sealer })];
    await happened(a, 2);
    await a.sealHistory();
    // New: it gets what happens from now on.
    await a.addReceivers(["webhook"]);
    const due = given(await takeOne(a, "audit"));
    expect(await a.auditBatch("webhook", 3)).toBeUndefined();
    await happened(a, 4);
    await a.sealHistory();

    const first = await a.auditBatch("webhook", 3);
    expect(first).toMatchObject({ first: 3, last: 5 });
    expect(await a.auditDelivered(due, 5)).toBe(true);
    const second = await a.auditBatch("webhook", 3);
    expect(second).toMatchObject({ first: 6, last: 6 });
    await happened(a, 3);
    await a.sealHistory();
    // Its lease is over: what a says afterwards doesn't count.
    b.later(60_000);
    const next = given(await takeOne(b, "audit"));
    expect(await a.auditDelivered(due, 6)).toBe(false);
    expect((await b.auditBatch("webhook", 3))?.id).toBe(second?.id);
    expect(await b.auditDelivered(next, 6)).toBe(true);
    expect(await b.auditBatch("webhook", 3)).toMatchObject({ first: 7, last: 9 });
    expect(await b.auditDelivered(next, 9)).toBe(true);
    expect(await b.auditBatch("webhook", 3)).toBeUndefined();
  });

  test("new events are due for every receiver, once they have joined the chain", async () => {
    const a = await replica("a", { sealer });
    await a.addReceivers(["webhook", "stdout"]);
    for (const due of await a.takeDue({ kind: "audit", leaseMs: 30_000, most: 9 })) await a.endDue(due);
    await happened(a, 1);
    const early = await a.dueKinds();
    await a.sealHistory();

    expect(early).toEqual([]);
    expect(await a.takeDue({ kind: "audit", leaseMs: 30_000, most: 9 })).toHaveLength(2);
  });

  test("a receiver that fails is reported until it takes history again, or isn't configured any more", async () => {
    const a = await replica("a", { sealer });
    await a.addReceivers(["webhook"]);
    await happened(a, 4);
    await a.sealHistory();
    const fails = async (): Promise<Due> => {
      const due = given(await takeOne(a, "audit"));
      await a.auditBatch("webhook", 3);
      await a.auditFailed("webhook");
      return due;
    };
    const due = await fails();
    await a.delayDue(due, { ms: 60_000, isFailure: true });
    const failing = [{ name: "webhook", since: expect.stringMatching(/^\d{4}-.*Z$/u), waiting: 4 }];
    expect((await a.inspect()).failingReceivers).toEqual(failing);

    a.later(61_000);
    const again = await fails();
    await a.auditDelivered(again, 4);
    expect((await a.inspect()).failingReceivers).toEqual([]);
    await a.auditFailed("webhook");
    await a.endDue(again);
    expect((await a.inspect()).failingReceivers).toEqual([]);
  });

  test("history waits for a receiver that is away, but not for ever", async () => {
    const a = await replica("a", { sealer, keepHistoryMs: DAY_MS });
    await a.addReceivers(["webhook"]);
    await happened(a, 3);
    await a.sealHistory();

    a.later(5 * DAY_MS);
    await a.prune();
    expect(await check()).toMatchObject({ finding: undefined, events: 3 });
    a.later(5 * DAY_MS);
    await a.prune();
    expect(await check()).toMatchObject({ finding: undefined, events: 0 });
    await happened(a, 1);
    await a.sealHistory();
    expect(await a.auditBatch("webhook", 100)).toMatchObject({ first: 4, last: 4 });
  });
}
