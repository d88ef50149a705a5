import { machineClock } from "../../src/platform/clock.ts";
import { repeat } from "../../src/platform/waiting.ts";
import type { MovableClock, StillClock } from "./test-clock.ts";

/** Between two steps, for what follows from one on the wire. */
const STEP_PAUSE_MS = 2;
const STEP_MS = 200;

/**
 * Does the work while time passes, in steps that are small beside the limits of the story. Between two of them, this process
 * does what else it has to do, so that no request is late because the machine is busy.
 */
export async function asTimePasses<Result>(
  clock: Pick<MovableClock | StillClock, "passMs">,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const passing = repeat(async () => await clock.passMs(STEP_MS), STEP_PAUSE_MS, over.signal, machineClock);
  try {
    return await work();
  } finally {
    over.abort();
    await passing;
  }
}
