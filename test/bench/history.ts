import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql } from "kysely";
import { pino } from "pino";
import type { HistoryQuery } from "../../src/bot/changes/history-event.ts";
import { openStore } from "../../src/bot/store/open-store.ts";
import type { Store } from "../../src/bot/store/store.ts";
import type { Tables } from "../../src/bot/store/schema/tables.ts";
import { openSqlite } from "../../src/platform/database/sqlite.ts";
import { median } from "./stats.ts";
import { atMost, type Row } from "./row.ts";

const EVENTS = 1_000_000;

/** Rows of one team, one every ten seconds from the start of 2026. */
async function fill(db: ReturnType<typeof openSqlite<Tables>>, events: number): Promise<void> {
  await sql`insert into event (at, kind, team_id, user_id, user_name, change_id, workload_kind, workload_region,
      workload_name, break_glass, result)
    with recursive counted(i) as (select 1 union all select i + 1 from counted where i < ${events})
    select strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', (i * 10) || ' seconds'), 'done', 'T1', 'U1', 'dana', 'c' || i,
      'service', 'beijing1', 'web' || (i % 100), 0, 'took effect' from counted`.execute(db);
}

type Filled = { readonly store: Store; readonly ms: (query: Partial<HistoryQuery>) => Promise<number> };

async function withEvents<Result>(events: number, work: (filled: Filled) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-history-"));
  const db = openSqlite<Tables>(join(folder, "history.sqlite"));
  const log = pino({ level: "silent" });
  const store = await openStore({ kind: "shared", db, flavour: "sqlite", replicaId: "bench", log });
  await fill(db, events);
  const ms = async (query: Partial<HistoryQuery>): Promise<number> => {
    const startedAt = performance.now();
    await store.history({ teamId: "T1", limit: 11, ...query });
    return performance.now() - startedAt;
  };
  const result = await work({ store, ms });
  await store.close();
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
  return result;
}

async function times(count: number, measure: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let time = 0; time < count; time += 1) all.push(await measure());
  return median(all);
}

/** `history --since` without a result over a million rows, and how long one that looks at half of them keeps acks waiting. */
export function measureHistory(repetitions: number): Promise<readonly Row[]> {
  return withEvents(EVENTS, async ({ ms }) => {
    const empty = { since: new Date("2027-01-01") };
    const first = await ms(empty);
    const again = await times(5 * repetitions, () => ms(empty));
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await ms({ since: new Date("2026-02-28"), userId: "U2" });
    await ms({ since: new Date("2026-02-28"), userId: "U2", show: "outcomes" });
    delay.disable();
    return [
      atMost({ name: "history --since, nothing in a million rows, first", unit: "ms", ours: first }, 50),
      atMost({ name: "the same again", unit: "ms", ours: again }, 50),
      atMost({ name: "longest that a look at half of them keeps acks waiting", unit: "ms", ours: delay.max / 1e6 }, 50),
    ];
  });
}
