import { memoryChoiceValues } from "./schema.ts";
import type { MemoryChoice } from "./schema.ts";

// Plain numbers are MiB in this API. Jobs answer with the suffixes of Kubernetes
// (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/), and `B` for bytes.
const bytesOf: Readonly<Record<string, number>> = {
  "": 1024 ** 2,
  B: 1,
  K: 1000,
  k: 1000,
  M: 1000 ** 2,
  G: 1000 ** 3,
  T: 1000 ** 4,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
};

/** Reads 512, "512", "512Mi", "1Gi" or "1024Ki" as MiB; the result can be a fraction. */
export function parseMemoryMiB(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== "string") return undefined;
  const [, digits = "", suffix = ""] = /^(\d{1,15}(?:\.\d{1,9})?)([A-Za-z]{0,2})$/u.exec(value.trim()) ?? [];
  const unit = bytesOf[suffix];
  return digits === "" || unit === undefined ? undefined : (Number(digits) * unit) / 1024 ** 2;
}

const LARGEST_MIB = 1024 * 1024;

export const MEMORY_RANGE = "from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi";

/**
 * A requested size in whole MiB, rounded up so that a workload never gets less than requested. Undefined outside
 * `MEMORY_RANGE`.
 */
export function memoryMiB(value: unknown): number | undefined {
  const mib = Math.ceil(parseMemoryMiB(value) ?? 0);
  return mib >= 1 && mib <= LARGEST_MIB ? mib : undefined;
}

/** A size as a person types it, in whole MiB, or what is wrong with it. */
export function typedMemory(typed: string): { readonly mib: number } | { readonly problem: string } {
  const mib = memoryMiB(typed);
  if (mib === undefined) {
    const near = nearMemory(typed);
    const todo = near === undefined ? `Write a size ${MEMORY_RANGE}.` : `Did you mean ${near}?`;
    return { problem: `“${typed}” isn't a memory size. ${todo}` };
  }
  // Other units are rounded up, because they are hardly ever whole MiB. A fraction of these is a slip.
  const isPart = parseMemoryMiB(typed) !== mib && /(?:[.\d]|[MGT]i)$/u.test(typed.trim());
  return isPart ? { problem: `“${typed}” isn't a whole number of MiB. Did you mean ${mib}Mi?` } : { mib };
}

/** `512mb`, `1 GB` and `2gi` as people write them elsewhere. */
function nearMemory(typed: string): string | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,15}(?:\.\d{1,9})?) ?([kmgt])i?b?$/iu.exec(typed.trim()) ?? [];
  const near = `${digits}${unit.toUpperCase()}i`;
  return memoryMiB(near) === undefined ? undefined : near;
}

/** The format of `createJob`: "512Mi". */
export function jobMemory(mib: number): string {
  return `${mib}Mi`;
}

/** The format of `createService`: "512". */
export function serviceMemory(mib: number): string {
  return String(mib);
}

/** The sizes that each workload API takes in `updateService`, in MiB. Ours takes any, and says so: see `EngineInfo`. */
export const updateMemoryMiB: readonly MemoryChoice[] = memoryChoiceValues;

export function isUpdateMemory(mib: number | undefined): mib is MemoryChoice {
  return updateMemoryMiB.some((choice) => choice === mib);
}
