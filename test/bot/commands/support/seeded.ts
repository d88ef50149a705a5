import type { Parameters } from "fast-check";
import { cases } from "../../../support/full-run.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);

/** Of one property, in a full run on a busy machine. */
export const timeout = 120_000;

/** How a property of the verbs is tried; the seed is printed, so that a run can be repeated. */
export function seeded(what: string, share = 1): Pick<Parameters, "numRuns" | "seed"> {
  process.stdout.write(`${what}: seed ${seed} (repeat with FUZZ_SEED=${seed})\n`);
  return { numRuns: Math.ceil(cases * share), seed };
}
