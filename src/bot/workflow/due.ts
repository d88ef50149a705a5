import type { Logger } from "pino";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, stopwatch } from "../../platform/clock.ts";
import { backOffMs } from "../../platform/waiting.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../store/store.ts";
import { type Due, type DueKind, type DueKindName, dueKinds, type NextTime } from "./due-kinds.ts";
import type { Job, Lanes } from "./inbox/lanes.ts";
import type { OutsideLane } from "./inbox/scheduler.ts";

// Does work that is due. Leases, retries and back-off are the same for all kinds.

/**
 * How an attempt ended. `ended`: the work has ended its lease itself, together with its result; `again`: it was scheduled again
 * meanwhile. `retry`: it failed, and is retried with a back-off.
 */
export type DueEnd = "done" | "ended" | "again" | "retry" | NextTime;

/** Another replica may have the work by now, so this attempt stops without any further effect. */
export class LeaseLost extends Error {}

/** One attempt. An error that it throws is logged, and the work is retried with a back-off. */
export type DueWork = (due: Due, signal: AbortSignal, outsideLane: OutsideLane) => Promise<DueEnd>;

export type DueLoop = {
  /** Renews the leases of work that waits or runs, and releases interrupted work. Rejects when the database doesn't answer. */
  readonly renew: () => Promise<void>;
  /** Starts due work, as far as its kinds have free places. Rejects when the database doesn't answer. */
  readonly begin: () => Promise<void>;
  /**
   * Does all due work of one kind, or with this key, one after the other and without limits. True: it is done. Rejects when the database
   * doesn't answer.
   */
  readonly finish: (kind: DueKindName, key?: string) => Promise<boolean>;
  /** The same with work that this replica has just scheduled with a lease. */
  readonly perform: (due: Due, work: DueWork) => Promise<boolean>;
  /** The same in a lane, where people take turns. Without room there, it is due again. */
  readonly start: (due: Due, work: DueWork, job: Pick<Job, "lane" | "owner">) => void;
  /** What this replica has taken, as kind and key. */
  readonly inProgress: () => readonly string[];
};

type Parts = {
  readonly store: Pick<Store, "dueKinds" | "takeDue" | "renewDue" | "endDue" | "delayDue" | "onDue">;
  readonly lanes: Pick<Lanes, "add" | "background" | "isStopping">;
  readonly work: Readonly<Record<DueKindName, DueWork>>;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now" | "elapsedMs">;
};

/** Where an attempt goes on. */
type Place = { readonly signal: AbortSignal; readonly outsideLane: OutsideLane };

/** For work that runs at once, outside the lanes. */
function noPlace(): Place {
  return { signal: new AbortController().signal, outsideLane: (pause) => pause };
}

/** Before a retry. */
const BACK_OFF = { firstMs: 5_000, longestMs: 10 * 60_000, jitter: 0.2 };

const isKind = (name: string): name is DueKindName => Object.hasOwn(dueKinds, name);

function isOver(end: DueEnd | undefined): boolean {
  return end === "done" || end === "ended" || (typeof end === "object" && end.isDone === true);
}

const kindOf: Readonly<Record<DueKindName, DueKind>> = dueKinds;

export function createDueLoop({ store, lanes, work, log, clock }: Parts): DueLoop {
  /** Leases that this replica took, by kind. */
  const taken = new Map<DueKindName, number>();
  /** What this replica has taken. */
  const running = new Map<string, Promise<DueEnd | undefined>>();
  /** Kinds that may have more due work than free places. */
  const behind = new Set<DueKindName>();
  /** What this replica stored with a lease, instead of taking it. */
  const started = new Set<Due>();
  /** Leases that sweeps renew, with the time since they were. */
  const renewed = new Map<Due, () => number>();
  /** Leases that this replica couldn't end yet. */
  const interrupted = new Set<Due>();
  const hold = (due: Due): void => {
    // This process may have stood still since the database leased it.
    if (kindOf[due.kind].isRenewed === true) renewed.set(due, () => Number.POSITIVE_INFINITY);
  };
  const renew = async (): Promise<void> => {
    const old = [...renewed].filter(([due, sinceMs]) => sinceMs() > due.leaseMs / 4).map(([due]) => due);
    for (const [kind, dues] of Map.groupBy(old, (due) => due.kind)) {
      const sinceMs = stopwatch(clock);
      await store.renewDue(kind, dues);
      for (const due of dues) if (renewed.has(due)) renewed.set(due, sinceMs);
    }
    for (const due of interrupted) {
      // At once after a short outage, but not again and again.
      const ms = due.attempts > 1 ? backOffMs(due.attempts, BACK_OFF) : 0;
      await store.delayDue(due, { ms, isFailure: true });
      interrupted.delete(due);
    }
  };
  const count = (name: DueKindName, by: number): void => void taken.set(name, (taken.get(name) ?? 0) + by);
  const take = async (name: DueKindName, most: number, key?: string): Promise<readonly Due[]> => {
    // Reserved first: a concurrent call must not take as many again.
    count(name, most);
    let rows: readonly Due[] = [];
    try {
      rows = await store.takeDue({ kind: name, leaseMs: dueKinds[name].leaseMs, most, key });
    } finally {
      count(name, rows.length - most);
    }
    for (const due of rows) hold(due);
    return rows;
  };
  /** It needs no place of its kind, because people wait for it. */
  const trackStarted = (due: Due): void => {
    started.add(due);
    hold(due);
  };
  const release = (due: Due): void => {
    renewed.delete(due);
    // It took none of its kind's places, so its end frees none.
    if (started.delete(due)) return;
    count(due.kind, -1);
    if (behind.delete(due.kind)) wake();
  };
  const nameOf = ({ kind, key }: Pick<Due, "kind" | "key">): string => `${kind} ${key}`;
  const track = (due: Due, end: Promise<DueEnd | undefined>): void => {
    const name = nameOf(due);
    const tracked = end
      .catch(() => undefined)
      .finally(() => {
        if (running.get(name) === tracked) running.delete(name);
      });
    running.set(name, tracked);
  };
  const run = (due: Due, todo = work[due.kind], place = noPlace()): Promise<DueEnd | undefined> => {
    const end = runAll(due, todo, place);
    track(due, end);
    return end;
  };
  /** Also what was scheduled meanwhile. */
  const runAll = async (first: Due, todo: DueWork, place: Place): Promise<DueEnd | undefined> => {
    const { kind, key } = first;
    let end = await runOnce(first, todo, place);
    while (end === "again") {
      const [next] = await take(kind, 1, key);
      // Another replica has it.
      if (next === undefined) return undefined;
      end = await runOnce(next, work[kind], place);
    }
    return end;
  };
  const runOnce = async (due: Due, todo: DueWork, place: Place): Promise<DueEnd | undefined> => {
    try {
      // Another replica takes it at once.
      let end = place.signal.aborted ? { ms: 0, isFailure: true } : await attempt(due, todo, place);
      if (end === "done" && (await store.endDue(due)) === "again") end = "again";
      else if (end === "retry") await store.delayDue(due, { ms: backOffMs(due.attempts, BACK_OFF), isFailure: true });
      else if (typeof end === "object") await store.delayDue(due, end);
      return end;
    } catch (error) {
      if (error instanceof StoreError) interrupted.add(due);
      throw error;
    } finally {
      release(due);
    }
  };
  const attempt = async (due: Due, todo: DueWork, { signal, outsideLane }: Place): Promise<DueEnd | undefined> => {
    try {
      return await todo(due, signal, outsideLane);
    } catch (error) {
      if (error instanceof LeaseLost) return undefined;
      if (error instanceof StoreError) throw error;
      const { kind, key, attempts } = due;
      log.error({ err: error, kind, key, attempts }, "due work failed; it is retried");
      return "retry";
    }
  };
  /** Once the lane has a place for it. Without room there, the next sweep gives it back. */
  const enqueue = (due: Due, job: Job, todo?: DueWork): void => {
    const { promise, resolve } = Promise.withResolvers<DueEnd | undefined>();
    track(due, promise);
    const isTaken = lanes.add(job, async (signal, outsideLane) => {
      const end = run(due, todo, { signal, outsideLane });
      resolve(end);
      await end;
    });
    if (isTaken) return;
    resolve(undefined);
    behind.delete(due.kind);
    release(due);
    interrupted.add(due);
  };
  const begin = async (): Promise<void> => {
    if (lanes.isStopping()) return;
    for (const name of await store.dueKinds()) {
      // A kind of a newer version waits for a replica of that version.
      if (!isKind(name)) continue;
      const { atOnce, lane = "due" } = kindOf[name];
      const room = atOnce - (taken.get(name) ?? 0);
      const rows = room > 0 ? await take(name, room) : [];
      // There may be more of it.
      if (rows.length >= room) behind.add(name);
      for (const due of rows) enqueue(due, { lane });
    }
  };
  let isAwake = false;
  /** The next sweep would find it, too. */
  const wake = (): void => {
    if (isAwake) return;
    isAwake = true;
    lanes.background(
      nextTurn().then(() => {
        isAwake = false;
        return begin();
      }),
    );
  };
  store.onDue(wake);
  return {
    renew,
    begin,
    async finish(name, key) {
      for (let isDone = false; ;) {
        const [due] = await take(name, 1, key);
        const other = key === undefined ? undefined : running.get(nameOf({ kind: name, key }));
        const end = await (due === undefined ? other : run(due));
        if (due === undefined && other === undefined) return isDone;
        isDone = isOver(end);
        // No end: another attempt took over, maybe in this replica, where it can be awaited.
        if (key !== undefined && end !== undefined) return isDone;
      }
    },
    async perform(due, todo) {
      trackStarted(due);
      return isOver(await run(due, todo));
    },
    start(due, todo, job) {
      trackStarted(due);
      enqueue(due, job, todo);
    },
    inProgress: () => [...running.keys()],
  };
}
