import { machineClock } from "../../src/platform/clock.ts";
import { repeat } from "../../src/platform/waiting.ts";
import type { MovableClock, StillClock } from "./test-clock.ts";

/** Between two steps, for what follows from one on the wire. */
const STEP_PAUSE_MS = 2;

/**
 * Does the work while time passes, in steps that are small beside the limits of the story. Between two of them, this process
 * does what else it has to do, so that no request is late because the machine is busy.
 */
export async function asTimePasses<Result>(
  clock: Pick<MovableClock | StillClock, "passMs">,
  work: () => Promise<Result>,
  stepMs = 200,
): Promise<Result> {
  const over = new AbortController();
  const passing = repeat(async () => await clock.passMs(stepMs), STEP_PAUSE_MS, over.signal, machineClock);
  try {
    return await work();
  } finally {
    over.abort();
    await passing;
  }
}

/** Lets time pass until it is so, and not a step longer. */
export async function timePassesUntil(
  clock: Pick<MovableClock | StillClock, "passMs">,
  isSo: () => boolean,
  stepMs: number,
): Promise<void> {
  while (!isSo()) {
    await clock.passMs(stepMs);
    await machineClock.sleep(STEP_PAUSE_MS);
  }
}
