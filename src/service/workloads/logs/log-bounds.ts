import type { Kysely } from "kysely";
import { removeInstances, costOf, costOfLine, type LogTables } from "./log-tables.ts";

/** How much is kept: bytes of text and row overhead (`costOf` in log-tables.ts), and lines. */
type Bound = { readonly bytes: number; readonly lines: number };

/** How much log is kept. Nothing is deleted by date, because clocks can jump. */
export type LogLimits = {
  /** Per workload and day, so a noisy day doesn't push out the days before. */
  readonly day: Bound;
  readonly workload: Bound;
  readonly total: Bound;
  /** Days with lines, per workload. */
  readonly days: number;
};

const MIB = 1024 * 1024;

export const DEFAULT_LOG_LIMITS: LogLimits = {
  day: { bytes: 8 * MIB, lines: 100_000 },
  workload: { bytes: 32 * MIB, lines: 400_000 },
  total: { bytes: 256 * MIB, lines: 3_000_000 },
  days: 90,
};

/** Drops a bit more than needed, so not every write has to; not much more, so it stays fast. */
const SPARE: Bound = { bytes: 128 * 1024, lines: 2_000 };

type Day = { readonly id: number; readonly cost: number; readonly lines: number };

/** After adding lines to these days, drops the oldest lines of each log that exceeds its limit. */
export async function keepBounds(
  db: Kysely<LogTables>,
  added: readonly { readonly dayId: number; readonly workload: string }[],
  limits: LogLimits,
): Promise<void> {
  for (const { dayId } of added) {
    const day = await daysIn(db).where("id", "=", dayId).executeTakeFirst();
    const excess = day && excessOf({ bytes: day.cost, lines: day.lines }, limits.day);
    if (day && excess) await dropFromDay(db, day, excess);
  }
  for (const workload of new Set(added.map((each) => each.workload))) {
    const excess = excessOf(await sumOf(db, workload), limits.workload);
    if (excess) await dropFromWorkload(db, workload, excess);
    // In order of their creation, too.
    const days = daysIn(db).where("workload", "=", workload);
    const old = await days.orderBy("id", "desc").limit(1_000).offset(limits.days).execute();
    for (const day of old) await dropDay(db, day);
  }
  // The largest log makes room, so a noisy workload doesn't push out the others.
  const excess = excessOf(await sumOf(db), limits.total);
  const largest = excess && (await largestWorkload(db));
  if (largest !== undefined) await dropFromWorkload(db, largest, excess ?? SPARE);
}

function daysIn(db: Kysely<LogTables>) {
  return db.selectFrom("days").select(["id", "cost", "lines"]);
}

function excessOf({ bytes, lines }: Bound, bound: Bound): Bound | undefined {
  if (bytes <= bound.bytes && lines <= bound.lines) return undefined;
  const spare = (one: "bytes" | "lines") => Math.min(bound[one] * 0.1, SPARE[one]);
  return {
    bytes: bytes > bound.bytes ? bytes - bound.bytes + spare("bytes") : 0,
    lines: lines > bound.lines ? lines - bound.lines + spare("lines") : 0,
  };
}

async function sumOf(db: Kysely<LogTables>, workload?: string): Promise<Bound> {
  let query = db
    .selectFrom("days")
    .select((eb) => [eb.fn.sum<number | null>("cost").as("bytes"), eb.fn.sum<number | null>("lines").as("lines")]);
  if (workload !== undefined) query = query.where("workload", "=", workload);
  const { bytes, lines } = await query.executeTakeFirstOrThrow();
  return { bytes: bytes ?? 0, lines: lines ?? 0 };
}

async function largestWorkload(db: Kysely<LogTables>): Promise<string | undefined> {
  const largest = await db
    .selectFrom("days")
    .select("workload")
    .groupBy("workload")
    .orderBy((eb) => eb.fn.sum("cost"), "desc")
    .limit(1)
    .executeTakeFirst();
  return largest?.workload;
}

/** Whole days go first, in order of their creation, which clock jumps don't change. */
async function dropFromWorkload(db: Kysely<LogTables>, workload: string, excess: Bound): Promise<void> {
  let { bytes, lines } = excess;
  const days = await daysIn(db).where("workload", "=", workload).orderBy("id").execute();
  for (const day of days) {
    if (bytes <= 0 && lines <= 0) return;
    const freed = await dropFromDay(db, day, { bytes, lines });
    bytes -= freed.bytes;
    lines -= freed.lines;
  }
}

/** Drops the oldest lines, because the newest explain a failure. Returns the freed amount. */
async function dropFromDay(db: Kysely<LogTables>, day: Day, excess: Bound): Promise<Bound> {
  let freed = { bytes: 0, lines: 0 };
  let last: number | undefined;
  for (;;) {
    const batch = await db
      .selectFrom("lines")
      .select(["id", costOf("instance", "line").as("cost")])
      .where("day_id", "=", day.id)
      .where("id", ">", last ?? -1)
      .orderBy("id")
      .limit(1_000)
      .execute();
    for (const row of batch) {
      if (freed.bytes >= excess.bytes && freed.lines >= excess.lines) return await drop(db, day, { ...freed, last });
      freed = { bytes: freed.bytes + row.cost, lines: freed.lines + 1 };
      last = row.id;
    }
    if (batch.length === 0) return await dropDay(db, day);
  }
}

async function dropDay(db: Kysely<LogTables>, { id, cost, lines }: Day): Promise<Bound> {
  await db.deleteFrom("lines").where("day_id", "=", id).execute();
  await removeInstances(db, id);
  await db.deleteFrom("days").where("id", "=", id).execute();
  return { bytes: cost, lines };
}

type Gone = Bound & { readonly last: number | undefined };

/** Replaces the last dropped line with a note of how many were dropped. */
async function drop(db: Kysely<LogTables>, day: Day, { bytes, lines, last }: Gone): Promise<Bound> {
  if (last === undefined) return { bytes: 0, lines: 0 };
  const { dropped } = await db.selectFrom("days").select("dropped").where("id", "=", day.id).executeTakeFirstOrThrow();
  // The previous note is now the oldest line; it is not the program's.
  const total = dropped + lines - (dropped > 0 ? 1 : 0);
  const line = `[gantry] the first ${total} lines of this day were dropped: the log had reached its limit`;
  await db.deleteFrom("lines").where("day_id", "=", day.id).where("id", "<", last).execute();
  const note = await db
    .updateTable("lines")
    .set({ line })
    .where("id", "=", last)
    .returning(["instance", "line"])
    .executeTakeFirstOrThrow();
  const freed = { bytes: bytes - costOfLine(note), lines: lines - 1 };
  await db
    .updateTable("days")
    .set((eb) => ({
      dropped: total,
      cost: eb("cost", "-", freed.bytes),
      lines: eb("lines", "-", freed.lines),
    }))
    .where("id", "=", day.id)
    .execute();
  return freed;
}
