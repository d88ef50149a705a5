import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql } from "kysely";
import { pino } from "pino";
import type { HistoryQuery } from "../../../src/changes/history-event.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Tables } from "../../../src/store/schema/tables.ts";
import { openSqlite } from "../../../src/sqlite.ts";
import { median } from "../stats.ts";
import { atMost, type Row } from "./row.ts";

const EVENTS = 1_000_000;

/** A million rows of one team, one every ten seconds from the start of 2026. */
async function fill(db: ReturnType<typeof openSqlite<Tables>>): Promise<void> {
  await sql`insert into event (at, kind, team_id, user_id, user_name, change_id, workload_kind, workload_region,
      workload_name, break_glass, result)
    with recursive counted(i) as (select 1 union all select i + 1 from counted where i < ${EVENTS})
    select strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (i * 10) || ' seconds'), 'done', 'T1', 'U1', 'dana', 'c' || i,
      'service', 'beijing1', 'web' || (i % 100), 0, 'took effect' from counted`.execute(db);
}

/** `history --since` without a result over a million rows, and how long one that looks at half of them keeps acks waiting. */
export async function measureHistory(repetitions: number): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-history-"));
  const db = openSqlite<Tables>(join(folder, "history.sqlite"));
  const log = pino({ level: "silent" });
  const store = await openStore({ kind: "shared", db, flavour: "sqlite", replicaId: "bench", log });
  await fill(db);
  const ms = async (query: Partial<HistoryQuery>): Promise<number> => {
    const startedAt = performance.now();
    await store.history({ teamId: "T1", limit: 11, ...query });
    return performance.now() - startedAt;
  };
  const empty = { since: new Date("2027-01-01") };
  const first = await ms(empty);
  const warm: number[] = [];
  for (let repetition = 0; repetition < 5 * repetitions; repetition += 1) warm.push(await ms(empty));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await ms({ since: new Date("2026-02-28"), userId: "U2" });
  await ms({ since: new Date("2026-02-28"), userId: "U2", show: "outcomes" });
  delay.disable();
  await store.close();
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
  return [
    atMost({ name: "history --since, nothing in a million rows, first", unit: "ms", ours: first }, 50),
    atMost({ name: "the same again", unit: "ms", ours: median(warm) }, 50),
    atMost({ name: "longest that a look at half of them keeps acks waiting", unit: "ms", ours: delay.max / 1e6 }, 50),
  ];
}
