import type { HistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { Drift, Ending, StoredChange, Vote } from "../../../../src/bot/changes/stored-change.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";
import type { Terms } from "../../../../src/bot/policy/policy.ts";

export const dana = { userId: "U0DANA", name: "Dana Reyes" } as const;
export const alex: Vote = { userId: "U0ALEX", name: "Alex Kim", at: new Date("2026-11-21T12:05:00Z") };
export const omar: Vote = { userId: "U0OMAR", name: "Omar Haddad", at: new Date("2026-11-21T12:06:00Z") };
export const names = { S0ONCALL: "@oncall", U0ALEX: "Alex Kim", U0OMAR: "Omar Haddad", C0OPS: "#ops" };

export const terms: Terms = {
  votes: 2,
  from: { users: [], groups: ["S0ONCALL"], channelMembers: false },
  selfApproval: false,
  reasonRequired: false,
  expiresMs: 3_600_000,
  cardIn: undefined,
  mention: "groups",
};

/** Dana asks to scale web, which needs two votes of the people on call. */
export function stored(more: Partial<StoredChange> = {}): StoredChange {
  return {
    id: "7K3M9Q",
    deliveryId: "1.2.abc",
    state: "pending",
    version: 1,
    teamId: "T0PLAYGR",
    requester: dana,
    channelId: "C0OPS",
    verb: "scale",
    reason: "Black Friday is over",
    op: "updateService",
    workload: { kind: "service", region: "beijing1", name: "web", uid: "7d0e6f9c" },
    risk: "disruptive",
    diff: ["instances 6 → 2"],
    digest: "d1",
    sealed: "g1.k1.SECRETVALUE",
    account: { owner: { kind: "workspace" }, username: "team" },
    rule: "disruptive-needs-on-call",
    terms,
    breakGlass: false,
    undoOf: undefined,
    votes: [],
    createdAt: new Date("2026-11-21T12:00:00Z"),
    expiresAt: new Date("2026-11-21T13:00:00Z"),
    approvedAt: undefined,
    claimedAt: undefined,
    settledAt: undefined,
    ending: undefined,
    health: undefined,
    progress: undefined,
    isUndone: false,
    notice: undefined,
    card: undefined,
    ...more,
  };
}

/** One that came to its end. */
export function ended(state: StoredChange["state"], more: Partial<StoredChange> = {}): StoredChange {
  return stored({ state, expiresAt: undefined, settledAt: new Date("2026-11-21T12:10:00Z"), ...more });
}

export function run(outcome: Outcome): Ending {
  return { kind: "run", outcome };
}

export const tookEffect = run({ kind: "done", after: undefined, alsoMoved: [] });
export const inDoubt = run({
  kind: "unknown",
  after: "unread",
  why: "No answer came within 30 s.",
  next: "It is not sent again.",
});

export function moved(field: string, [before, now, asked]: readonly [string, string, string?]): Drift {
  // oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
  return { field, then: before, now, asked };
}

export function event(kind: HistoryEvent["kind"], more: Partial<HistoryEvent> = {}): HistoryEvent {
  return {
    seq: 1,
    at: new Date("2026-11-21T12:00:00Z"),
    kind,
    teamId: "T0PLAYGR",
    changeId: "7K3M9Q",
    who: undefined,
    channelId: "C0OPS",
    verb: "scale",
    workload: { kind: "service", region: "beijing1", name: "web" },
    account: "team",
    rule: "disruptive-needs-on-call",
    breakGlass: false,
    result: "",
    elapsedMs: 42_000,
    reference: undefined,
    ...more,
  };
}
