import { describe, expect, test } from "vitest";
import { incidentCard, newsReply } from "../../../src/bot/views/cards/incident-card.ts";
import { event, stored } from "./support/stored-changes.ts";
import type { StoredChange } from "../../../src/bot/changes/stored-change.ts";
import type { Alert, Incident } from "../../../src/bot/watch/incident.ts";
import { alert, at, incident, seen } from "./support/alerts.ts";

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
    ["its autoscaler needs none of it", [over("idle")], "⚪️ payments became idle after 12 min"],
    ["it was deleted", [over("deleted")], "⚪️ payments was deleted after 12 min"],
    ["nobody looks any more", [over("unwatched")], "⚪️ payments isn't watched any more"],
    [
      "Gantry was restored",
      [over("restored")],
      "⚪️ payments isn't updated here any more: Gantry was restored from a backup",
    ],
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
    ["one was deleted", [over("recovered"), over("deleted")], "⚪️ 2 workloads: 1 recovered, 1 deleted"],
    ["both were stopped", [over("stopped"), over("stopped")], "⚪️ 2 workloads stopped"],
    ["both are idle", [over("idle"), over("idle")], "⚪️ 2 workloads idle"],
    ["no API", [{ cause: "api-away", name: undefined, seen: undefined }], "🔴 The workload API doesn't answer"],
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
    "service · account gantry",
  ]);
});

test("beside a failure, a deploy in progress has no check mark, and a date instead of an age", () => {
  const outcome = { kind: "done", after: undefined, alsoMoved: [] } as const; // literals
  const request = stored({
    verb: "deploy",
    diff: ["image payments:4.11 → payments:4.12"],
    state: "done",
    ending: { kind: "run", outcome },
    progress: { kind: "watching", line: "0 of 2 new instances ready", excerpt: [] },
  });
  const history = [event("done", { verb: "deploy", at: at(3), request })];

  const { text: told } = incidentCard({ alert, defaultRegion: "beijing1", history });

  expect(told).toContain(
    "Since then: • Deployed :4.12 to web · by Dana Reyes · “Black Friday is over” · 2026-11-26 14:05 UTC",
  );
});

test("beside a failure, a deploy has no status dot, and one without an outcome is only named", () => {
  const outcome = { kind: "done", after: undefined, alsoMoved: [] } as const; // literals
  const deploy = stored({ verb: "deploy", diff: ["image payments:4.11 → payments:4.12"], state: "done" });
  const told = (request: Partial<StoredChange>): string => {
    const history = [event("done", { verb: "deploy", at: at(3), request: { ...deploy, ...request } })];
    const over = { ...incident, overAt: at(12), end: "recovered" } as const; // a literal end
    return incidentCard({ alert: { ...alert, incidents: [over] }, defaultRegion: "beijing1", history }).text;
  };
  const stuck = { kind: "trouble", line: "0 of 2 new instances ready", excerpt: [] } as const; // literals

  expect(told({ ending: { kind: "run", outcome }, health: stuck })).toMatch(/^• Deployed :4\.12 to web /mu);
  expect(told({ state: "unknown" })).toMatch(/^• Asked to deploy :4\.12 to web · (?:asked )?by Dana Reyes/mu);
  expect(told({ state: "unknown", settledAt: at(4) })).toMatch(/^❓ Can't tell whether the image of web was changed/mu);
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
  const some = many.map((each, nth) => (nth < 89 ? each : { ...each, ...over("recovered") }));
  expect(text(some).split("\n").at(-1)).toBe("and 79 more, 411 no longer fail");
});

test("names and texts from outside are shown as they are, and mean nothing to Slack", () => {
  const hostile = "<!channel> *b* \u202e\n@here";
  const event: Alert["events"][number] = {
    id: "e1",
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

test("of several, one that is starting again is listed with what it had", () => {
  const starting = { ...seen, level: "busy", words: "starting", facts: undefined, cause: undefined } as const; // a literal level

  const shown = text([{}, { name: "web", seen: starting }]);

  expect(shown.split("\n").slice(1, 3)).toEqual([
    "🔴 payments · keeps crashing: exit 3, 14 restarts in 9 min",
    "🔴 web · keeps crashing",
  ]);
});

test("the thread hears of an end and of a return in one line", () => {
  expect(newsReply([{ ...incident, ...over("recovered") }], "over").text).toBe("🟢 payments recovered after 12 min");
  const away = { ...incident, name: undefined, cause: "api-away", seen: undefined, ...over("recovered") } as const; // a literal cause
  expect(newsReply([away, { ...away, kind: "job", overAt: at(2) }], "over").text).toBe(
    "🟢 The workload API answers again after 12 min",
  );
  // Nobody watched for as long as this one seems to have lasted.
  expect(newsReply([away, { ...away, kind: "job", end: "unwatched", overAt: at(30) }], "over").text).toBe(
    "🟢 The workload API answers again after 12 min",
  );
  expect(newsReply([{ ...incident, times: 3 }], "again").text).toMatch(/^⚠️ payments failed again · 3 times since /u);
  expect(newsReply([{ ...away, overAt: undefined, end: undefined, times: 2 }], "again").text).toMatch(
    /^⚠️ The workload API stopped answering again · 2 times since /u,
  );
  const usedUp = { ...seen, cause: undefined, words: "takes no more calls" };
  expect(newsReply([{ ...away, seen: usedUp, overAt: undefined, end: undefined, times: 2 }], "again").text).toMatch(
    /^⚠️ The workload API takes no more calls again · 2 times since /u,
  );
});
