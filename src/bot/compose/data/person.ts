import { sql } from "kysely";
import { pino } from "pino";
import { createSealer } from "../../accounts/seal.ts";
import { besideGantry } from "../../store/open-store.ts";
import { erasePerson, openOf, personRows } from "../../store/database/person.ts";
import { liveReplicas } from "../../store/database/replicas.ts";
import { resealAll, sealedCounts } from "../../store/database/sealed-columns.ts";
import type { Session } from "../../store/database/session.ts";
import { sealHistory } from "../../store/audit/seal-history.ts";
import { placeOf } from "../audit/audit-command.ts";
import type { Config } from "../config.ts";
import { configuredKeyring } from "../keys.ts";
import { DataError } from "../../errors.ts";

type Settings = Pick<Config, "store" | "dataDir" | "keys">;

async function withSession<Result>(
  settings: Settings,
  work: (session: Session, keyring: ReturnType<typeof createSealer>) => Promise<Result>,
): Promise<Result> {
  const keyring = configuredKeyring(settings);
  if ("problem" in keyring) throw new DataError(`${keyring.problem}. Nothing was changed.`);
  const sealer = createSealer(keyring.keys);
  const log = pino({ level: "silent" });
  return besideGantry(placeOf(settings), { sealer, log }, (session) => work(session, sealer));
}

/** Everything that is kept of a person, as JSON. */
export function exportPerson(settings: Settings, userId: string): Promise<string> {
  return withSession(settings, async (session) => {
    const rows = await personRows(session, userId);
    return JSON.stringify({ type: "gantry-person", version: 1, userId, rows }, undefined, 2);
  });
}

/** Replaces what is kept of a person. Refuses while a request of theirs is open: it would be lost on the way. */
export function erasePersonNow(settings: Settings, userId: string): Promise<string> {
  return withSession(settings, async (session, sealer) => {
    const [current = ""] = sealer.keyIds;
    // A running replica without the key couldn't open the rewritten history.
    await refuseIfLacking(session, current, "Nothing was erased.");
    const { chain } = session;
    if (chain === undefined) throw new DataError("The key of the audit chain can't be opened. Nothing was erased.");
    await sealHistory(session);
    const { requests: open, events: waiting } = await openOf(session, userId);
    if (open > 0) {
      throw new DataError(
        `${open === 1 ? "A request" : `${open} requests`} of ${userId} ${open === 1 ? "is" : "are"} open. Cancel or decide ${open === 1 ? "it" : "them"}, then try again. Nothing was erased.`,
      );
    }
    if (waiting > 0) throw new DataError("Events are being written. Try again in a minute. Nothing was erased.");
    const { db, flavour } = session;
    // SQLite otherwise leaves what was replaced in free parts of its file.
    if (flavour === "sqlite") await sql`pragma secure_delete = on`.execute(db);
    const { pseudonym, events, requests, wasKnown } = await erasePerson(session, { chain, sealer }, userId);
    if (!wasKnown) throw new DataError(`Nothing is stored about ${userId}. Check the ID. Nothing was changed.`);
    await sealHistory(session);
    if (flavour === "sqlite") await sql`pragma wal_checkpoint(truncate)`.execute(db);
    return [
      `Erased ${userId}. Events changed: ${events}, requests: ${requests}. In their place is ${pseudonym}. Their accounts, settings and watches are deleted.`,
      "The audit chain still holds. Not erased: earlier exports, backups, logs, what receivers got, and Slack's messages.",
    ].join("\n");
  });
}

/** Which keys sealed what is stored. */
export function listKeys(settings: Settings): Promise<string> {
  return withSession(settings, async ({ db }, sealer) => {
    const counts = await sealedCounts(db);
    const [current = ""] = sealer.keyIds;
    const ids = [...new Set([...sealer.keyIds, ...counts.keys()])];
    return ids
      .map((id) => {
        const count = counts.get(id) ?? 0;
        const role = id === current ? "seals" : sealer.keyIds.includes(id) ? "opens" : "not configured";
        const advice = role === "opens" && count === 0 ? ": can be removed" : "";
        return `${id}  ${role}  ${count} ${count === 1 ? "value" : "values"}${advice}`;
      })
      .join("\n");
  });
}

/** Throws while a running replica lacks this key: it couldn't open what we seal with it. */
async function refuseIfLacking(session: Session, keyId: string, nothing: string): Promise<void> {
  const lacking = (await liveReplicas(session)).filter(({ report }) => report?.keyIds?.includes(keyId) === false);
  if (lacking.length === 0) return;
  const hosts = [...new Set(lacking.map(({ report }) => report?.host))].join(", ");
  throw new DataError(
    `Gantry runs without the key ${keyId} on ${hosts}. Restart it there, wait 20 s, and try again. ${nothing}`,
  );
}

/** Seals everything with the first key. Refuses while a running replica lacks that key. */
export function resealNow(settings: Settings): Promise<string> {
  return withSession(settings, async (session, sealer) => {
    const { db } = session;
    const [current = "", ...older] = sealer.keyIds;
    await refuseIfLacking(session, current, "Nothing was changed.");
    const { resealed, unopened } = await resealAll(db, sealer);
    const done = `Sealed ${resealed} ${resealed === 1 ? "value" : "values"} with ${current}.`;
    if (unopened > 0) {
      return `${done} No configured key opens ${unopened} ${unopened === 1 ? "other, which was" : "others, which were"} left. Add the key that sealed them, and try again.`;
    }
    if (older.length === 0) return done;
    return `${done} Once all replicas have ${current} as their first key, run it again: when it says 0 values, remove ${older.join(", ")}.`;
  });
}
