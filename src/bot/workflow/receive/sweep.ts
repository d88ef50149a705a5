import type { Logger } from "pino";
import type { Clock, Timer } from "../../../platform/clock.ts";
import type { ReplicaReport } from "../../health/facts.ts";
import { StoreError } from "../../errors.ts";
import type { DueLoop } from "../due.ts";
import type { Lanes } from "../inbox/lanes.ts";
import type { Store } from "../../store/store.ts";
import type { WorkflowParts } from "../ports.ts";

export type SweepDeps = Pick<WorkflowParts, "dropped"> & {
  readonly store: Pick<Store, "beat" | "endMutes" | "syncRounds" | "scheduleWatching">;
  readonly lanes: Pick<Lanes, "isStopping">;
  /** What this replica says about itself now. Never rejects. */
  readonly report: () => Promise<ReplicaReport>;
  /** The work that is due. */
  readonly loop: Pick<DueLoop, "renew" | "begin">;
  readonly jobsRegion: string;
  /** Saves the calls counted in memory. */
  readonly flushCalls: () => Promise<void>;
};

/** Schedules work that stored rows need, and begins due work. Any replica may sweep at any time. Rejects when the database doesn't answer. */
export async function sweep(deps: SweepDeps): Promise<void> {
  const { store, lanes, dropped, loop } = deps;
  if (lanes.isStopping()) return;
  await loop.renew();
  await store.beat(await deps.report());
  await dropped.flush();
  // That may have taken long. People's requests come first.
  await loop.renew();
  await loop.begin();
  await store.syncRounds(deps.jobsRegion);
  await store.scheduleWatching();
  await store.endMutes();
  await loop.begin();
  await deps.flushCalls();
}

export type Sweeper = {
  /** Runs it now. What it fails with is logged: the next sweep does it again. */
  readonly once: (work: () => Promise<void>) => Promise<void>;
  readonly start: () => void;
  readonly stop: () => Promise<void>;
};

/** Often enough that people still look at the card of a replica that died; a sweep is a handful of queries. */
const EVERY_MS = 2_000;

const AWAY = "the database doesn't answer: writes are refused until it does";

/** Sweeps now and then. Logs once when sweeps begin to fail, as when the database is away, and once when they work again. */
export function createSweeper(
  {
    log,
    sweep: sweepOnce,
    clock,
  }: { readonly log: Logger; readonly sweep: () => Promise<void>; readonly clock: Pick<Clock, "after"> },
  everyMs = EVERY_MS,
): Sweeper {
  let timer: Timer | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = true;
  let failing: string | undefined;
  const once = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      if (failing !== undefined) log.info(failing === AWAY ? "the database is back" : "sweeps work again");
      failing = undefined;
    } catch (err) {
      const what = err instanceof StoreError ? AWAY : "a sweep failed; the next one does its work";
      if (what !== failing) log.error({ err }, what);
      failing = what;
    }
  };
  const again = async (): Promise<void> => {
    await once(sweepOnce);
    if (!isStopped) next();
  };
  const next = (): void => {
    timer = clock.after(everyMs, () => {
      running = again();
    });
  };
  return {
    once,
    start() {
      isStopped = false;
      next();
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await running;
    },
  };
}
