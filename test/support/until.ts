import { setTimeout as sleep } from "node:timers/promises";

const UNTIL_MS = 20_000;
const LOOK_EVERY_MS = 20;

/** Polls a condition to a deadline. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + UNTIL_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`it did not become so within ${UNTIL_MS} ms: ${isSo.toString()}`);
    await sleep(LOOK_EVERY_MS);
  }
}
