import { setTimeout as sleep } from "node:timers/promises";

/** For what never comes. A busy machine needs a part of it. */
export const DEADLINE_MS = 120_000;
const POLL_EVERY_MS = 20;

/** Polls a condition to a deadline. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now();
  while (!(await isSo())) {
    if (performance.now() - since > DEADLINE_MS)
      throw new Error(`it did not become so within ${DEADLINE_MS} ms: ${isSo.toString()}`);
    await sleep(POLL_EVERY_MS);
  }
}
