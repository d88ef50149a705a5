import { machineClock } from "../../../../src/platform/clock.ts";
import type { Kysely } from "kysely";
import { pino } from "pino";
import type { HistoryEventKind, NewHistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { StoredChange, Who } from "../../../../src/bot/changes/stored-change.ts";
import type { Terms } from "../../../../src/bot/policy/policy.ts";
import { openStore, type OpenStore } from "../../../../src/bot/store/open-store.ts";
import type { Flavour } from "../../../../src/bot/store/database/session.ts";
import type { Store } from "../../../../src/bot/store/store.ts";
import { type Due, dueKinds, type DueKindName } from "../../../../src/bot/workflow/due-kinds.ts";
import type { NewChange, NewDelivery } from "../../../../src/bot/workflow/stored.ts";
import { testClock } from "../../../support/test-clock.ts";
import { type Steps, withSteps } from "../support/steps.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";

type PartOf<Options, Name extends PropertyKey> = Options extends unknown ? Omit<Options, Name> : never;
type Where = PartOf<OpenStore, "replicaId" | "log">;

/** A fresh database, on which replicas are opened, and which is also looked into from outside. */
export type Database = {
  readonly where: Where;
  readonly db: Kysely<Tables>;
  readonly remove: () => Promise<void>;
};

export type Replica = Steps & {
  /** Moves this replica's view of the database's clock. */
  readonly later: (ms: number) => void;
};

export type Bench = {
  readonly replica: (name: string, options?: Partial<OpenStore>) => Promise<Replica>;
  readonly db: () => Kysely<Tables>;
  readonly flavour: () => Flavour;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
};

/** What each test of the contract works with; `fresh` makes a database that nobody used. */
export function benchOver(fresh: () => Promise<Database>): Bench {
  let database: Database | undefined;
  let open: Store[] = [];
  const current = () => {
    if (database === undefined) throw new Error("the bench was not begun");
    return database;
  };
  return {
    async replica(replicaId, options = {}) {
      // Of the database, which tells this machine's time.
      const clock = testClock(machineClock.now());
      const common = { replicaId, log: pino({ level: "silent" }), clock };
      const store = await openStore({ ...current().where, ...common, ...options } as OpenStore); // a place and the rest
      open.push(store);
      return { ...withSteps(store), later: clock.passMs };
    },
    db: () => current().db,
    flavour() {
      const { where } = current();
      return where.kind === "shared" ? where.flavour : where.kind;
    },
    async begin() {
      database = await fresh();
    },
    async end() {
      for (const store of open) await store.close();
      open = [];
      await database?.remove();
    },
  };
}

export const ann: Who = { userId: "U1", name: "Ann Lee" };
export const bob: Who = { userId: "U2", name: "Bob Ray" };
export const cleo: Who = { userId: "U3", name: "Cleo Fox" };

export const terms: Terms = {
  votes: 1,
  from: { users: ["U2"], groups: ["S1"], channelMembers: false },
  selfApproval: false,
  reasonRequired: false,
  expiresMs: 3_600_000,
  cardIn: undefined,
  mention: "groups",
};

/** A Change as it is asked for: a scale that waits for one vote. */
export function pendingChange(id: string, other: Partial<NewChange> = {}): NewChange {
  return {
    id,
    deliveryId: `delivery-${id}`,
    state: "pending",
    teamId: "T1",
    requester: ann,
    channelId: "C1",
    verb: "scale",
    reason: "the sale begins",
    op: "updateService",
    workload: { kind: "service", region: "us", name: `web-${id}`, uid: "uid-1" },
    risk: "disruptive",
    diff: ["instances 6 → 2"],
    digest: "digest-1",
    sealed: "sealed-1",
    account: { owner: { kind: "workspace" }, username: "acme" },
    rule: "two eyes",
    terms,
    breakGlass: false,
    undoOf: undefined,
    ...other,
  };
}

/** One that needs no approval. */
export function approvedChange(id: string, other: Partial<NewChange> = {}): NewChange {
  return pendingChange(id, { state: "approved", terms: undefined, risk: "routine", ...other });
}

export function event(kind: HistoryEventKind, other: Partial<NewHistoryEvent> = {}): NewHistoryEvent {
  return {
    kind,
    teamId: "T1",
    changeId: undefined,
    who: ann,
    channelId: "C1",
    verb: "scale",
    workload: { kind: "service", region: "us", name: "web" },
    account: "acme",
    rule: "two eyes",
    breakGlass: false,
    result: kind,
    elapsedMs: undefined,
    reference: undefined,
    ...other,
  };
}

export const votes = { voted: event("voted"), approved: event("approved") };

export const done: Outcome = { kind: "done", after: undefined, alsoMoved: [] };
export const unknown: Outcome = { kind: "unknown", after: "unread", why: "No answer came.", next: "Look first." };

/** What a person asked for, as it is stored. */
export function deliveryOf(id: string, other: Partial<NewDelivery> = {}): NewDelivery {
  return { id, teamId: "T1", payload: JSON.stringify({ what: "was asked for" }), token: `token of ${id}`, ...other };
}

/** The kinds of what happened to a Change, in order. */
export async function storyOf(store: Store, changeId: string): Promise<readonly HistoryEventKind[]> {
  const events = await store.history({ teamId: "T1", limit: 1_000 });
  return events
    .filter((each) => each.changeId === changeId)
    .map(({ kind }) => kind)
    .toReversed();
}

export function ofId(changes: readonly StoredChange[]): readonly string[] {
  return changes.map(({ id }) => id);
}

/** The work of a kind that is due longest, taken by this replica. */
export async function takeOne(store: Store, kind: DueKindName): Promise<Due | undefined> {
  const [due] = await store.takeDue({ kind, leaseMs: dueKinds[kind].leaseMs, most: 1 });
  return due;
}

/** Ids of the messages that are due now, those of requests among them: the longest first. */
export async function cardsDue(store: Store): Promise<readonly string[]> {
  const due = await store.takeDue({ kind: "post", leaseMs: 0, most: 100 });
  for (const each of due) await store.delayDue(each, { ms: 0 });
  return due.map(({ key }) => key);
}

/** Places that have something to be told now. */
export async function placesDue(store: Store): Promise<readonly string[]> {
  await store.scheduleWatching();
  const due = await store.takeDue({ kind: "place", leaseMs: 0, most: 100 });
  for (const each of due) await store.endDue(each);
  return due.map(({ key }) => key).toSorted();
}

/** As many calls at once, shared out over the replicas. */
export function atOnce<T>(
  count: number,
  replicas: readonly Replica[],
  call: (store: Replica, at: number) => Promise<T>,
): Promise<readonly T[]> {
  return Promise.all(
    Array.from({ length: count }, (_, at) => {
      const store = replicas[at % replicas.length];
      if (store === undefined) throw new Error("no replica");
      return call(store, at);
    }),
  );
}
