import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { EngineParts } from "./engine-parts.ts";
import { segment } from "../engines/process/records/host-folder.ts";
import { reviveJob } from "./jobs/job-recovery.ts";
import { storedJobs, type StoredJob } from "./state/job-store.ts";
import { endProcesses, signalProcess, type RecordedProcess } from "../engines/process/records/orphans.ts";
import { forgetAllProcesses, recordedProcesses } from "../engines/process/records/process-store.ts";
import { seeProcesses } from "../engines/process/records/seen-process.ts";
import { reviveService } from "./services/service-recovery.ts";
import { storedServices, type StoredService } from "./state/service-store.ts";
import { withFileNamed } from "./state/start-error.ts";
import type { Unreadable } from "./state/unreadable.ts";

/** Mostly they have gone by themselves (programs/lifeline.ts); the rest does not delay the start for long. */
const ORPHAN_GRACE_MS = 1_000;

/** The configured regions and users; everyone if `users` is undefined. */
export type Clients = { readonly regions: readonly string[]; readonly users?: readonly string[] | undefined };

/**
 * Restores the saved workloads and returns notices for the operator. First ends processes of an earlier engine, so
 * nothing runs twice. Then restores each workload independently: a damaged one shows as failed and doesn't stop the
 * others.
 */
export async function recover(parts: EngineParts, clients: Clients): Promise<readonly string[]> {
  const { state } = parts.surface;
  const file = join(parts.surface.dataDir, "state.sqlite");
  await endEarlierProcesses(parts, await withFileNamed(file, () => recordedProcesses(state)));
  const services = await withFileNamed(file, () => storedServices(state));
  const jobs = await withFileNamed(file, () => storedJobs(state));
  const absent: Named[] = [];
  for (const stored of services) {
    if (isAbsent(stored, clients)) absent.push(nameOf(stored));
    else await each(parts, nameOf(stored), () => reviveStoredService(parts, stored));
  }
  for (const stored of jobs) {
    if (isAbsent(stored, clients)) absent.push(nameOf(stored));
    else await each(parts, nameOf(stored), () => reviveStoredJob(parts, stored));
  }
  const kept = [...services, ...jobs].map(nameOf);
  await removeOldFolders(parts, kept);
  parts.surface.inBackground(parts.surface.logs.keepOnly(kept.map(({ uid }) => uid)));
  for (const { uid, kind, username, region, name } of absent) {
    parts.surface.onEvent("not starting a workload: its region or user is not configured", {
      uid,
      kind,
      username,
      region,
      name,
    });
  }
  return absent.length > 0 ? [absentNotice(absent)] : [];
}

async function endEarlierProcesses(
  { surface: { state, onEvent } }: EngineParts,
  recorded: readonly RecordedProcess[],
): Promise<void> {
  const found = await endProcesses(recorded, { see: seeProcesses, kill: signalProcess }, ORPHAN_GRACE_MS);
  if (found.length > 0) onEvent("processes of an earlier engine were ended", { pids: found });
  try {
    await forgetAllProcesses(state);
  } catch (error) {
    // A full disk. The next start looks for them again and finds none.
    onEvent("couldn't clear the list of an earlier engine's processes", { error });
  }
}

/** An error in one workload must not affect the others. */
async function each(parts: EngineParts, named: Named, revive: () => Promise<void>): Promise<void> {
  try {
    await revive();
  } catch (error) {
    const reason = `It couldn't be restored after the last start: ${String(error)}.`;
    parts.services.delete(named.uid);
    parts.jobs.delete(named.uid);
    addUnreadable(parts, { ...named, createdAt: undefined, reason });
  }
}

function addUnreadable(parts: EngineParts, unreadable: Unreadable): void {
  const { uid, kind, username, region, name, reason } = unreadable;
  parts.unreadable.set(uid, unreadable);
  parts.ledger.keep(unreadable, { instances: 0, memoryMib: 0, ports: 0, workloads: 1 });
  const data = { uid, kind, username, region, name, reason };
  parts.surface.onEvent("can't use a saved workload; showing it as failed", data);
}

async function reviveStoredService(parts: EngineParts, stored: StoredService): Promise<void> {
  if ("service" in stored) await reviveService(parts, stored.service);
  else addUnreadable(parts, stored.unreadable);
}

async function reviveStoredJob(parts: EngineParts, stored: StoredJob): Promise<void> {
  if ("job" in stored) await reviveJob(parts, stored.job);
  else addUnreadable(parts, stored.unreadable);
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

/** Removes folders of workloads deleted just before the earlier engine died. */
async function removeOldFolders({ surface }: EngineParts, kept: readonly Named[]): Promise<void> {
  const known = new Set(kept.map(({ uid }) => segment(uid)));
  for (const parent of ["work", "runs"]) {
    const folder = join(surface.dataDir, parent);
    const names = await readdir(folder).catch(() => []); // there is none before the first workload
    for (const name of names.filter((name) => !known.has(name))) {
      await rm(join(folder, name), { recursive: true, force: true }).catch((error: unknown) => {
        surface.onEvent("couldn't remove the folder of a deleted workload", { error });
      });
    }
  }
}
