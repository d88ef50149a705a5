import { Refusal, type User } from "../engine.ts";
import type { BackOff } from "./back-off.ts";
import type { Surface } from "./child.ts";
import type { LiveJob } from "./live-job.ts";
import type { LiveService } from "./live-service.ts";
import type { SerialQueue } from "./serial-queue.ts";

/** What instances need of the engine. */
export type RunSurface = Surface & {
  readonly dataDir: string;
  readonly backOff: BackOff;
  /** An instance that has stayed up this long counts as ready, even when its port does not answer. */
  readonly readyAfterMs: number;
  readonly now: () => Date;
  readonly onEvent: (message: string, data: object) => void;
};

/** What the operations share. The maps go by uid, and hold what the state file holds. */
export type EngineParts = {
  readonly surface: RunSurface;
  readonly regions: readonly string[];
  readonly services: Map<string, LiveService>;
  readonly jobs: Map<string, LiveJob>;
  /** Writes to one workload wait for each other. */
  readonly queue: SerialQueue;
  /** What still goes on after its answer, such as the end of a deleted job; `close` waits for it. */
  readonly inBackground: (work: Promise<unknown>) => void;
  /** Throws a `Refusal` 503 when the engine is closing. */
  readonly ensureOpen: () => void;
};

/** The workload that a user asks for, or a `Refusal` 404. */
export function findOwn<T extends { readonly username: string; readonly name: string }>(
  candidates: Iterable<T>,
  wanted: { user: User; name: string; noun: string },
): T {
  for (const candidate of candidates) {
    if (candidate.username === wanted.user.username && candidate.name === wanted.name) return candidate;
  }
  throw new Refusal(404, `there is no ${wanted.noun} named ${wanted.name}: list what there is to see the names`);
}

/** Waits for something that may take long, but only for a moment: an answer should not take longer. */
export async function forAMoment(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, new Promise((resolve) => setTimeout(resolve, ANSWER_WITHIN_MS).unref())]);
}

const ANSWER_WITHIN_MS = 2_000;
