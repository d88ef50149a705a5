import type { GantryProcess } from "./gantry-process.ts";
import { inTurn, type Pairs, type Rig } from "./rig.ts";
import { atLeastBy, atMostBy, type Row } from "./row.ts";
import { median } from "./stats.ts";

const AT_ONCE = 16;

type Load = {
  readonly text: string;
  readonly times: number;
  /** Each of those at a time has an account of their own, so that no read is shared. */
  readonly areMany?: boolean;
};

/** Reads of a few workloads until their message, in turn with the bare app. */
export async function measureLists(rig: Rig): Promise<readonly Row[]> {
  const { crowd, gantry, bare } = rig;
  const apps = { ours: gantry, base: bare };
  const single = await inTurn(rig, { ...apps, times: 80 }, async ({ port }, times) =>
    median((await crowd.ask("says", { port, text: "list", times, concurrency: 1 })).messageMs),
  );
  const perSecond = (load: Load): Promise<Pairs<number>> =>
    inTurn(rig, { ...apps, times: load.times }, async ({ port }: GantryProcess, times) => {
      const { wholeMs } = await crowd.ask("says", { port, ...load, times, concurrency: AT_ONCE });
      return (times / wholeMs) * 1_000;
    });
  const list: Load = { text: "list", times: 500 };
  const shared = await perSecond(list);
  await crowd.ask("connects", { port: gantry.port, count: AT_ONCE });
  const own = await perSecond({ ...list, areMany: true });
  const shows = await perSecond({ text: "show service/web", times: 400, areMany: true });
  return [
    atMostBy({ name: "list, one at a time, until its message, p50", unit: "ms", ...single }, 2.5),
    atLeastBy({ name: "list, 16 at a time, one account", unit: "a second", ...shared }, 0.7),
    atLeastBy({ name: "list, 16 at a time, 16 accounts", unit: "a second", ...own }, 0.75),
    atLeastBy({ name: "show, 16 at a time, 16 accounts", unit: "a second", ...shows }, 0.7),
  ];
}
