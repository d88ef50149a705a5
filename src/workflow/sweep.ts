import type { NewHistoryEvent } from "../changes/history-event.ts";
import { partsOf } from "../changes/parts.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { CallCounts } from "./access/call-counts.ts";
import { changeEvent, logEvent } from "./history.ts";
import { type AcceptDeps, retryDue, takeOver } from "./inbox/accept.ts";
import type { Lanes } from "./inbox/lanes.ts";
import { stageOf } from "./lifecycle.ts";
import type { Inbox, Store } from "./ports.ts";
import { carryOnLater } from "./run.ts";
import { redrawLater } from "./send.ts";

export type SweepDeps = AcceptDeps & {
  readonly store: Pick<Store, "expire" | "open"> &
    Pick<Inbox, "takeDeliveries"> & {
      /** Renews this replica's lease. */
      readonly beat: () => Promise<void>;
      /** Ids of changes whose card or thread is out of date, and that nobody draws. */
      readonly undrawn: () => Promise<readonly string[]>;
    };
  readonly lanes: Pick<Lanes, "isStopping">;
  readonly calls: Pick<CallCounts, "flush">;
};

/** An approved Change that waits to start for this long expires. */
const APPROVED_FOR_MS = 10 * 60_000;

/**
 * Looks for everything that somebody has to carry on: expired requests, what replicas that are gone left behind, cards
 * that are out of date. Any replica does it at any time. Rejects when the database doesn't answer.
 */
export async function sweep(deps: SweepDeps): Promise<void> {
  const { store, lanes } = deps;
  if (lanes.isStopping()) return;
  await store.beat();
  await deps.dropped.flush();
  retryDue(deps);
  for (const delivery of await store.takeDeliveries()) takeOver(deps, delivery);
  await expire(deps);
  const open = await store.open();
  const running = new Set(
    open
      .flatMap(partsOf)
      .filter((change) => stageOf(change) === "sent")
      .map(workloadKey),
  );
  for (const change of open) {
    // One Run per workload: it could not be claimed now, so it is not read again either.
    if (stageOf(change) === "approved" && running.has(workloadKey(change))) continue;
    carryOnLater(deps, { change });
  }
  for (const id of await store.undrawn()) redrawLater(deps, id);
  await deps.calls.flush();
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

function workloadKey({ workload: { region, kind, name } }: StoredChange): string {
  return `${region}/${kind}/${name}`;
}

export type Sweeper = { readonly start: () => void; readonly stop: () => Promise<void> };

/** Often enough that people still look at the card of a replica that died; a sweep is a handful of queries. */
const EVERY_MS = 2_000;

/** Sweeps now and then. Logs once when the database is away, and once when it is back. */
export function createSweeper(deps: SweepDeps, everyMs = EVERY_MS): Sweeper {
  const { log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = true;
  let isAway = false;
  const once = async (): Promise<void> => {
    try {
      await sweep(deps);
      if (isAway) log.info("the database is back");
      isAway = false;
    } catch (err) {
      if (!isAway) log.error({ err }, "the database does not answer: writes are refused until it does");
      isAway = true;
    }
  };
  const again = async (): Promise<void> => {
    await once();
    if (!isStopped) next();
  };
  const next = (): void => {
    timer = setTimeout(() => {
      running = again();
    }, everyMs);
  };
  return {
    start() {
      isStopped = false;
      next();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
