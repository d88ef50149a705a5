import { cpuMs } from "./process-stat.ts";
import type { Rig } from "./rig.ts";
import { atLeast, atMost, told, type Row } from "./row.ts";
import { median } from "./stats.ts";

const SCALES = 320;
const READS = ["list services", "help", "show web"];

/** Scales, 16 at a time, until the card says how each ended. */
export async function measureScales(rig: Rig): Promise<readonly Row[]> {
  const { pid } = rig.gantry;
  await scales(rig, SCALES / 4);
  const before = cpuMs(pid);
  const rates = await scaleRates(rig);
  const cpu = (cpuMs(pid) - before) / (SCALES * rig.repetitions);
  return [
    atLeast({ name: "scale, 16 at a time, until the settled card", unit: "a second", ours: rates }, 250),
    told({ name: "scale, 16 at a time, CPU of each", unit: "ms", ours: cpu }),
  ];
}

/** The same of a workload API that doesn't report how many instances are ready. */
export async function measureUncountedScales(rig: Rig): Promise<readonly Row[]> {
  await rig.crowd.ask("holds", { isUncounted: true });
  await scales(rig, SCALES / 4);
  const ours = await scaleRates(rig);
  await rig.crowd.ask("holds", undefined);
  return [atLeast({ name: "scale, 16 at a time, ready instances not reported", unit: "a second", ours }, 150)];
}

async function scaleRates(rig: Rig): Promise<readonly number[]> {
  const rates: number[] = [];
  for (let repetition = 0; repetition < rig.repetitions; repetition += 1) rates.push(await scales(rig, SCALES));
  return rates;
}

/** How many a second. */
async function scales({ crowd, gantry: { port } }: Rig, times: number): Promise<number> {
  return (times / (await crowd.ask("scales", { port, times }))) * 1_000;
}

/** The slowest of three reads that somebody types right after 16 scales. */
export async function measureReadsBehind({ crowd, gantry: { port }, repetitions }: Rig): Promise<readonly Row[]> {
  const slowest: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    slowest.push(Math.max(...(await crowd.ask("behind", { port, texts: READS }))));
  }
  const ours = median(slowest);
  return [atMost({ name: "list, help or show behind 16 healthy scales", unit: "ms", ours }, 100)];
}
