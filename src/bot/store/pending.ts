import { sql, type SqlBool } from "kysely";
import { z } from "zod";
import type { StoredChange } from "../changes/stored-change.ts";
import { optional } from "../optional.ts";
import { builtOnce, inBatches, type Session, timeAt } from "./database/session.ts";
import { Big, parseRow, Time } from "./schema/columns.ts";
import { changeRows, wholeChanges } from "./whole-change.ts";
import { cardColumn } from "./posts.ts";

type Known = { readonly stamp: string; readonly change: StoredChange };
type KnownById = ReadonlyMap<string, Known>;

/** Changes kept at most, of all workspaces. */
const MOST_KEPT = 10_000;
/** By workspace. */
const keptOver = new WeakMap<Session["db"], Map<string, KnownById>>();

/**
 * Changes that wait for approvals and may still get them, oldest first. Lists, Home and pickers ask for all of them, so a
 * Change is read whole once, and again when one of the columns that can change while it waits has changed.
 */
export async function pendingChanges(session: Session, teamId: string): Promise<readonly StoredChange[]> {
  const kept = keptOver.get(session.db) ?? new Map<string, KnownById>();
  keptOver.set(session.db, kept);
  const stamps = await stampsOf(session, teamId);
  const current = await brought(session, stamps, kept.get(teamId) ?? new Map<string, Known>());
  keep(kept, teamId, current);
  return [...stamps.keys()].flatMap((id) => current.get(id)?.change ?? []);
}

const waitingRows = builtOnce(
  ({ db, flavour }, { teamId, shift }: { readonly teamId: string; readonly shift: string }) =>
    db
      .selectFrom("change")
      .select(["id", "version", "channel_id", "terms", "account_owner"])
      .select(cardColumn)
      .select(sql<number>`length(sealed)`.as("size"))
      .where("team_id", "=", teamId)
      .where(sql<SqlBool>`state = 'pending'`)
      .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", timeAt(flavour, shift))]))
      .orderBy("created_at"),
);

/** By id, in order: a text that differs when the Change may differ. */
async function stampsOf(session: Session, teamId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await waitingRows(session, { teamId, shift: session.clock.shift() });
  return new Map(rows.map(({ id, ...rest }) => [id, Object.values(rest).join("\n")]));
}

/** The Changes as they are now; read are those that aren't known, or not like this. */
async function brought(
  session: Session,
  stamps: ReadonlyMap<string, string>,
  known: KnownById,
): Promise<ReadonlyMap<string, Known>> {
  const current = new Map<string, Known>();
  const unknown: string[] = [];
  for (const [id, stamp] of stamps) {
    const found = known.get(id);
    if (found?.stamp === stamp) current.set(id, found);
    else unknown.push(id);
  }
  const rows = await inBatches(unknown, (some) => changeRows(session.db).where("id", "in", some).execute());
  const broken = { words: "a waiting request couldn't be read and isn't listed", level: "error" } as const; // a literal level
  for (const change of await wholeChanges(session, rows, broken)) {
    // Decided since the stamps were read.
    if (change.state !== "pending") continue;
    current.set(change.id, { stamp: stamps.get(change.id) ?? "", change });
  }
  return current;
}

/** The workspace that asked last stays longest. */
function keep(kept: Map<string, KnownById>, teamId: string, current: KnownById): void {
  kept.delete(teamId);
  kept.set(teamId, current);
  let size = [...kept.values()].reduce((sum, each) => sum + each.size, 0);
  for (const [id, each] of kept) {
    if (size <= MOST_KEPT) return;
    kept.delete(id);
    size -= each.size;
  }
}

export type Waiting = {
  /** At most 10,000. */
  readonly count: number;
  /** Undefined when none waits. */
  readonly oldestMs: number | undefined;
  /** Milliseconds by which the most overdue poll of a watched list is late; undefined while nothing is watched. */
  readonly watchLagMs: number | undefined;
};

const WaitingRow = z.object({
  count: Big,
  oldest: optional(Time),
  due: optional(Time),
  now: Time,
});

/** What waits in all workspaces, and for how long. One statement over the few rows of an index and a short table. */
export async function waiting(session: Session): Promise<Waiting> {
  const { db, clock } = session;
  const pending = db
    .selectFrom("change")
    .select("created_at")
    .where(sql<SqlBool>`state = 'pending'`)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock())]))
    .limit(MOST_KEPT);
  const row = await db
    .selectFrom(pending.as("pending"))
    .select(({ fn }) => [fn.countAll().as("count"), fn.min("created_at").as("oldest"), clock().as("now")])
    .select((outer) =>
      outer
        .selectFrom("due")
        .select((inner) => inner.fn.min("at").as("at"))
        .where("kind", "=", "round")
        .as("due"),
    )
    .executeTakeFirst();
  const { count, oldest, due, now } = parseRow(WaitingRow, row, "The number of waiting requests");
  const since = (time: Date | undefined): number | undefined => time && Math.max(0, now.getTime() - time.getTime());
  return { count, oldestMs: since(oldest), watchLagMs: since(due) };
}
