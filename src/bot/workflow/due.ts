import type { Logger } from "pino";
import { setImmediate as nextTurn } from "node:timers/promises";
import { backOffMs } from "../../platform/waiting.ts";
import { StoreError } from "../errors.ts";
import type { LaneName, Lanes } from "./inbox/lanes.ts";

// Work that some replica must do at a time. Who has a row, when it comes again and what a failure means is the same for all kinds.

type Facts = {
  readonly lane: LaneName;
  /** Rows of this kind that a replica has at once. */
  readonly atOnce: number;
  /** Longer than the work takes between two renewals. When it is over, another replica takes the row and does it again. */
  readonly leaseMs: number;
};

export const dueKinds = {
  /** Hands history to a receiver; its key is the receiver's name. A batch is repeated as it was. */
  audit: { lane: "sweeping", atOnce: 4, leaseMs: 30_000 },
  /** Tells a digest; its key is the watch. Whoever takes over says that it may be there already. */
  digest: { lane: "watching", atOnce: 16, leaseMs: 60_000 },
  /** Asks Slack whether an installation is over; its key is the installation. */
  doubt: { lane: "sweeping", atOnce: 4, leaseMs: 60_000 },
  /** Looks for new lines of a log that is followed. Its messages are drawn again from what is stored. */
  follow: { lane: "watching", atOnce: 64, leaseMs: 30_000 },
  /** Reads a list of workloads for its watches; its key is the list. Few at once: people's work goes first. */
  round: { lane: "watching", atOnce: 4, leaseMs: 60_000 },
  /** Renews the token of an installation, which is its key. */
  token: { lane: "sweeping", atOnce: 4, leaseMs: 60_000 },
  /** Tells that a watch ended or tells again. Whoever takes over says that it may be there already. */
  "watch news": { lane: "watching", atOnce: 16, leaseMs: 60_000 },
} as const satisfies Readonly<Record<string, Facts>>;

export type DueKindName = keyof typeof dueKinds;

/** A row of work that this replica has, until its lease ends. */
export type Due = {
  readonly kind: DueKindName;
  /** Which one of its kind. */
  readonly key: string;
  /** Empty for work of the whole process. */
  readonly teamId: string;
  /** Lease token. */
  readonly token: string;
  readonly leaseMs: number;
  /** Attempts since it last succeeded, with this one: 1 for the first. */
  readonly attempts: number;
  readonly payload: string | undefined;
  readonly createdAt: Date;
  /** By the database's clock. */
  readonly takenAt: Date;
};

export type Planted = Pick<Due, "kind" | "key" | "teamId"> & {
  /** From now on; at once without it. */
  readonly inMs?: number;
  readonly at?: Date | undefined;
  /** Sealed in the database. */
  readonly payload?: string | undefined;
};

export type Taking = Pick<Due, "kind" | "leaseMs"> & { readonly most: number };

export type Later = {
  readonly payload?: string | undefined;
  /** The next attempt counts as a further one. */
  readonly isFailure?: boolean | undefined;
} & ({ readonly ms: number; readonly at?: undefined } | { readonly at: Date; readonly ms?: undefined });

/** Functions that return a boolean return false when the lease was lost, and then did nothing. */
export type DueStore = {
  /** Which kinds have work that is due, and how much. */
  readonly dueKinds: () => Promise<ReadonlyMap<string, number>>;
  readonly takeDue: (taking: Taking) => Promise<readonly Due[]>;
  /** Renews the lease. */
  readonly holdDue: (due: Due, payload?: string) => Promise<boolean>;
  readonly endDue: (due: Due) => Promise<boolean>;
  readonly delayDue: (due: Due, later: Later) => Promise<boolean>;
};

/** What became of an attempt. `ended`: the work itself has ended its lease, in a transaction of its own. */
export type DueEnd = "done" | "ended" | Later;

/** Another replica has the work by now: nothing more may be done about it. */
export class LeaseLost extends Error {}

/** Renews the lease before something is done that can't be taken back. Throws `LeaseLost`. */
export async function renew(store: Pick<DueStore, "holdDue">, due: Due, payload?: string): Promise<void> {
  if (!(await store.holdDue(due, payload))) throw new LeaseLost();
}

/** An attempt. What it throws counts as a failure. */
export type DueWork = (due: Due, signal: AbortSignal) => Promise<DueEnd>;

export type DueLoop = {
  /** Begins what is due, as far as there is room. Rejects when the database doesn't answer. */
  readonly begin: () => Promise<void>;
  /** The same soon, for work that was just added. Whoever forgets it waits for the next sweep. */
  readonly wake: () => void;
  /** Does all that is due of one kind, one after the other. Rejects when the database doesn't answer. */
  readonly finish: (kind: DueKindName) => Promise<void>;
};

type Parts = {
  readonly store: DueStore;
  readonly lanes: Pick<Lanes, "add" | "background" | "isStopping">;
  readonly work: Readonly<Record<DueKindName, DueWork>>;
  readonly log: Logger;
};

/** After a failure, an attempt comes again. */
const WAIT = { firstMs: 5_000, longestMs: 10 * 60_000, jitter: 0.2 };

const isKind = (name: string): name is DueKindName => Object.hasOwn(dueKinds, name);

export function createDueLoop({ store, lanes, work, log }: Parts): DueLoop {
  /** Rows that this replica has, by kind. */
  const taken = new Map<DueKindName, number>();
  /** Kinds with more that is due than was taken. */
  const behind = new Set<DueKindName>();
  const count = (name: DueKindName, by: number): void => void taken.set(name, (taken.get(name) ?? 0) + by);
  const take = async (name: DueKindName, most: number): Promise<readonly Due[]> => {
    // Counted first: a second call must not take as many once more.
    count(name, most);
    let rows: readonly Due[] = [];
    try {
      rows = await store.takeDue({ kind: name, leaseMs: dueKinds[name].leaseMs, most });
    } finally {
      count(name, rows.length - most);
    }
    return rows;
  };
  const release = (due: Due): void => {
    count(due.kind, -1);
    if (behind.delete(due.kind)) wake();
  };
  const run = async (due: Due, signal: AbortSignal): Promise<void> => {
    try {
      // Another replica takes it at once.
      const end = signal.aborted ? { ms: 0, isFailure: true } : await attempt(due, signal);
      if (end !== undefined) await settleDue(store, due, end);
    } finally {
      release(due);
    }
  };
  const attempt = async (due: Due, signal: AbortSignal): Promise<DueEnd | undefined> => {
    try {
      return await work[due.kind](due, signal);
    } catch (error) {
      if (error instanceof LeaseLost) return undefined;
      // The lease ends, and another replica goes on.
      if (error instanceof StoreError) throw error;
      log.error({ err: error, kind: due.kind, attempts: due.attempts }, "work that was due failed; it is tried again");
      return { ms: backOffMs(due.attempts, WAIT), isFailure: true };
    }
  };
  const begin = async (): Promise<void> => {
    if (lanes.isStopping()) return;
    for (const [name, waiting] of await store.dueKinds()) {
      // One of another version waits for it.
      if (!isKind(name)) continue;
      const { atOnce, lane } = dueKinds[name];
      const room = atOnce - (taken.get(name) ?? 0);
      const rows = room > 0 ? await take(name, room) : [];
      if (rows.length < waiting) behind.add(name);
      for (const due of rows) {
        if (lanes.add({ lane }, (signal) => run(due, signal))) continue;
        release(due);
        await store.delayDue(due, { ms: 0, isFailure: true });
      }
    }
  };
  let isAwake = false;
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
  return {
    begin,
    wake,
    async finish(name) {
      for (;;) {
        const rows = await take(name, 1);
        if (rows.length === 0) return;
        for (const due of rows) await run(due, new AbortController().signal);
      }
    },
  };
}

/** Ends an attempt. After a lost lease, nothing happens. */
export async function settleDue(store: Pick<DueStore, "endDue" | "delayDue">, due: Due, end: DueEnd): Promise<void> {
  if (end === "ended") return;
  if (end === "done") await store.endDue(due);
  else await store.delayDue(due, end);
}
