import { median, percentile } from "../stats.ts";
import type { GantryProcess } from "../gantry-process.ts";
import type { LoopDelay } from "../loop-delay.ts";
import { cpuMs, loopDelay, peakMb } from "./process-stat.ts";
import type { Rig } from "./rig.ts";
import { atLeastBy, atMostBy, told, type Row } from "./row.ts";

const ONE_BY_ONE = 80;
const AT_ONCE = 16;

type Load = {
  readonly text: string;
  readonly times: number;
  /** Each of those at a time has an account of their own, so that no read is shared. */
  readonly areMany?: boolean;
};

type Busy = { readonly perSecond: number; readonly cpuMs: number; readonly p99Ms: number };

async function busy({ crowd }: Rig, { port, pid }: GantryProcess, load: Load): Promise<Busy> {
  const before = cpuMs(pid);
  const { wholeMs, messageMs } = await crowd.ask("says", { port, ...load, concurrency: AT_ONCE });
  const { times } = load;
  return {
    perSecond: (times / wholeMs) * 1_000,
    cpuMs: (cpuMs(pid) - before) / times,
    p99Ms: percentile(messageMs, 0.99),
  };
}

async function alone({ crowd }: Rig, { port }: GantryProcess, times: number): Promise<number> {
  const { messageMs } = await crowd.ask("says", { port, text: "list", times, concurrency: 1 });
  return median(messageMs);
}

type Pairs<Figure> = { readonly ours: readonly Figure[]; readonly base: readonly Figure[] };

/** The bot and the bare app in turn, after a round that isn't counted. */
async function inTurn<Figure>(
  rig: Rig,
  times: number,
  measure: (app: GantryProcess, times: number) => Promise<Figure>,
): Promise<Pairs<Figure>> {
  const ours: Figure[] = [];
  const base: Figure[] = [];
  const each = rig.isQuick ? Math.ceil(times / 2) : times;
  for (let round = 0; round <= 3 * rig.repetitions; round += 1) {
    const pair = [await measure(rig.gantry, each), await measure(rig.bare, each)] as const; // as the apps are
    if (round === 0) continue;
    ours.push(pair[0]);
    base.push(pair[1]);
  }
  return { ours, base };
}

function busyInTurn(rig: Rig, load: Load): Promise<Pairs<Busy>> {
  return inTurn(rig, load.times, (app, times) => busy(rig, app, { ...load, times }));
}

function figures({ ours, base }: Pairs<Busy>, key: keyof Busy): Pairs<number> {
  return { ours: ours.map((each) => each[key]), base: base.map((each) => each[key]) };
}

/** In a run of its own: watching the event loop takes time, too. */
async function delays(rig: Rig, load: Load): Promise<{ readonly ours: number; readonly base: number }> {
  const of = (app: GantryProcess): Promise<LoopDelay> => loopDelay(app, () => busy(rig, app, load));
  return { ours: (await of(rig.gantry)).p99, base: (await of(rig.bare)).p99 };
}

const LIST: Load = { text: "list", times: 500 };
/** Quicker than many teams type, and no more than one core can answer. */
const FLOOD = { text: "list", times: 1_000, perSecond: 400 };

/** `/gantry list` of a few services until its message, in turn with the bare app, by people who share an account. */
export async function measureLists(rig: Rig): Promise<readonly Row[]> {
  const single = await inTurn(rig, ONE_BY_ONE, (app, times) => alone(rig, app, times));
  const runs = await busyInTurn(rig, LIST);
  const flood = async ({ port }: GantryProcess): Promise<number> =>
    percentile((await rig.crowd.ask("floods", { port, ...FLOOD })).messageMs, 0.99);
  const flooded = { ours: await flood(rig.gantry), base: await flood(rig.bare) };
  return [
    atMostBy({ name: "list, one at a time, until its message, p50", unit: "ms", ...single }, 2.5),
    atLeastBy({ name: "list, 16 at a time, one account", unit: "a second", ...figures(runs, "perSecond") }, 0.7),
    atMostBy({ name: "list, 16 at a time, one account, CPU of each", unit: "ms", ...figures(runs, "cpuMs") }, 1.3),
    atMostBy({ name: "list, 16 at a time, until its message, p99", unit: "ms", ...figures(runs, "p99Ms") }, 1.3),
    told({ name: "list, 400 a second, until its message, p99", unit: "ms", ...flooded }),
    told({ name: "list, 16 at a time, event-loop delay p99", unit: "ms", ...(await delays(rig, LIST)) }),
    told({
      name: "list, peak of resident memory",
      unit: "MB",
      ours: peakMb(rig.gantry.pid),
      base: peakMb(rig.bare.pid),
    }),
  ];
}

/** Reads by 16 people at a time: with one account they share them, with an account of their own each makes all calls. */
export async function measureCrowds(rig: Rig): Promise<readonly Row[]> {
  await rig.crowd.ask("connects", { port: rig.gantry.port, count: AT_ONCE });
  const one = async (load: Load) => {
    const runs = await busyInTurn(rig, load);
    const { ours, base } = figures(runs, "cpuMs");
    const note = `CPU of each ${median(ours).toFixed(2)} by ${median(base).toFixed(2)} ms`;
    return { unit: "a second", note, ...figures(runs, "perSecond") };
  };
  const many = (load: Load) => one({ ...load, areMany: true });
  const show: Load = { text: "show service/web", times: 400 };
  const rows = [
    atLeastBy({ name: "list, 16 at a time, 16 accounts", ...(await many(LIST)) }, 0.75),
    atLeastBy({ name: "show, 16 at a time, 16 accounts", ...(await many(show)) }, 0.7),
    told({ name: "show, 16 at a time, one account", ...(await one(show)) }),
  ];
  await rig.crowd.ask("holds", { services: 1_000 });
  const long: Load = { text: "list services", times: 160 };
  rows.push(
    atLeastBy({ name: "list of 1,000 services, 16 at a time, 16 accounts", ...(await many(long)) }, 0.5),
    told({ name: "list of 1,000 services, 16 at a time, one account", ...(await one(long)) }),
  );
  await rig.crowd.ask("holds", undefined);
  return rows;
}
