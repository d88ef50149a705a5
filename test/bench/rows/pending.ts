import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { readKeyring, createSealer } from "../../../src/bot/accounts/seal.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import { event, pendingChange } from "../../bot/store/contract/bench.ts";
import { median } from "../stats.ts";
import { growthRow } from "./growth.ts";
import { atMost, type Row } from "./row.ts";

const SIZES = [100, 1_000, 10_000];
/** Of a request: its call and what it changes. */
const CONTENT = "y".repeat(900);

/** All requests that wait, as `/gantry pending`, Home and pickers read them: the first time, and then again and again. */
export async function measurePending(repetitions: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-pending-"));
  // It is read that is measured: 10,000 waits for the disk before it took a minute.
  const db = openSqlite<Tables>(join(folder, "pending.sqlite"), { mayLoseLast: true });
  const log = pino({ level: "silent" });
  const sealer = createSealer(readKeyring(`k1:${randomBytes(32).toString("base64")}`));
  const store = await openStore({ kind: "shared", db, flavour: "sqlite", replicaId: "bench", log, sealer });
  const points: [number, number][] = [];
  let first = Number.NaN;
  let waiting = 0;
  const look = async (): Promise<number> => {
    const startedAt = performance.now();
    const all = await store.pendingChanges("T1");
    if (all.length !== waiting) throw new Error(`${all.length} of ${waiting} requests wait`);
    return performance.now() - startedAt;
  };
  for (const size of SIZES) {
    for (; waiting < size; waiting += 1) {
      const sealed = sealer.seal(CONTENT, ["change", `R${waiting}`]);
      await store.insertChange(pendingChange(`R${waiting}`, { sealed, waitKey: `w${waiting}` }), event("requested"));
    }
    const cold = await look();
    if (size === 1_000) first = cold;
    const warm: number[] = [];
    for (let time = 0; time < 10 * repetitions; time += 1) warm.push(await look());
    points.push([size, median(warm)]);
  }
  await store.close();
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
  const ours = points.find(([size]) => size === 1_000)?.[1] ?? Number.NaN;
  const note = `${first.toFixed(0)} ms when 900 of them are new`;
  return [
    atMost({ name: "1,000 waiting requests", unit: "ms", ours, note }, 15),
    growthRow("waiting requests by their number", points),
  ];
}
