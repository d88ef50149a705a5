import { type Rig, startIn } from "./rig.ts";
import { cpuMs, loopDelay, peakMb } from "./process-stat.ts";
import { atLeast, atMost, told, type Row } from "./row.ts";
import { median } from "../stats.ts";

const SCALES = 320;
const READS = ["list services", "help", "show web"];

/** Scales, 16 at a time, until the card says how each ended. */
export async function measureScales({ crowd, gantry, repetitions }: Rig): Promise<readonly Row[]> {
  const { port, pid } = gantry;
  await crowd.ask("scales", { port, times: SCALES / 4 });
  const rates: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    rates.push((SCALES / (await crowd.ask("scales", { port, times: SCALES }))) * 1_000);
  }
  const before = cpuMs(pid);
  const { p99: delay } = await loopDelay(gantry, () => crowd.ask("scales", { port, times: SCALES }));
  return [
    atLeast({ name: "scale, 16 at a time, until the settled card", unit: "a second", ours: rates }, 250),
    told({ name: "scale, 16 at a time, CPU of each", unit: "ms", ours: (cpuMs(pid) - before) / SCALES }),
    told({ name: "scale, 16 at a time, event-loop delay p99", unit: "ms", ours: delay }),
    told({ name: "scale, peak of resident memory", unit: "MB", ours: peakMb(pid) }),
  ];
}

/** Each waits two seconds for the first look at its health, so as many are under way as make 240 a second. */
const WITHOUT_COUNTS = 480;

/** Scales of a workload API that doesn't count ready instances, in a bot of their own, until the card says how each ended. */
export async function measureScalesWithoutCounts(rig: Rig): Promise<readonly Row[]> {
  const { port, pid } = await startIn(rig);
  const { crowd, repetitions } = rig;
  await crowd.ask("scales", { port, times: SCALES / 4 });
  await crowd.ask("holds", { services: WITHOUT_COUNTS + 1 });
  await crowd.ask("counting", false);
  const rates: number[] = [];
  const before = cpuMs(pid);
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const times = 2 * WITHOUT_COUNTS;
    rates.push((times / (await crowd.ask("scales", { port, times, concurrency: WITHOUT_COUNTS }))) * 1_000);
  }
  const cpu = (cpuMs(pid) - before) / (2 * WITHOUT_COUNTS * repetitions);
  await crowd.ask("counting", true);
  await crowd.ask("holds", undefined);
  process.kill(pid);
  const name = `scale, ${WITHOUT_COUNTS} at a time, of an API that doesn't count ready instances`;
  return [
    atLeast({ name, unit: "a second", ours: rates }, 150),
    told({ name: "the same, CPU of each", unit: "ms", ours: cpu }),
  ];
}

/** The slowest of three reads that somebody types right after 16 scales. */
export async function measureReadsBehind({ crowd, gantry: { port }, repetitions }: Rig): Promise<readonly Row[]> {
  const slowest = async (): Promise<number> => {
    const all: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      all.push(Math.max(...(await crowd.ask("behind", { port, texts: READS }))));
    }
    return median(all);
  };
  const healthy = await slowest();
  await crowd.ask("updating", true);
  const updating = await slowest();
  await crowd.ask("updating", false);
  return [
    atMost({ name: "list, help or show behind 16 healthy scales", unit: "ms", ours: healthy }, 100),
    atMost({ name: "the same, of services that stay Updating", unit: "ms", ours: updating }, 200),
  ];
}
