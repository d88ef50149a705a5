import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** On a quiet machine. */
const UNTIL_MS = 20_000;
const POLL_EVERY_MS = 20;

/** How many times longer things may take now, because other work keeps this machine busy; 1 on a quiet one. */
export function slowness(): number {
  const [load = 0] = loadavg();
  return Math.max(1, (2 * load) / availableParallelism());
}

/** How long the simulated Slack waits for an ack: as long as the real one, or longer on a busy machine. */
export function ackLimitMs(): number {
  return Math.round(3_000 * slowness());
}

/** Polls a condition to a deadline, which is later on a busy machine. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const since = Date.now();
  while (!(await isSo())) {
    const limitMs = UNTIL_MS * slowness();
    if (Date.now() - since > limitMs) throw new Error(`it did not become so within ${limitMs} ms: ${isSo.toString()}`);
    await sleep(POLL_EVERY_MS);
  }
}
