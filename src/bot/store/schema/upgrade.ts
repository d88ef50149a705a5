import { beat } from "../database/replicas.ts";
import type { Session } from "../database/session.ts";
import { migrate } from "./migrations.ts";

/** A replica that stops takes up to 25 s, and one that was killed counts as alive for 20 s. */
const STOP_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 500;

/**
 * Brings the schema up to date and says that this replica lives, in one transaction: a newer version that starts right after it has to see
 * it. Waits for older replicas to stop. Throws an Error with a sentence when they go on: then nothing was changed.
 */
export async function upgrade(
  session: Omit<Session, "chain">,
  { isOnlyProcess, signal }: { readonly isOnlyProcess: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { log, machine } = session;
  const since = machine.elapsedMs();
  for (let isFirst = true; ; isFirst = false) {
    const older = await migrate(session, { isOnlyProcess, finish: (tx) => beat({ ...session, db: tx }) });
    if (older.length === 0) return;
    const names = older.map(({ id, report }) => (report ? `${report.host} (Gantry ${report.version})` : id)).join(", ");
    const [replicas, them] =
      older.length === 1
        ? ["a replica of an older version still uses", "it"]
        : ["replicas of an older version still use", "all of them"];
    if (machine.elapsedMs() - since >= STOP_WITHIN_MS) {
      throw new Error(
        `Gantry wasn't started. It has to change the database, and ${replicas} it: ${names}. ` +
          `Nothing was changed. Stop ${them}, then start this version.`,
      );
    }
    if (isFirst)
      log.warn(`${replicas} the database: ${names}; waiting up to ${STOP_WITHIN_MS / 1_000} s for ${them} to stop`);
    await machine.sleep(ASK_EVERY_MS, signal);
  }
}
