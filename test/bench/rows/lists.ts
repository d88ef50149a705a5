import { median, percentile } from "../stats.ts";
import type { GantryProcess } from "../gantry-process.ts";
import { cpuMs, loopDelayMs, peakMb } from "./process-stat.ts";
import type { Rig } from "./rig.ts";
import { atLeastBy, atMostBy, told, type Row } from "./row.ts";

const TEXT = "list";
const ONE_BY_ONE = 80;
const AT_ONCE = 1_500;
/** Quicker than many teams type, and no more than one core can answer. */
const MANY = { text: TEXT, times: 1_000, perSecond: 400 };

type Busy = { readonly perSecond: number; readonly cpuMs: number; readonly messageMs: readonly number[] };

async function busy({ crowd }: Rig, { port, pid }: GantryProcess): Promise<Busy> {
  const before = cpuMs(pid);
  const { wholeMs, messageMs } = await crowd.ask("says", { port, text: TEXT, times: AT_ONCE, concurrency: 16 });
  return { perSecond: (AT_ONCE / wholeMs) * 1_000, cpuMs: (cpuMs(pid) - before) / AT_ONCE, messageMs };
}

async function alone({ crowd }: Rig, { port }: GantryProcess): Promise<readonly number[]> {
  return (await crowd.ask("says", { port, text: TEXT, times: ONE_BY_ONE, concurrency: 1 })).messageMs;
}

/** In a run of its own: watching the event loop takes time, too. */
async function delays(rig: Rig): Promise<Pick<Row, "ours" | "base">> {
  const of = (app: GantryProcess): Promise<number> => loopDelayMs(app, () => busy(rig, app));
  return { ours: await of(rig.gantry), base: await of(rig.bare) };
}

/** `/gantry list` of a few services until its message, one at a time and 16 at a time, in turn with the bare app. */
export async function measureLists(rig: Rig): Promise<readonly Row[]> {
  const apps = [rig.gantry, rig.bare] as const;
  for (const app of apps) await busy(rig, app);
  const ms: [number[], number[]] = [[], []];
  const runs: [Busy[], Busy[]] = [[], []];
  for (let repetition = 0; repetition < 2 * rig.repetitions; repetition += 1) {
    for (const [at, app] of apps.entries()) {
      ms[at]?.push(...(await alone(rig, app)));
      runs[at]?.push(await busy(rig, app));
    }
  }
  const of = (key: "perSecond" | "cpuMs") => runs.map((each) => median(each.map((run) => run[key])));
  const [ours = 0, base = 0] = ms.map(median);
  const [ourRate = 0, baseRate = 0] = of("perSecond");
  const [ourCpu = 0, baseCpu = 0] = of("cpuMs");
  const p99 = (all: readonly number[]): number => percentile(all, 0.99);
  const [ourP99 = 0, baseP99 = 0] = runs.map((each) => p99(each.flatMap(({ messageMs }) => messageMs)));
  const many = async ({ port }: GantryProcess) => (await rig.crowd.ask("floods", { port, ...MANY })).messageMs;
  const [ourMany, baseMany] = [p99(await many(rig.gantry)), p99(await many(rig.bare))];
  return [
    atMostBy({ name: "list, one at a time, until its message, p50", unit: "ms", ours, base }, 2.5),
    atLeastBy({ name: "list, 16 at a time", unit: "a second", ours: ourRate, base: baseRate }, 0.7),
    atMostBy({ name: "list, 16 at a time, until its message, p99", unit: "ms", ours: ourP99, base: baseP99 }, 1.3),
    told({ name: "list, 400 a second, until its message, p99", unit: "ms", ours: ourMany, base: baseMany }),
    atMostBy({ name: "list, 16 at a time, CPU of each", unit: "ms", ours: ourCpu, base: baseCpu }, 1.3),
    told({ name: "list, 16 at a time, event-loop delay p99", unit: "ms", ...(await delays(rig)) }),
    told({ name: "list, peak of resident memory", unit: "MB", ours: peakMb(apps[0].pid), base: peakMb(apps[1].pid) }),
  ];
}
