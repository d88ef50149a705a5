import { machineClock } from "../../../../../src/platform/clock.ts";
import { repeat } from "../../../../../src/platform/waiting.ts";
import type { MovableClock, StillClock } from "../../../../support/test-clock.ts";

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
  const passing = repeat(async () => await clock.passMs(stepMs), 2, over.signal, machineClock);
  try {
    return await work();
  } finally {
    over.abort();
    await passing;
  }
}
