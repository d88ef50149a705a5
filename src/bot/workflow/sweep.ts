import type { Logger } from "pino";
import type { Clock, Timer } from "../../platform/clock.ts";
import type { ReplicaReport } from "../health/facts.ts";
import { StoreError } from "../errors.ts";
import { beginAgain, takeOver } from "./inbox/delivery.ts";
import type { Lanes } from "./inbox/lanes.ts";
import type { Unfinished } from "./inbox/unfinished.ts";
import type { SweepStore, WorkflowParts } from "./ports.ts";
import { notifyPlace } from "./watching/notify.ts";

export type SweepDeps = Pick<WorkflowParts, "sealer" | "retries" | "dropped" | "clock" | "log"> & {
  readonly store: SweepStore;
  readonly lanes: Pick<Lanes, "isStopping">;
  /** What carries on the work of one workspace. Rejects when the database doesn't answer. */
  readonly workspaceOf: (teamId: string) => Promise<WorkflowParts>;
  /** What this replica says about itself now. Never rejects. */
  readonly report: () => Promise<ReplicaReport>;
  /** Begins the work that is due. */
  readonly beginDue: () => Promise<void>;
  readonly jobsRegion: string;
  /** Saves the calls counted in memory. */
  readonly flushCalls: () => Promise<void>;
};

/**
 * Looks for everything that somebody has to carry on: deliveries of replicas that are gone, work that is due. Any replica does it at any time. Rejects when the database doesn't answer, or, once the work of all
 * others is begun, when a workspace can't be opened.
 */
export async function sweep(deps: SweepDeps): Promise<void> {
  const { store, lanes, retries } = deps;
  if (lanes.isStopping()) return;
  const { inWorkspace, checkOpened } = opener(deps);
  const begin = async (delivery: Unfinished): Promise<void> => {
    const { teamId } = delivery.interaction.origin;
    const isBegun = await inWorkspace(teamId, (workspace) => beginAgain(workspace, delivery));
    // It is in nobody else's hands any more.
    if (!isBegun) retries.keep(delivery, 0);
  };
  await store.beat(await deps.report());
  await deps.dropped.flush();
  for (const delivery of retries.take()) await begin(delivery);
  for (const delivery of await store.takeDeliveries()) {
    const unfinished = takeOver(deps, delivery);
    if (unfinished !== undefined) await begin(unfinished);
  }
  for (const at of await store.duePlaces()) {
    await inWorkspace(at.teamId, (workspace) =>
      workspace.lanes.add({ lane: "watching", key: `place ${at.teamId} ${at.place}` }, () =>
        notifyPlace(workspace, at),
      ),
    );
  }
  await store.syncRounds(deps.jobsRegion);
  await deps.beginDue();
  await deps.flushCalls();
  checkOpened();
}

/** A workspace that can't be opened holds up no other. Until the next sweep it isn't tried again. */
function opener({ workspaceOf }: Pick<SweepDeps, "workspaceOf">) {
  const failures = new Map<string, unknown>();
  /** False: the workspace can't be opened, and nothing was begun. */
  const inWorkspace = async (teamId: string, work: (workspace: WorkflowParts) => void): Promise<boolean> => {
    if (failures.has(teamId)) return false;
    try {
      work(await workspaceOf(teamId));
      return true;
    } catch (error) {
      failures.set(teamId, error);
      return false;
    }
  };
  const checkOpened = (): void => {
    for (const [teamId, cause] of failures) {
      throw cause instanceof StoreError ? cause : new Error(`couldn't open workspace ${teamId}`, { cause });
    }
  };
  return { inWorkspace, checkOpened };
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
