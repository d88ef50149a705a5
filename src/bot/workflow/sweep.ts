import type { Logger } from "pino";
import type { Clock, Timer } from "../../platform/clock.ts";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { partsOf, type StoredChange } from "../changes/stored-change.ts";
import type { ReplicaReport } from "../health/facts.ts";
import { StoreError } from "../errors.ts";
import { changeEvent, logEvent } from "./history.ts";
import { beginAgain, takeOver } from "./inbox/delivery.ts";
import type { Lanes } from "./inbox/lanes.ts";
import type { Unfinished } from "./inbox/unfinished.ts";
import { stageOf } from "./lifecycle.ts";
import type { SweepStore, WorkflowParts } from "./ports.ts";
import { carryOnLater, isTurnOver, nextToSend, showLater } from "./run.ts";
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

/** An approved Change that waits to start for this long expires. */
const APPROVED_FOR_MS = 10 * 60_000;

/**
 * Looks for everything that somebody has to carry on: expired requests, what replicas that are gone left behind, work
 * that is due. Any replica does it at any time. Rejects when the database doesn't answer, or, once the work of all
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
  await expire(deps);
  const open = await store.open();
  const running = new Set(
    open
      .flatMap(partsOf)
      .filter((change) => stageOf(change) === "sent")
      .map(workloadKey),
  );
  for (const change of open) {
    const isRunning = change.card === undefined && change.settledAt === undefined;
    if (isRunning) await inWorkspace(change.teamId, (deps) => deps.lanes.background(showLater(deps, change)));
    // One Run per workload: it couldn't be claimed now, so it isn't read again either. What waited too long is refused.
    const next = nextToSend(change);
    if (next !== undefined && running.has(workloadKey(next)) && !isTurnOver(deps, change)) continue;
    await inWorkspace(change.teamId, (workspace) => carryOnLater(workspace, { change }));
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

/** A row of history is logged once its transaction is over. */
async function expire(deps: SweepDeps): Promise<void> {
  const events = new Map<string, NewHistoryEvent>();
  const expired = await deps.store.expire(APPROVED_FOR_MS, (change) => {
    const result = change.approvedAt === undefined ? "not enough approvals in time" : "it couldn't start in time";
    const event = changeEvent(deps, change, { kind: "expired", result });
    events.set(change.id, event);
    return event;
  });
  for (const { id } of expired) {
    const event = events.get(id);
    if (event !== undefined) logEvent(deps, event);
  }
}

function workloadKey({ teamId, workload: { region, kind, name } }: StoredChange): string {
  return `${teamId}/${region}/${kind}/${name}`;
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
