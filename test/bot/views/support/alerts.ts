import type { IncidentCard } from "../../../../src/bot/views/cards/incident-words.ts";
import type { Alert, Incident, Seen } from "../../../../src/bot/watch/incident.ts";

const start = Date.parse("2026-11-26T14:02:00Z");
export const at = (minutes: number): Date => new Date(start + minutes * 60_000);

export const seen: Seen = {
  kind: "service",
  name: "payments",
  uid: "u1",
  level: "failing",
  words: "keeps crashing",
  facts: "exit 3, 14 restarts in 9 min",
  reason: "lost the connection to the database",
  cause: "crash-loop",
  shared: undefined,
  restarts: 14,
  ready: 0,
  size: 2,
  images: undefined,
  revision: "4",
};
export const incident: Incident = {
  id: "i1",
  teamId: "T1",
  account: "gantry",
  region: "beijing1",
  kind: "service",
  name: "payments",
  cause: "crash-loop",
  shared: undefined,
  openedAt: at(0),
  overAt: undefined,
  end: undefined,
  times: 1,
  seen,
  unseenSince: undefined,
  overUnseenSince: undefined,
  restartsBefore: 0,
  changedBefore: undefined,
};
export const alert: Alert = {
  id: "a1",
  teamId: "T1",
  createdAt: at(0),
  incidents: [incident],
  events: [],
  taken: undefined,
};

/** Of these incidents in #ops, of which nothing was requested. */
export function cardOf(incidents: readonly Incident[], other: Partial<IncidentCard> = {}): IncidentCard {
  const place = { kind: "channel", channelId: "C0OPS" } as const; // a literal kind
  const known = { history: [], isHistoryWhole: true };
  return { alert: { ...alert, incidents }, defaultRegion: "beijing1", ...known, place, isDirect: false, ...other };
}
