import { setTimeout as sleep } from "node:timers/promises";
import { type Rig, startIn } from "./rig.ts";
import { atMost, type Row } from "./row.ts";

const WATCHED = 5_000;
/** A watch looks every ten seconds. */
const UNTIL_SEEN_MS = 25_000;

/** All services of one watched account begin to crash at once, then recover: how long the bot's main thread is busy without a break. */
export async function measureStorm(rig: Rig): Promise<readonly Row[]> {
  const { port, pid, inside } = await startIn(rig, { isAsked: true });
  const { crowd } = rig;
  await crowd.ask("holds", { services: WATCHED });
  await crowd.ask("watches", { port });
  await sleep(UNTIL_SEEN_MS);
  const longest: number[] = [];
  for (let round = 0; round < rig.repetitions; round += 1) {
    for (const isFailing of [true, false]) {
      await inside?.ask("beginDelay", undefined);
      await crowd.ask("storms", isFailing);
      await sleep(UNTIL_SEEN_MS);
      longest.push((await inside?.ask("endDelay", undefined)) ?? Number.NaN);
    }
  }
  process.kill(pid);
  await crowd.ask("holds", undefined);
  const name = `${WATCHED.toLocaleString("en")} watched services fail at once, or recover: the longest hold`;
  return [atMost({ name, unit: "ms", ours: longest }, 50)];
}
