import { stat } from "node:fs/promises";
import type { OpenedEngine } from "../../../src/service/engine.ts";
import type { Quotas } from "../../../src/service/workloads/quota.ts";
import type { Runtime } from "../../../src/service/workloads/runtime.ts";
import { openWorkloadEngine, type WorkloadOptions } from "../../../src/service/workloads/workload-engine.ts";
import { stillClock } from "../../support/test-clock.ts";
import { DEADLINE_MS } from "../../support/until.ts";
import { makeDataDir } from "../engines/process/support/data-dir.ts";
import { type until, userOf } from "../engines/process/support/engine-world.ts";
import { type Cluster, type ClusterOptions, makeCluster, memoryAbout, nameOf } from "./memory-runtime.ts";

const roomy = { instances: 100, memoryMib: 100_000, ports: 100, workloads: 100 };

type WorldOptions = Omit<ClusterOptions, "clock"> & {
  readonly quotas?: Quotas;
  /** What the cluster's runtime does otherwise. */
  readonly runtime?: (good: Runtime) => Partial<Runtime>;
  /** Maximum number of units starting at the same time. */
  readonly startsAtOnce?: number;
};

/** Looks at a file between two moves of the clock. */
const FILE_TURNS = 20;

/** How far the clock is moved between two questions. */
const STEP_MS = 50;

/**
 * Servers that come and go beside one cluster, all on the same data folder. Their clock stands still, except while a test
 * waits for something: a service reaches no status before anybody looks.
 */
export function makeClusterWorld({
  quotas = { user: roomy, host: roomy },
  runtime = () => ({}),
  startsAtOnce = 10,
  ...behaviour
}: WorldOptions = {}) {
  const clock = stillClock();
  const cluster = makeCluster({ clock, ...behaviour });
  const dataDir = makeDataDir();

  /** Moves the clock until the answer is truthy, and returns it. */
  const moveUntil: typeof until = async <T>(ask: () => Promise<T> | T, what: string) => {
    const since = performance.now();
    for (;;) {
      const answer = await ask();
      if (answer) return answer as Exclude<T, undefined | false>; // it is truthy
      if (performance.now() - since > DEADLINE_MS) throw new Error(`waited too long for ${what}`);
      await clock.passMs(STEP_MS);
    }
  };

  /** What the work brings, which may have to wait for the clock. */
  async function moveDuring<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => void (isOver = true);
    work.then(end, end);
    await moveUntil(async () => {
      // Files are written and removed in real time, which the clock must not outrun.
      for (let turns = 0; turns < FILE_TURNS; turns += 1) await stat(dataDir);
      return isOver;
    }, "work to end");
    return await work;
  }

  const open = async (options: Partial<WorkloadOptions> = {}): Promise<OpenedEngine> => {
    const opened = await openWorkloadEngine(
      { clock, dataDir, regions: ["us", "beijing1"], ...options },
      {
        about: memoryAbout,
        runtime: () => ({ ...cluster.runtime, ...runtime(cluster.runtime) }),
        quotas,
        startsAtOnce,
      },
    );
    const { engine, close } = opened;
    return {
      ...opened,
      engine: {
        ...engine,
        deleteService: (request) => moveDuring(engine.deleteService(request)),
        deleteJob: (request) => moveDuring(engine.deleteJob(request)),
      },
      close: (how) => moveDuring(close(how)),
    };
  };
  return {
    clock,
    cluster,
    dataDir,
    open,
    until: moveUntil,
    userOf: ({ engine }: Pick<OpenedEngine, "engine">, region?: string) => userOf(engine, "dana", region, moveUntil),
  };
}

/** The units that run: `web-0 generation 1`. */
export function unitsOf({ running }: Cluster): string[] {
  return running().map(nameOf);
}
