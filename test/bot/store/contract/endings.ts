import { redactLines } from "../../../../src/bot/logs/redact.ts";
import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring, type Sealer } from "../../../../src/bot/accounts/seal.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";
import type { Health } from "../../../../src/bot/changes/stored-change.ts";
import { migrations } from "../../../../src/bot/store/schema/migrations.ts";
import { approvedChange, type Bench, bob, event, pendingChange, type Replica } from "./bench.ts";

const sealer = createSealer(readKeyring(newKey()));
const done: Outcome = {
  kind: "done",
  after: undefined,
  alsoMoved: ["image swordfish → 2"],
  warnings: redactLines(["swordfish"]),
};
const failed: Outcome = { kind: "failed", why: "It said swordfish.", next: "Ask swordfish." };
const unknown: Outcome = { kind: "unknown", after: "unread", why: "It said swordfish.", next: "Look." };
const watching: Health = { kind: "watching", level: "busy", line: "says swordfish", excerpt: [] };
const trouble: Health = {
  kind: "trouble",
  level: "failing",
  line: "swordfish",
  excerpt: redactLines(["at swordfish:3"]),
};
// oxlint-disable-next-line unicorn/no-thenable -- a word, not a function
const drift = [{ field: "image", then: "swordfish", now: "2", asked: "3" }];
const LOST = "(can't be read: the key that sealed this is gone)";

/** Requests that ended in each way, with what the workload API said. */
async function withEndings(replica: Bench["replica"], sealer?: Sealer): Promise<Replica> {
  const a = await replica("a", sealer && { sealer });
  for (const id of ["DONE11", "FAIL11", "DOUBT1", "DRIFT1"]) {
    await a.addChange(approvedChange(id), event("requested"));
    if (id !== "DRIFT1") await a.claim(id, event("claimed"));
  }
  await a.settle("DONE11", done, event("done"));
  await a.carry("DONE11", "observe", { progress: watching, isNews: true }, undefined);
  await a.setHealth("DONE11", trouble, event("health"));
  await a.settle("FAIL11", failed, event("failed"));
  await a.settle("DOUBT1", unknown, event("unknown"));
  await a.drift("DRIFT1", drift, event("drifted"));
  await a.addChange(pendingChange("NEVER1"), event("requested"));
  await a.reject("NEVER1", { who: bob, reason: "no swordfish" }, event("rejected"));
  return a;
}

const all = ["DONE11", "FAIL11", "DOUBT1", "DRIFT1", "NEVER1"];

async function readBack(a: Replica) {
  return Promise.all(
    all.map(async (id) => {
      const { state, ending, health, progress } = (await a.findChange(id)) ?? {};
      return { state, ending, health, progress };
    }),
  );
}

const whole = [
  { state: "done", ending: { kind: "run", outcome: done }, health: trouble, progress: watching },
  { state: "failed", ending: { kind: "run", outcome: failed } },
  { state: "unknown", ending: { kind: "run", outcome: unknown } },
  { state: "drifted", ending: { kind: "drifted", drift } },
  { state: "rejected", ending: { kind: "rejected", by: bob, reason: "no swordfish" } },
];

const columns = ["ending", "health", "progress"] as const; // literal names

/** What the workload API said about requests and workloads, and what is kept of logs. */
export function endingsContract({ replica, db }: Bench): void {
  const stored = () => db().selectFrom("change").select(columns).execute();

  test("how requests ended and how their workloads are is read as it was written, and stored sealed", async () => {
    const a = await withEndings(replica, sealer);

    expect(await readBack(a)).toEqual(whole);
    expect(JSON.stringify(await stored())).not.toContain("swordfish");
  });

  test("without the key their texts are placeholders, and how they ended is still known", async () => {
    await withEndings(replica, sealer);

    const b = await replica("b", { sealer: createSealer(readKeyring(newKey())) });

    expect(await readBack(b)).toMatchObject([
      {
        state: "done",
        ending: { kind: "run", outcome: { kind: "done" } },
        health: { kind: "trouble", line: LOST, excerpt: [] },
        progress: { kind: "watching" },
      },
      { state: "failed", ending: { kind: "run", outcome: { kind: "failed", why: LOST } } },
      { state: "unknown", ending: { kind: "run", outcome: { kind: "unknown", after: "unread", why: LOST } } },
      { state: "drifted", ending: { kind: "drifted", drift: [] } },
      { state: "rejected", ending: { kind: "rejected", by: bob, reason: LOST } },
    ]);
  });

  test("what an earlier version stored in the clear is sealed by the upgrade, and read as before", async () => {
    await withEndings(replica);
    const title = "how requests ended and how their workloads are, sealed";
    const before = migrations.findIndex((migration) => migration.title === title);
    await db().deleteFrom("migration").where("number", ">", before).execute();
    // What later ones made.
    await db().schema.dropIndex("change_workload").execute();
    for (const column of ["taken_from", "taken_from_name", "is_handed", "passed_at"])
      await db().schema.alterTable("alert").dropColumn(column).execute();
    // An upgrade waits for older replicas.
    await db().deleteFrom("replica").execute();
    const reason = sealer.seal("no swordfish", ["words", "NEVER1"]);
    for (const column of columns) {
      // As it was then: the JSON itself.
      for (const row of await db().selectFrom("change").select(["id", column]).execute()) {
        const { sealed } = JSON.parse(row[column] ?? "{}") as { sealed?: string }; // as it is written now
        if (sealed !== undefined) {
          const text = sealed.replace("no swordfish", () => reason);
          await db()
            .updateTable("change")
            .set({ [column]: text })
            .where("id", "=", row.id)
            .execute();
        }
      }
    }
    expect(JSON.stringify(await stored())).toContain("swordfish");

    const b = await replica("b", { sealer });

    expect(await readBack(b)).toEqual(whole);
    expect(JSON.stringify(await stored())).not.toContain("swordfish");
  });
}
