import { describe, expect, test } from "vitest";
import { incidentCard, newsReply } from "../../../src/bot/views/cards/incident-card.ts";
import type { Alert, NoticedEvent } from "../../../src/bot/watch/alert.ts";
import type { Incident, Seen } from "../../../src/bot/watch/incident.ts";

const start = Date.parse("2026-11-26T14:02:00Z");
const at = (minutes: number): Date => new Date(start + minutes * 60_000);

const seen: Seen = {
  kind: "service",
  name: "payments",
  uid: "u1",
  level: "failing",
  words: "exit 3, 14 restarts in 9 min",
  reason: "lost the connection to the database",
  cause: "crash-loop",
  shared: undefined,
  restarts: 14,
  ready: 0,
  size: 2,
  images: undefined,
  revision: "4",
};
const incident: Incident = {
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
const alert: Alert = {
  id: "a1",
  teamId: "T1",
  place: "C1",
  ownerId: "U1",
  createdAt: at(0),
  version: 1,
  card: undefined,
  incidents: [incident],
  events: [],
  told: [],
  taken: undefined,
};

function text(incidents: readonly Partial<Incident>[], other: Partial<Alert> = {}): string {
  const all = incidents.map((each) => ({ ...incident, ...each }));
  const card = { alert: { ...alert, incidents: all, ...other }, defaultRegion: "beijing1", history: [], now: at(12) };
  return incidentCard(card).text;
}

const over = (end: NonNullable<Incident["end"]>): Partial<Incident> => ({ overAt: at(12), end });

describe("the headline says what happened, and is never better than what is known", () => {
  test.each<[string, readonly Partial<Incident>[], string]>([
    ["it fails", [{}], "🔴 payments keeps crashing"],
    ["a job", [{ cause: "job-failed", kind: "job", name: "report" }], "🔴 report failed"],
    ["it recovered", [over("recovered")], "🟢 payments recovered after 12 min"],
    ["it was stopped", [over("stopped")], "⚪️ payments was stopped after 12 min"],
    ["it was deleted", [over("deleted")], "⚪️ payments was deleted after 12 min"],
    ["nobody looks any more", [over("unwatched")], "⚪️ payments isn't watched any more"],
    [
      "nobody saw the end",
      [{ ...over("recovered"), overUnseenSince: at(1) }],
      "🟢 payments recovered after 12 min at the latest",
    ],
    ["two", [{}, { name: "web" }], "🔴 2 workloads keep crashing"],
    ["two of one registry", [image, { ...image, name: "web" }], "🔴 2 workloads can't pull their images from r.io"],
    ["two with two causes", [{}, { name: "web", cause: "probe" }], "🔴 2 workloads are failing"],
    ["one of two", [over("recovered"), { name: "web" }], "🔴 1 of 2 workloads keeps crashing"],
    ["both recovered", [over("recovered"), over("recovered")], "🟢 2 workloads recovered"],
    [
      "one was deleted",
      [over("recovered"), over("deleted")],
      "⚪️ 2 workloads no longer fail, not all of them recovered",
    ],
    ["no API", [{ cause: "api-away", name: undefined }], "🔴 The workload API doesn't answer"],
  ])("%s", (_, incidents, headline) => {
    expect(text(incidents).split("\n")[0]).toBe(headline);
  });
});

const image: Partial<Incident> = { cause: "image", shared: "r.io" };

test("what is seen, what changed before it, and who is on it", () => {
  const changedBefore = { at: at(-2).toISOString(), words: "image payments:4.11 → payments:4.12" };
  const taken = { userId: "U2", name: "Omar", at: at(3) };

  expect(text([{ changedBefore }], { taken }).split("\n").slice(1)).toEqual([
    "exit 3, 14 restarts in 9 min · 0 of 2 ready",
    "lost the connection to the database",
    "Seen since 2026-11-26 14:02 UTC",
    "Before it: image payments:4.11 → payments:4.12, not by a request here, 2026-11-26 14:00 UTC",
    "👋 Omar is on it",
    "service · gantry",
  ]);
});

test("what was created before it without a request is told in a few words", () => {
  const changedBefore = { at: at(-2).toISOString(), words: "was created" };

  expect(text([{ changedBefore }])).toContain("Before it: created, not by a request here, 2026-11-26 14:00 UTC");
});

test("a storm fits into one message, and names the first of it", () => {
  const many = Array.from({ length: 500 }, (_, number) => ({ id: `i${number}`, name: `shop-${number}` }));
  const lines = text(many).split("\n");

  expect(lines).toHaveLength(12);
  expect(lines.at(-1)).toBe("and 490 more");
});

test("names and texts from outside are shown as they are, and mean nothing to Slack", () => {
  const hostile = "<!channel> *b* \u202e\n@here";
  const event: NoticedEvent = {
    account: "gantry",
    region: hostile,
    kind: "service",
    name: hostile,
    event: "deployed",
    words: `image ${hostile}`,
    level: "healthy",
    at: at(0),
    unseenSince: undefined,
  };
  const shown = text([{ name: hostile, seen: { ...seen, words: hostile, reason: hostile } }], { events: [event] });

  expect(shown).not.toContain("<!channel>");
  expect(shown).not.toContain("\u202e");
});

test("the thread hears of an end and of a return in one line", () => {
  expect(newsReply([{ ...incident, ...over("recovered") }], "over").text).toBe("🟢 payments recovered after 12 min");
  expect(newsReply([{ ...incident, times: 3 }], "again").text).toMatch(/^🔴 payments keeps crashing · 3 times since /u);
});
