import { join } from "node:path";
import type { EngineParts } from "./engine-parts.ts";
import { reviveJob, endLeftover } from "./jobs/job-recovery.ts";
import { recordFolders } from "./jobs/run-record.ts";
import { resumeLog } from "./lifecycle/keep-running.ts";
import type { Unit } from "./runtime.ts";
import { reviveService } from "./services/live-service.ts";
import { storedJobs, type StoredJob } from "./state/store.ts";
import { storedServices, type StoredService } from "./state/store.ts";
import { removeOtherFolders, withFileNamed } from "./state/data-folder.ts";
import type { Unreadable } from "./answer-fields.ts";

/** The configured regions and users; everyone if `users` is undefined. */
type Clients = { readonly regions: readonly string[]; readonly users?: readonly string[] | undefined };

type Adopted = ReadonlyMap<string, readonly Unit[]>;

/**
 * Restores the saved workloads and returns notices for the operator. First adopts the units of an earlier server, so
 * nothing runs twice. Then restores each workload independently: a damaged one shows as failed and doesn't stop the
 * others. Units of unknown workloads are stopped.
 */
export async function recover(parts: EngineParts, clients: Clients): Promise<readonly string[]> {
  const { state, dataDir } = parts.context;
  const file = join(dataDir, "state.sqlite");
  const adopted = await adoptUnits(parts);
  const services = await withFileNamed(file, () => storedServices(state));
  const jobs = await withFileNamed(file, () => storedJobs(state));
  const all = [...services, ...jobs];
  const absent: Named[] = [];
  for (const stored of all) {
    if (isAbsent(stored, clients)) absent.push(nameOf(stored));
    else await revive(parts, stored, adopted);
  }
  stopOthers(parts, adopted);
  const kept = new Set(all.map((stored) => nameOf(stored).uid));
  await removeOtherFolders(recordFolders(dataDir), kept, parts.context.onEvent);
  await parts.context.runtime.clearOthers(kept);
  parts.context.inBackground(parts.context.logs.keepOnly(kept));
  for (const { uid, kind, username, region, name } of absent) {
    const message = "not starting a workload: its region or user isn't configured";
    parts.context.onEvent(message, { uid, kind, username, region, name });
  }
  return absent.length > 0 ? [absentNotice(absent)] : [];
}

/** At most one unit of each container and generation: of several, which only a failed start can leave, the last one is adopted. */
async function adoptUnits({ context }: EngineParts): Promise<Adopted> {
  const latest = new Map<string, Unit>();
  for (const unit of await context.runtime.adopt()) {
    const { workload, instance, container, generation } = unit.labels;
    const key = JSON.stringify([workload, instance, container, generation]);
    const other = latest.get(key);
    if (other) context.inBackground(endLeftover(other, context));
    latest.set(key, unit);
  }
  for (const unit of latest.values()) {
    context.starts.count(unit);
    await resumeLog(unit, context);
  }
  return Map.groupBy(latest.values(), ({ labels }) => labels.workload);
}

/** The units of workloads that were deleted, can't be read, or whose user or region is not configured. */
function stopOthers({ context, services, jobs }: EngineParts, adopted: Adopted): void {
  for (const [uid, units] of adopted) {
    if (services.has(uid) || jobs.has(uid)) continue;
    context.onEvent("stopping units without a workload", { uid, units: units.length });
    context.inBackground(Promise.all(units.map((unit) => endLeftover(unit, context))));
  }
}

/** An error in one workload must not affect the others. */
async function revive(parts: EngineParts, stored: StoredService | StoredJob, adopted: Adopted): Promise<void> {
  const named = nameOf(stored);
  const units = adopted.get(named.uid) ?? [];
  try {
    if ("unreadable" in stored) addUnreadable(parts, stored.unreadable);
    else if ("service" in stored) await reviveService(parts, stored.service, units);
    else await reviveJob(parts, stored.job, units);
  } catch (error) {
    const reason = `It couldn't be restored after the last start: ${String(error)}.`;
    // Otherwise it would restart the adopted units, which are stopped below.
    parts.context.inBackground(parts.services.get(named.uid)?.runner.shutDown() ?? Promise.resolve());
    parts.services.delete(named.uid);
    parts.jobs.delete(named.uid);
    addUnreadable(parts, { ...named, createdAt: undefined, reason });
  }
}

function addUnreadable(parts: EngineParts, unreadable: Unreadable): void {
  const { uid, kind, username, region, name, reason } = unreadable;
  parts.unreadable.set(uid, unreadable);
  parts.context.ledger.keep(unreadable, { instances: 0, memoryMib: 0, ports: 0, workloads: 1 });
  const data = { uid, kind, username, region, name, reason };
  parts.context.onEvent("can't use a saved workload; showing it as failed", data);
}

type Named = Pick<Unreadable, "uid" | "kind" | "username" | "region" | "name">;

function nameOf(stored: StoredService | StoredJob): Named {
  if ("unreadable" in stored) return stored.unreadable;
  if ("service" in stored) return { ...stored.service, kind: "service" };
  return { ...stored.job, kind: "job", region: "" };
}

/** Accepted deletions finish even for unconfigured users. Jobs have a region of their own. */
function isAbsent(stored: StoredService | StoredJob, { regions, users }: Clients): boolean {
  if ("service" in stored && stored.service.deleting) return false;
  const { kind, username, region } = nameOf(stored);
  return (kind === "service" && !regions.includes(region)) || (users !== undefined && !users.includes(username));
}

const NAMED_IN_NOTICE = 20;

function absentNotice(absent: readonly Named[]): string {
  const named = absent.slice(0, NAMED_IN_NOTICE).map(({ kind, name, username, region }) => {
    return `${kind} ${name} of ${username}${region === "" ? "" : ` in ${region}`}`;
  });
  const more = absent.length > named.length ? `, and ${absent.length - named.length} more` : "";
  const what = absent.length === 1 ? "1 workload was" : `${absent.length} workloads were`;
  return `${what} not started, because the region or the user is no longer configured: ${named.join(", ")}${more}. Nothing was deleted: add the region or the user again to run them.`;
}
