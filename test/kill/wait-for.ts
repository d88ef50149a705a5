import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 25;

/** Polls; throws when it does not become so in time. */
export async function waitFor(isSo: () => boolean | Promise<boolean>, what: string, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${Math.round(withinMs / 1000)} s: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
