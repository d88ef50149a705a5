import { sql, type SqlBool } from "kysely";
import type { StoredChange } from "../changes/stored-change.ts";
import { inBatches, type Session } from "./database/session.ts";
import { wholeChanges } from "./find-change.ts";

type Known = { readonly stamp: string; readonly change: StoredChange };
type KnownById = ReadonlyMap<string, Known>;

/** Changes kept at most, of all workspaces. */
const MOST_KEPT = 10_000;

/**
 * Changes that wait for approvals and may still get them, oldest first. Lists, Home and pickers ask for all of them, so a
 * Change is read whole once, and again when one of the columns that can change while it waits has changed.
 */
export function createPending(session: Session): (teamId: string) => Promise<readonly StoredChange[]> {
  const kept = new Map<string, KnownById>();
  return async (teamId) => {
    const stamps = await stampsOf(session, teamId);
    const current = await brought(session, stamps, kept.get(teamId) ?? new Map<string, Known>());
    keep(kept, teamId, current);
    return [...stamps.keys()].flatMap((id) => current.get(id)?.change ?? []);
  };
}

/** By id, in order: a text that differs when the Change may differ. */
async function stampsOf({ db, clock }: Session, teamId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("change")
    .select(["id", "version", "channel_id", "card_channel", "card_ts", "terms", "account_owner"])
    .select(sql<number>`length(sealed)`.as("size"))
    .where("team_id", "=", teamId)
    .where(sql<SqlBool>`state = 'pending'`)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock())]))
    .orderBy("created_at")
    .execute();
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
  const unreadable = (id: string, err: unknown): void =>
    session.log.error({ err, change: id }, "a waiting request couldn't be read and isn't listed");
  for (const [id, stamp] of stamps) {
    const found = known.get(id);
    if (found?.stamp === stamp) current.set(id, found);
    else unknown.push(id);
  }
  const rows = await inBatches(unknown, (some) =>
    session.db.selectFrom("change").selectAll().where("id", "in", some).execute(),
  );
  for (const change of await wholeChanges(session, rows, unreadable)) {
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
