import { type RawBuilder, sql } from "kysely";

/** The two kinds of SQL that Gantry speaks; PGlite is PostgreSQL. */
export type Flavour = "sqlite" | "postgres";

/**
 * The database's time, some milliseconds from now, as ISO 8601 text in UTC with milliseconds: texts that sort like the
 * times they stand for. Replicas on machines with different clocks agree on it.
 */
export type Clock = (plusMs?: number) => RawBuilder<string>;

/** `offsetMs` moves the clock, for tests; it is asked each time. */
export function clockOf(flavour: Flavour, offsetMs: () => number): Clock {
  return (plusMs = 0) => {
    const shift = `${((offsetMs() + plusMs) / 1000).toFixed(3)} seconds`;
    if (flavour === "sqlite") return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${shift})`;
    // Not now(): that stands still for a transaction, also while it waits for somebody's lock.
    return sql<string>`to_char((clock_timestamp() at time zone 'utc') + cast(${shift} as interval), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  };
}
