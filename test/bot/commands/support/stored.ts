import type { HistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";

const createdAt = new Date("2026-11-21T11:30:00Z");

/** A Change that waits for its second vote. */
export const waiting: StoredChange = {
  id: "K7Q2MX",
  deliveryId: "d1",
  state: "pending",
  version: 2,
  teamId: "T0GANTRY",
  requester: { userId: "U0DANA", name: "Dana Reyes" },
  channelId: "C0OPS",
  verb: "scale",
  reason: "the sale is over",
  op: "updateService",
  workload: { kind: "service", region: "beijing1", name: "web", uid: "u1" },
  risk: "destructive",
  diff: ["instances 6 → 0"],
  digest: "0".repeat(64),
  sealed: "g1.k.SEALED",
  account: { owner: { kind: "workspace" }, username: "dana" },
  rule: "hurts",
  terms: {
    votes: 2,
    from: { users: [], groups: [], channelMembers: true },
    selfApproval: false,
    reasonRequired: false,
    expiresMs: 3_600_000,
    cardIn: undefined,
    mention: "nobody",
  },
  breakGlass: false,
  undoOf: undefined,
  votes: [{ userId: "U0ALEX", name: "Alex Kim", at: createdAt }],
  createdAt,
  expiresAt: new Date("2026-11-21T12:30:00Z"),
  approvedAt: undefined,
  claimedAt: undefined,
  settledAt: undefined,
  ending: undefined,
  health: undefined,
  progress: undefined,
  isUndone: false,
  notice: undefined,
  card: { channelId: "C0OPS", ts: "1.2" },
};

export function event(seq: number, more: Partial<HistoryEvent> = {}): HistoryEvent {
  return {
    seq,
    at: new Date(Date.parse("2026-11-20T00:00:00Z") + seq * 60_000),
    kind: "requested",
    teamId: "T0GANTRY",
    changeId: "K7Q2MX",
    who: { userId: "U0DANA", name: "Dana Reyes" },
    channelId: "C0OPS",
    verb: "scale",
    workload: { kind: "service", region: "beijing1", name: "web" },
    account: "dana",
    rule: "hurts",
    breakGlass: false,
    result: "instances 2 → 6",
    elapsedMs: undefined,
    reference: undefined,
    ...more,
  };
}

/** So many events, newest first. */
export function events(count: number): HistoryEvent[] {
  return Array.from({ length: count }, (_, at) => event(count - at, { result: `event ${count - at}` }));
}
