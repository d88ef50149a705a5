import type { NewHistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import {
  type Drift,
  type Health,
  requestIdOf,
  type StoredChange,
  type Who,
} from "../../../../src/bot/changes/stored-change.ts";
import type { Store } from "../../../../src/bot/store/store.ts";
import { type Due, dueKinds } from "../../../../src/bot/workflow/due-kinds.ts";
import { endOf, type Next, step, type Step } from "../../../../src/bot/workflow/lifecycle.ts";
import type { NewChange } from "../../../../src/bot/workflow/stored.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";

type Without<Details, Key extends PropertyKey> = Details extends unknown ? Omit<Details, Key> : never;
type DetailsOf<Name extends Step["name"]> = Without<
  Extract<Step, { readonly name: Name }>,
  "name" | "from" | "to" | "due"
>;
/** Steps that take the lease of their request. */
type Carried = Extract<Step, { readonly due: Due }>["name"];
/** What a step needs beside the lease. By default, that is kept. */
type Given<Name extends Carried> = Without<DetailsOf<Name>, "next"> & { readonly next?: Next };

/** More than a test has. */
const most = 10_000;

/**
 * A store with a function for each step of the lifecycle, so that tests read as what people and replicas do. It knows which requests
 * it carries on.
 */
export function withSteps(store: Store) {
  const leases = new Map<string, Due>();
  const lease = (key: string): Due => {
    const never = new Date(0);
    const none = {
      kind: "change",
      key,
      teamId: "T1",
      token: "none",
      leaseMs: 0,
      attempts: 1,
      payload: undefined,
    } as const; // a literal kind
    return leases.get(key) ?? { ...none, createdAt: never, takenAt: never };
  };
  const keep = (due: Due | undefined): void => void (due && leases.set(due.key, due));
  const insertChange: Store["insertChange"] = async (change, event) => {
    const added = await store.insertChange(change, event);
    if (typeof added === "object" && "change" in added) keep(added.due);
    return added;
  };
  const carry = async <Name extends Carried>(
    id: string,
    name: Name,
    details: Given<Name>,
    event: NewHistoryEvent | undefined,
  ) => store.advance(id, leased(lease(name === "begin" ? requestIdOf(id) : id), name, details), event);
  const move = async <Name extends Carried>(
    id: string,
    name: Name,
    details: Given<Name>,
    event: NewHistoryEvent | undefined,
  ): Promise<StoredChange | undefined> => {
    const advanced = await carry(id, name, details, event);
    return advanced.kind === "moved" ? advanced.change : undefined;
  };
  const decide = async (id: string, wanted: Step, event: NewHistoryEvent): Promise<StoredChange | undefined> => {
    const advanced = await store.advance(id, wanted, event);
    return advanced.kind === "moved" ? advanced.change : undefined;
  };
  /** Takes what is due; resolves to all that this replica carries on, the oldest first. */
  const openChanges = async (): Promise<readonly StoredChange[]> => {
    for (const due of await store.takeDue({ kind: "change", leaseMs: dueKinds.change.leaseMs, most })) keep(due);
    const open: StoredChange[] = [];
    for (const [id, due] of leases) {
      const isOurs = await store.holdDue(due);
      if (!isOurs) leases.delete(id);
      // A row that can't be read keeps nobody from the others.
      const change = isOurs ? await store.find({ id }).catch(() => undefined) : undefined;
      if (change !== undefined) open.push(change);
    }
    return open.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  };
  return {
    ...store,
    insertChange,
    lease,
    carry,
    openChanges,
    /** The turn of a part has come: this replica carries it on from now on. */
    async begin(id: string) {
      const advanced = await carry(id, "begin", {}, undefined);
      for (const due of await store.takeDue({ kind: "change", leaseMs: dueKinds.change.leaseMs, most, key: id }))
        keep(due);
      return advanced;
    },
    async addChange(change: NewChange, event: NewHistoryEvent) {
      const added = await insertChange(change, event);
      if (added === "taken") throw new Error(`the id ${change.id} is taken`);
      if ("unanswered" in added) throw new Error(`${added.unanswered.id} has no answer yet`);
      return added.change;
    },
    findChange: (id: string) => store.find({ id }),
    changeOfDelivery: (deliveryId: string) => store.find({ deliveryId }),
    waitingLike: (waitKey: string) => store.find({ waitKey }),
    undoOf: (undoOf: string) => store.find({ undoOf }),
    async vote(id: string, by: Who, events: { readonly voted: NewHistoryEvent; readonly approved: NewHistoryEvent }) {
      const advanced = await store.advance(id, step("approve", { by, last: events.approved }), events.voted);
      if (advanced.kind === "moved") keep(advanced.due);
      if (advanced.kind === "moved") return { kind: "counted", change: advanced.change } as const;
      if (advanced.kind === "late" && advanced.change === undefined) return { kind: "missing" } as const;
      return advanced;
    },
    async claim(id: string, event: NewHistoryEvent) {
      const advanced = await carry(id, "claim", {}, event);
      if (advanced.kind === "moved") return { kind: "claimed", change: advanced.change } as const;
      return { kind: advanced.kind === "busy" ? "busy" : "lost" } as const;
    },
    async returnToPending({ id, ...details }: Given<"askAgain"> & { readonly id: string }, event: NewHistoryEvent) {
      const advanced = await carry(id, "askAgain", details, event);
      if (advanced.kind === "moved") return { kind: "pending", change: advanced.change } as const;
      return advanced.kind === "busy"
        ? ({ kind: "duplicate", earlier: advanced.earlier } as const)
        : ({ kind: "moved" } as const);
    },
    reject: (
      id: string,
      { who, reason }: { readonly who: Who; readonly reason: string | undefined },
      event: NewHistoryEvent,
    ) => decide(id, step("reject", { by: who, reason }), event),
    cancel: (id: string, by: Who, event: NewHistoryEvent) => decide(id, step("cancel", { by }), event),
    drift: (id: string, drift: readonly Drift[], event: NewHistoryEvent) => move(id, "drift", { drift }, event),
    refuse: (id: string, outcome: Outcome, event: NewHistoryEvent) => move(id, "refuse", { outcome }, event),
    doubt: (id: string, outcome: Outcome, event: NewHistoryEvent) => move(id, "doubt", { outcome }, event),
    settle: (id: string, outcome: Outcome, event: NewHistoryEvent) => move(id, endOf[outcome.kind], { outcome }, event),
    setHealth: (id: string, health: Health, event: NewHistoryEvent | undefined) =>
      move(id, "follow", { isNews: true, health, next: "over" }, event),
    /** Of what this replica carries on, and waits for approvals or for its start. */
    async expireDue(withinMs: number, event: (change: StoredChange) => NewHistoryEvent) {
      const expired: StoredChange[] = [];
      for (const change of await openChanges()) {
        const { id, state: was } = change;
        if (was !== "pending" && was !== "approved") continue;
        const moved = await move(id, "expire", { was, withinMs }, event(change));
        if (moved !== undefined) expired.push(moved);
      }
      return expired;
    },
    addEvent: store.addEvent,
    async settingsOf(teamId: string, userId: string) {
      const { region } = await store.impliedFor({ teamId, userId, channelId: "C0NONE" });
      return { region };
    },
  };
}

/** Steps after which the lease is over by itself, or goes on. */
const ending: ReadonlySet<Step["name"]> = new Set(["askAgain", "expire", "drift", "refuse", "begin", "claim", "doubt"]);

/** A step with a lease, which it keeps unless the test says otherwise. */
function leased<Name extends Carried>(due: Due, name: Name, details: Given<Name>): Step {
  const all: unknown = { ...(ending.has(name) ? {} : { next: "kept" }), ...details, due };
  return step(name, all as Parameters<typeof step<Name>>[1]); // with its lease, they are all
}

export type Steps = ReturnType<typeof withSteps>;
