import { setTimeout as sleep } from "node:timers/promises";
import { loopDelay, peakMb } from "./process-stat.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, told, type Row } from "./row.ts";

const WATCHED = 5_000;
/** A watch looks every ten seconds. */
const UNTIL_SEEN_MS = 25_000;

/** All services of one watched account begin to crash at once, then recover: how long the bot's main thread is busy without a break. */
export async function measureStorm(rig: Rig): Promise<readonly Row[]> {
  const app = await startIn(rig, { isAsked: true });
  const { port, pid } = app;
  const { crowd } = rig;
  await crowd.ask("holds", { services: WATCHED });
  await crowd.ask("watches", { port });
  await sleep(UNTIL_SEEN_MS);
  const quiet = await loopDelay(app, () => sleep(UNTIL_SEEN_MS));
  const longest: number[] = [];
  const secondsToTell: number[] = [];
  for (let round = 0; round < rig.repetitions; round += 1) {
    for (const isFailing of [true, false]) {
      const begunAt = performance.now();
      const { longest: ms } = await loopDelay(app, async () => {
        await crowd.ask("storms", isFailing);
        if (isFailing) secondsToTell.push((performance.now() - begunAt) / 1_000);
        await sleep(UNTIL_SEEN_MS);
      });
      longest.push(ms);
    }
  }
  const peak = peakMb(pid);
  process.kill(pid);
  await crowd.ask("holds", undefined);
  const many = WATCHED.toLocaleString("en");
  const note = `${quiet.longest.toFixed(0)} ms while nothing happens`;
  return [
    atMost(
      { name: `${many} watched services fail at once, or recover: the longest hold`, unit: "ms", ours: longest, note },
      50,
    ),
    told({ name: "the same, until the channel knows", unit: "s", ours: secondsToTell }),
    told({ name: "their peak of memory", unit: "MB", ours: peak }),
  ];
}
