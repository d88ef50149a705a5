import type { Clock } from "../../platform/clock.ts";
import { restUnlessAborted, within } from "../../platform/waiting.ts";
import { Refusal, type User } from "../engine.ts";
import type { EngineContext } from "./engine-context.ts";
import type { LiveJob } from "./jobs/live-job.ts";
import type { SerialQueue } from "./lifecycle/serial-queue.ts";
import type { LiveService } from "./services/live-service.ts";
import type { Unreadable } from "./state/unreadable.ts";

/** State shared by all operations. The maps are keyed by uid and mirror the state file. */
export type EngineParts = {
  readonly context: EngineContext;
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

const ANSWER_WITHIN_MS = 2_000;

/**
 * Waits for slow work, but no longer than an answer may take, and not for a client that is gone. Resolves to whether the work
 * is done.
 */
export async function forAMoment(
  work: Promise<unknown>,
  signal: AbortSignal,
  clock: Pick<Clock, "after">,
): Promise<boolean> {
  let isDone = false;
  const done = work.then(() => (isDone = true));
  await within(ANSWER_WITHIN_MS, restUnlessAborted(done, signal), () => undefined, clock);
  return isDone;
}
