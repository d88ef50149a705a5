import { setTimeout as pause } from "node:timers/promises";
import type { Kysely } from "kysely";
import { Refusal, type User } from "../engine.ts";
import type { BackOff } from "./lifecycle/back-off.ts";
import type { LiveJob } from "./jobs/live-job.ts";
import type { LiveService } from "./services/live-service.ts";
import type { Ledger } from "./quota.ts";
import type { SerialQueue } from "./lifecycle/serial-queue.ts";
import type { StartQueue } from "./lifecycle/start-queue.ts";
import type { LogWriter } from "./logs/log-writer.ts";
import type { Runtime } from "./runtime.ts";
import type { StateTables } from "./state/tables.ts";
import type { Unreadable } from "./state/unreadable.ts";

/** Dependencies of services and jobs. */
export type EngineDeps = {
  readonly runtime: Runtime;
  readonly state: Kysely<StateTables>;
  readonly logs: LogWriter;
  readonly dataDir: string;
  readonly backOff: BackOff;
  readonly jobRetries: number;
  /** An instance without ports is ready after this long. */
  readonly readyAfterMs: number;
  readonly now: () => Date;
  readonly onEvent: (message: string, data: object) => void;
  readonly starts: StartQueue;
  readonly ledger: Ledger;
  /** Aborted when the engine begins to close. */
  readonly closing: AbortSignal;
  /** Aborted when the engine closes and leaves its units running. */
  readonly leaving: AbortSignal;
  /** Work that goes on after its answer, such as the end of a deleted job; `close` waits for it. */
  readonly inBackground: (work: Promise<unknown>) => void;
};

/** State shared by all operations. The maps are keyed by uid and mirror the state file. */
export type EngineParts = {
  readonly deps: EngineDeps;
  readonly regions: readonly string[];
  readonly services: Map<string, LiveService>;
  readonly jobs: Map<string, LiveJob>;
  /** Saved workloads that can't be used. */
  readonly unreadable: Map<string, Unreadable>;
  /** Writes to one workload wait for each other. */
  readonly queue: SerialQueue;
  /** Throws a `Refusal` 503 when the engine is closing. */
  readonly ensureOpen: () => void;
};

type Named = { readonly username: string; readonly name: string };

/** The user's workload of this name. Throws a `Refusal` 404 if there is none. */
export function findOwn<T extends Named>(
  candidates: Iterable<T>,
  wanted: { user: User; name: string; noun: string },
): T {
  const found = ownOf(candidates, wanted.user, wanted.name);
  if (found) return found;
  throw new Refusal(404, `no ${wanted.noun} is named ${wanted.name}: check the name`);
}

export function ownOf<T extends Named>(candidates: Iterable<T>, user: User, name: string): T | undefined {
  for (const candidate of candidates) {
    if (candidate.username === user.username && candidate.name === name) return candidate;
  }
  return undefined;
}

/** Waits for slow work, but no longer than an answer may take, and not for a client that is gone. */
export async function forAMoment(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const waited = new AbortController();
  const most = pause(ANSWER_WITHIN_MS, undefined, { ref: false, signal: AbortSignal.any([signal, waited.signal]) });
  try {
    await Promise.race([work, most.catch(() => undefined)]);
  } finally {
    waited.abort();
  }
}

const ANSWER_WITHIN_MS = 2_000;
