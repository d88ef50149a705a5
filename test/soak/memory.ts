import type { Replica } from "./replica.ts";
import { rssMb } from "../bench/machine.ts";

export type Sample = { readonly atMs: number; readonly mb: number };

export type Memory = {
  readonly resident: () => readonly Sample[];
  /** The heap that is in use after each full collection. */
  readonly held: () => readonly Sample[];
  readonly stop: () => void;
};

const EVERY_MS = 2_000;

/** Measures the memory of one replica that lives through the whole soak. */
export function watchMemory(replica: Pick<Replica, "pid" | "heldMb"> | undefined): Memory {
  const resident: Sample[] = [];
  const timer = setInterval(() => {
    const mb = residentMb(replica?.pid());
    if (mb !== undefined) resident.push({ atMs: performance.now(), mb });
  }, EVERY_MS);
  return { resident: () => resident, held: () => replica?.heldMb() ?? [], stop: () => clearInterval(timer) };
}

/** Undefined when it is gone, which others find out. */
function residentMb(pid: number | undefined): number | undefined {
  try {
    return pid === undefined ? undefined : rssMb(pid);
  } catch {
    return undefined;
  }
}

export type Growth = {
  readonly fromMb: number;
  readonly toMb: number;
  /** Of a straight line through the samples after the start, by least squares. */
  readonly mbPerMinute: number;
  /** Two standard errors of that: how far from it the truth may well be. */
  readonly giveOrTake: number;
};

/** The first third of the time is for caches, connections and compiled code. */
const WARM_UP_SHARE = 1 / 3;
/** Through two points a line always goes, and through three it nearly does. */
const LEAST_SAMPLES = 4;

/** Undefined when there were too few samples after the start. */
export function growthOf(samples: readonly Sample[], beganAtMs: number, endedAtMs: number): Growth | undefined {
  const warmAtMs = beganAtMs + (endedAtMs - beganAtMs) * WARM_UP_SHARE;
  const warm = samples.filter(({ atMs }) => atMs >= warmAtMs);
  const [first] = warm;
  const last = warm.at(-1);
  if (first === undefined || last === undefined || warm.length < LEAST_SAMPLES) return undefined;
  const { slope, error } = lineThrough(warm);
  return { fromMb: first.mb, toMb: last.mb, mbPerMinute: slope * 60_000, giveOrTake: 2 * error * 60_000 };
}

/** Its slope in MB a millisecond, and the standard error of it. */
function lineThrough(samples: readonly Sample[]): { readonly slope: number; readonly error: number } {
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / samples.length;
  const meanMb = samples.reduce((sum, { mb }) => sum + mb, 0) / samples.length;
  const over = samples.reduce((sum, { atMs, mb }) => sum + (atMs - meanAt) * (mb - meanMb), 0);
  const under = samples.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  const slope = under === 0 ? 0 : over / under;
  const away = samples.reduce((sum, { atMs, mb }) => sum + (mb - meanMb - slope * (atMs - meanAt)) ** 2, 0);
  return { slope, error: under === 0 ? 0 : Math.sqrt(away / (samples.length - 2) / under) };
}
