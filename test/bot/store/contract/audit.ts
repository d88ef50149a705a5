import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { keysOf, readHead } from "../../../../src/bot/store/audit/chain-rows.ts";
import { checkDatabase, type Checked } from "../../../../src/bot/store/audit/read-chain.ts";
import { textSealer } from "../../../../src/bot/store/database/text-sealer.ts";
import { atOnce, type Bench, event, pendingChange, type Replica } from "./bench.ts";

const DAY_MS = 24 * 60 * 60_000;
const sealer = createSealer(readKeyring(newKey()));
const taking = { atMost: 3, leaseMs: 30_000 };

export function auditContract({ replica, db }: Bench): void {
  async function check(): Promise<Checked> {
    const head = await readHead({ db: db() });
    if (head === undefined) throw new Error("there is no chain");
    return checkDatabase({ db: db(), textSealer: textSealer(sealer) }, keysOf(sealer, head));
  }
  const happened = (store: Replica, count: number): Promise<readonly void[]> =>
    atOnce(count, [store], (each, at) => each.note(event("bound", { result: `reason ${at}` })));

  test("two replicas that seal at once leave no event out and none twice", async () => {
    const [a, b] = [await replica("a", { sealer }), await replica("b", { sealer })];
    await atOnce(240, [a, b], (store, at) => store.note(event("bound", { result: `reason ${at}` })));

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

  test("rows of an older Gantry join as they are, and later ones without a mark are named", async () => {
    const older = await replica("older");
    await happened(older, 2);
    const a = await replica("a", { sealer });
    await happened(a, 1);
    await a.sealHistory();
    expect(await check()).toMatchObject({ finding: undefined, events: 3 });

    a.later(DAY_MS);
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
    await a.beat();

    const { finding, events, head } = await check();
    expect({ finding, events, first: head?.first.number }).toEqual({ finding: undefined, events: 4, first: 5 });
    await happened(a, 1);
    await a.sealHistory();
    expect(await check()).toMatchObject({ finding: undefined, events: 5 });
  });

  test("a receiver gets every event once and in order, from one replica at a time", async () => {
    const [a, b] = [await replica("a", { sealer }), await replica("b", { sealer })];
    await happened(a, 2);
    await a.sealHistory();
    // New: it gets what happens from now on.
    expect(await a.takeAuditBatch("webhook", taking)).toBeUndefined();
    await happened(a, 5);
    await a.sealHistory();

    const first = await a.takeAuditBatch("webhook", taking);
    expect(first).toMatchObject({ first: 3, last: 5, failures: 0 });
    expect(await b.takeAuditBatch("webhook", taking)).toBeUndefined();
    await a.auditDelivered("webhook", first ?? { token: "", last: 0 });
    const second = await b.takeAuditBatch("webhook", taking);
    expect(second).toMatchObject({ first: 6, last: 7 });
    // Its right is over: what a says afterwards doesn't count.
    b.later(60_000);
    a.later(60_000);
    const again = await a.takeAuditBatch("webhook", taking);
    await b.auditDelivered("webhook", second ?? { token: "", last: 0 });
    expect(again?.id).toBe(second?.id);
    await a.auditDelivered("webhook", again ?? { token: "", last: 0 });
    expect(await b.takeAuditBatch("webhook", taking)).toBeUndefined();
  });

  test("a receiver that isn't configured any more isn't reported as failing", async () => {
    const a = await replica("a", { sealer });
    await a.takeAuditBatch("webhook", taking);
    await happened(a, 1);
    await a.sealHistory();
    const batch = await a.takeAuditBatch("webhook", taking);
    await a.auditFailed("webhook", { token: batch?.token ?? "", ms: 60_000 });

    a.later(60 * 60_000);
    expect((await a.inspect()).failingReceivers).toEqual([]);
  });

  test("what failed is repeated as it was, not before its time", async () => {
    const a = await replica("a", { sealer });
    await a.takeAuditBatch("webhook", taking);
    await happened(a, 2);
    await a.sealHistory();
    const batch = await a.takeAuditBatch("webhook", taking);
    await a.auditFailed("webhook", { token: batch?.token ?? "", ms: 60_000 });
    await happened(a, 2);
    await a.sealHistory();

    expect(await a.takeAuditBatch("webhook", taking)).toBeUndefined();
    expect((await a.inspect()).failingReceivers).toEqual([
      { name: "webhook", since: expect.stringMatching(/^\d{4}-.*Z$/u), waiting: 4 },
    ]);
    a.later(61_000);
    const again = await a.takeAuditBatch("webhook", taking);
    expect(again).toMatchObject({ id: batch?.id, lines: batch?.lines, failures: 1 });
    await a.auditDelivered("webhook", again ?? { token: "", last: 0 });
    expect((await a.inspect()).failingReceivers).toEqual([]);
  });

  test("history waits for a receiver that is away, but not for ever", async () => {
    const a = await replica("a", { sealer, keepHistoryMs: DAY_MS });
    await a.takeAuditBatch("webhook", taking);
    await happened(a, 3);
    await a.sealHistory();

    a.later(5 * DAY_MS);
    await a.beat();
    expect(await check()).toMatchObject({ finding: undefined, events: 3 });
    a.later(5 * DAY_MS);
    await a.beat();
    expect(await check()).toMatchObject({ finding: undefined, events: 0 });
    await happened(a, 1);
    await a.sealHistory();
    expect(await a.takeAuditBatch("webhook", { ...taking, atMost: 100 })).toMatchObject({ first: 4, last: 4 });
  });
}
