import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs } from "./process-stat.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, told, type Row } from "./row.ts";

const WATCHED = 5_000;
const FEWER_WATCHED = 500;
const ACCOUNTS = 100;
const QUIET_MS = 60_000;
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

/** 500 services of one watched account begin to crash, at any moment between two looks: the time until a message says it. */
export async function measureStormTold(rig: Rig): Promise<readonly Row[]> {
  const { port, pid } = await startIn(rig);
  const { crowd } = rig;
  await crowd.ask("holds", { services: FEWER_WATCHED });
  await crowd.ask("watches", { port });
  await sleep(UNTIL_SEEN_MS);
  const [toldS, afterListMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < 2 * rig.repetitions; round += 1) {
    const told = await crowd.ask("storms", true);
    toldS.push(told.toldMs / 1_000);
    afterListMs.push(told.afterListMs);
    await sleep(UNTIL_SEEN_MS);
    await crowd.ask("storms", false);
    await sleep(UNTIL_SEEN_MS + (round * UNTIL_SEEN_MS) / (2 * rig.repetitions));
  }
  process.kill(pid);
  await crowd.ask("holds", undefined);
  const name = `${FEWER_WATCHED} watched services fail at once: told after`;
  return [
    told({ name, unit: "s", ours: toldS }),
    atMost({ name: `${name} the list that shows it`, unit: "ms", ours: afterListMs }, 1_000),
  ];
}

/** 100 people watch all workloads of an account of their own, and nothing happens. */
export async function measureQuietWatches(rig: Rig): Promise<readonly Row[]> {
  const { port, pid } = await startIn(rig);
  const { crowd } = rig;
  await crowd.ask("connects", { port, count: ACCOUNTS });
  await crowd.ask("says", { port, text: "watch all --dm", times: ACCOUNTS, concurrency: ACCOUNTS, areMany: true });
  await sleep(UNTIL_SEEN_MS);
  const before = { calls: await crowd.ask("apiCalls", undefined), cpuMs: cpuMs(pid) };
  await sleep(QUIET_MS);
  const calls = (await crowd.ask("apiCalls", undefined)) - before.calls;
  const cpu = (100 * (cpuMs(pid) - before.cpuMs)) / QUIET_MS;
  process.kill(pid);
  const name = `${ACCOUNTS} watched accounts, nothing happens`;
  return [
    told({ name: `${name}: API calls`, unit: "a minute", ours: calls }),
    told({ name: `${name}: of a core`, unit: "%", ours: cpu }),
  ];
}
