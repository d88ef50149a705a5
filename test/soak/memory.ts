import type { Replica } from "./replica.ts";
import { rssMb } from "../bench/memory.ts";

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
};

/** The first third is for caches, connections and compiled code. */
const WARM_UP_SHARE = 1 / 3;

export function growthOf(samples: readonly Sample[]): Growth | undefined {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const [first] = warm;
  const last = warm.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  return { fromMb: first.mb, toMb: last.mb, mbPerMinute: slopeOf(warm) * 60_000 };
}

function slopeOf(samples: readonly Sample[]): number {
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / samples.length;
  const meanMb = samples.reduce((sum, { mb }) => sum + mb, 0) / samples.length;
  const over = samples.reduce((sum, { atMs, mb }) => sum + (atMs - meanAt) * (mb - meanMb), 0);
  const under = samples.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
