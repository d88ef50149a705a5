import type { GantryProcess } from "../gantry-process.ts";
import { median } from "../stats.ts";
import { type Rig, startIn } from "./rig.ts";
import { atMost, type Row } from "./row.ts";

type Point = readonly [size: number, ms: number];

/** The slope of time over size on logarithmic scales: 0 doesn't grow, 1 is linear. */
export function exponentOf(points: readonly Point[]): number {
  const logs = points.map(([size, ms]) => [Math.log(size), Math.log(ms)] as const); // a pair
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const over = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return over / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** How a time grows with what there is. */
export function growthRow(name: string, points: readonly Point[]): Row {
  const note = points.map(([size, ms]) => `${size.toLocaleString("en")}: ${ms.toFixed(ms < 1 ? 2 : 1)} ms`).join(", ");
  return atMost({ name: `growth of ${name}`, unit: "exponent", ours: exponentOf(points), note }, 1);
}

const SIZES = [100, 1_000, 10_000];
const WARM_UP = 3;

type Asked = {
  readonly name: string;
  readonly ask: (rig: Rig, port: number, times: number) => Promise<readonly number[]>;
};

const asked: readonly Asked[] = [
  {
    name: "list by services",
    ask: async ({ crowd }, port, times) =>
      (await crowd.ask("says", { port, text: "list services", times, concurrency: 1 })).messageMs,
  },
  {
    name: "picker by services, listed before",
    ask: ({ crowd }, port, times) => crowd.ask("suggests", { port, text: "svc-77", times }),
  },
  { name: "Home by services, listed before", ask: ({ crowd }, port, times) => crowd.ask("opensHome", { port, times }) },
];

/** Of 100, 1,000 and 10,000 services, one at a time. */
export async function measureGrowth(rig: Rig): Promise<readonly Row[]> {
  const points = asked.map((): Point[] => []);
  for (const size of SIZES) {
    // A bot of its own: pickers and Home remember lists for a while.
    const bot = await startIn(rig);
    await rig.crowd.ask("says", { port: bot.port, text: "list services", times: 50, concurrency: 1 });
    await rig.crowd.ask("holds", { services: size });
    for (const [at, { ask }] of asked.entries()) points[at]?.push([size, await once(rig, bot, ask)]);
    process.kill(bot.pid);
  }
  await rig.crowd.ask("holds", undefined);
  return asked.map(({ name }, at) => growthRow(name, points[at] ?? []));
}

async function once(rig: Rig, { port }: GantryProcess, ask: Asked["ask"]): Promise<number> {
  await ask(rig, port, WARM_UP);
  return median(await ask(rig, port, 10 * rig.repetitions));
}
