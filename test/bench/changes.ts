import { cpuMs } from "./process-stat.ts";
import type { Rig } from "./rig.ts";
import { atLeast, atMost, told, type Row } from "./row.ts";
import { median } from "./stats.ts";

const SCALES = 320;
const READS = ["list services", "help", "show web"];

/** Scales, 16 at a time, until the card says how each ended. */
export async function measureScales({ crowd, gantry, repetitions }: Rig): Promise<readonly Row[]> {
  const { port, pid } = gantry;
  await crowd.ask("scales", { port, times: SCALES / 4 });
  const before = cpuMs(pid);
  const rates: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    rates.push((SCALES / (await crowd.ask("scales", { port, times: SCALES }))) * 1_000);
  }
  const cpu = (cpuMs(pid) - before) / (SCALES * repetitions);
  return [
    atLeast({ name: "scale, 16 at a time, until the settled card", unit: "a second", ours: rates }, 250),
    told({ name: "scale, 16 at a time, CPU of each", unit: "ms", ours: cpu }),
  ];
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
