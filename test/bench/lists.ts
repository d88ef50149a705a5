import { cpuMs } from "./process-stat.ts";
import type { GantryProcess } from "./gantry-process.ts";
import { inTurn, type Rig } from "./rig.ts";
import { atLeastBy, atMost, atMostBy, type Row } from "./row.ts";
import { median, percentile } from "./stats.ts";

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
  const list: Load = { text: "list", times: 500 };
  const shared = await measureAtOnce(rig, list);
  await crowd.ask("connects", { port: gantry.port, count: AT_ONCE });
  const own = await measureAtOnce(rig, { ...list, areMany: true });
  await crowd.ask("holds", { services: 1_000 });
  const longer = await measureAtOnce(rig, { text: "list", times: 50, areMany: true });
  await crowd.ask("holds", undefined);
  const shows = await measureAtOnce(rig, { text: "show service/web", times: 400, areMany: true });
  return [
    atMostBy({ name: "list, one at a time, until its message, p50", unit: "ms", ...single }, 2.5),
    atLeastBy({ name: "list, 16 at a time, one account", unit: "a second", ...shared.rate }, 0.75),
    atLeastBy({ name: "list, 16 at a time, 16 accounts", unit: "a second", ...own.rate }, 0.7),
    atMost({ name: "list, 16 accounts, CPU of each", unit: "ms", ours: own.cpu.ours, note: bareNote(own) }, 1),
    atMostBy({ name: "list, 16 accounts, until its message, p99", unit: "ms", ...own.p99 }, 1.3),
    atLeastBy({ name: "list of 1,000 services, 16 accounts", unit: "a second", ...longer.rate }, 0.5),
    atLeastBy({ name: "show, 16 at a time, 16 accounts", unit: "a second", ...shows.rate }, 0.6),
    atMost({ name: "show, 16 accounts, CPU of each", unit: "ms", ours: shows.cpu.ours, note: bareNote(shows) }, 1.2),
  ];
}

type AtOnce = Awaited<ReturnType<typeof measureAtOnce>>;

function bareNote({ cpu }: AtOnce): string {
  return `of the bare app ${median(cpu.base).toFixed(2)}`;
}

/** How many a second, the processor time of each, and the slowest of a hundred. */
async function measureAtOnce(rig: Rig, load: Load) {
  const rounds = await inTurn(
    rig,
    { ours: rig.gantry, base: rig.bare, times: load.times },
    async ({ port, pid }: GantryProcess, times) => {
      const before = cpuMs(pid);
      const said = await rig.crowd.ask("says", { port, ...load, times, concurrency: AT_ONCE });
      const cpu = (cpuMs(pid) - before) / times;
      return { rate: (times / said.wholeMs) * 1_000, cpu, p99: percentile(said.messageMs, 0.99) };
    },
  );
  const figuresOf = (figure: "rate" | "cpu" | "p99") => ({
    ours: rounds.ours.map((round) => round[figure]),
    base: rounds.base.map((round) => round[figure]),
  });
  return { rate: figuresOf("rate"), cpu: figuresOf("cpu"), p99: figuresOf("p99") };
}
