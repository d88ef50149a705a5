import { describe, expect, test } from "vitest";
import { incidentCard } from "../../../src/bot/views/cards/incident-card.ts";
import { newsReply } from "../../../src/bot/views/cards/incident-replies.ts";
import type { IncidentCard } from "../../../src/bot/views/cards/incident-words.ts";
import type { HistoryEvent } from "../../../src/bot/changes/history-event.ts";
import type { StoredChange } from "../../../src/bot/changes/stored-change.ts";
import type { Alert, Incident, Seen } from "../../../src/bot/watch/incident.ts";
import { at, alert, cardOf, incident, seen } from "./support/alerts.ts";
import { ended, event, tookEffect } from "./support/stored-changes.ts";

function text(incidents: readonly Partial<Incident>[], other: Partial<Alert> = {}): string {
  const all = incidents.map((each) => ({ ...incident, ...each }));
  return incidentCard(cardOf(all, { alert: { ...alert, incidents: all, ...other } })).text;
}

/** Of the card of payments, without its first line. */
function facts(other: Partial<Incident>, card: Partial<IncidentCard>): readonly string[] {
  return incidentCard(cardOf([{ ...incident, ...other }], card))
    .text.split("\n")
    .slice(1);
}

const over = (end: NonNullable<Incident["end"]>): Partial<Incident> => ({ overAt: at(12), end });

describe("the headline says what happened, and is never better than what is known", () => {
  test.each<[string, readonly Partial<Incident>[], string]>([
    ["it fails", [{}], "🔴 payments keeps crashing: lost the connection to the database"],
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
    ["why isn't known", [{ seen: { ...seen, reason: undefined } }], "🔴 payments keeps crashing"],
    [
      "it starts again, which doesn't explain it",
      [{ seen: { ...seen, cause: undefined, words: "starting", level: "busy" } }],
      "🔴 payments keeps crashing",
    ],
    ["no API", [{ cause: "api-away", name: undefined, seen: undefined }], "🔴 The workload API doesn't answer"],
  ])("%s", (_, incidents, headline) => {
    expect(text(incidents).split("\n")[0]).toBe(headline);
  });
});

const image: Partial<Incident> = { cause: "image", shared: "r.io" };

test("what is seen, what changed before it, and who is on it", () => {
  const changedBefore = { at: at(-2).toISOString(), words: "image payments:4.11 → payments:4.12" };
  const taken = { userId: "U2", name: "Omar", at: at(3), from: undefined, isHanded: false };

  expect(
    text([{ changedBefore, times: 3 }], { taken })
      .split("\n")
      .slice(1),
  ).toEqual([
    "exit 3, 14 restarts in 9 min · 0 of 2 ready",
    "Since 2026-11-26 14:02 UTC · 3 times",
    "Before it: Deployed :4.12 outside Gantry · 2026-11-26 14:00 UTC",
    "👋 Omar is on it",
    "service · account gantry",
  ]);
});

test("who is on it says whom they have it from, and only then it can be handed over, but not in a direct message", () => {
  const omar = { userId: "U2", name: "Omar", at: at(3), from: { userId: "U1", name: "Ann" }, isHanded: false };
  const shown = (other: Partial<Alert>, card: Partial<IncidentCard> = {}): string =>
    JSON.stringify(incidentCard(cardOf([incident], { ...card, alert: { ...alert, ...other } })));

  expect(text([{}], { taken: omar })).toContain("👋 Omar is on it, taken over from Ann");
  expect(text([{}], { taken: { ...omar, isHanded: true } })).toContain("👋 Omar is on it, handed over by Ann");
  expect(shown({ taken: omar })).toMatch(/I'm on it.*Hand over….*I'm no longer on it/u);
  expect(shown({ taken: omar })).not.toContain('"style":"primary"');
  expect(shown({})).not.toMatch(/Hand over|no longer on it/u);
  expect(shown({ taken: omar, incidents: [{ ...incident, ...over("recovered") }] })).not.toMatch(
    /I'm (?:no longer )?on it/u,
  );
  expect(text([over("recovered")], { taken: omar })).toContain("👋 Omar was on it, taken over from Ann");
  expect(shown({ taken: omar }, { isDirect: true })).not.toContain("Hand over");
});

test("the first line says what and why in 80 characters; what doesn't fit is below it", () => {
  const reason = `lost the connection to the database ${"orders ".repeat(20)}after 3 attempts`;
  const long = (name: string): readonly string[] => text([{ name, seen: { ...seen, reason } }]).split("\n");

  expect(long("payments")[0]?.length).toBeLessThanOrEqual(80);
  expect(long("payments")[0]).toMatch(/^🔴 payments keeps crashing: lost the connection .*…$/u);
  expect(long("payments")).toContain(reason);
  expect(long("p".repeat(63))[0]).toBe(`🔴 ${"p".repeat(63)} keeps crashing`);
});

test("what its log says is why a service crashes; of what doesn't crash, the workload API knows more", () => {
  const lines = (other: Partial<Seen>, card: Partial<IncidentCard>): string[] =>
    incidentCard(cardOf([{ ...incident, seen: { ...seen, ...other } }], card)).text.split("\n");
  const [headline, ...facts] = lines({ reason: "payments-0 exited" }, { logCause: "no route to db" });
  expect(headline).toBe("🔴 payments keeps crashing: no route to db");
  expect(facts).toContain("payments-0 exited");

  const waits = lines({ facts: undefined, reason: "no answer on port 80" }, { logCause: "no route to db" });
  expect(waits[0]).toBe("🔴 payments keeps crashing: no answer on port 80");
  expect(waits).toContain("no route to db");

  const once = lines({ reason: "exited: no route to db" }, { logCause: "no route to db" });
  expect(once.filter((line) => line.includes("no route to db"))).toEqual([
    "🔴 payments keeps crashing: exited: no route to db",
  ]);
  expect(lines({ reason: undefined }, { logCause: "no route to db" })[0]).toContain("crashing: no route to db");
});

const deployed = { verb: "deploy", diff: ["image payments:4.11 → payments:4.12"], ending: tookEffect } as const; // literals

/** A row of history about a request that ended so many minutes after the failure began. */
function done(minutes: number, request: Partial<StoredChange>): HistoryEvent {
  return event("done", { at: at(minutes), request: ended("done", { ending: tookEffect, ...request }) });
}

test.each<[string, Partial<StoredChange>, string]>([
  ["a deploy", deployed, "Deployed :4.12 to web · by Dana Reyes"],
  [
    "a deploy that went back",
    { ...deployed, health: { kind: "trouble", line: "", excerpt: [] }, wayBack: backAgain() },
    "Deployed :4.12 to web, but it went back · by Dana Reyes",
  ],
  [
    "the way back",
    { verb: "rollback", diff: ["image payments:4.12 → payments:4.11"], wayBackOf: "7K3M9Q" },
    "Rolled back web to :4.11 · automatic",
  ],
  ["a rollback", { verb: "rollback", diff: ["to revision 2"] }, "Rolled back web to version 2 · by Dana Reyes"],
  ["a restart", { verb: "restart", op: "restartService", diff: [] }, "Restarted web · by Dana Reyes"],
  ["memory", { verb: "memory", diff: ["memory 256 → 512 MiB"] }, "Set memory of web to 512 MiB · by Dana Reyes"],
  ["variables", { verb: "env", diff: ["A set"] }, "Changed environment variables of web · by Dana Reyes"],
  [
    "a restart that the API doesn't confirm",
    { verb: "restart", op: "restartService", ending: asked() },
    "Restart of web accepted · by Dana Reyes · the workload API",
  ],
  [
    "one without an answer",
    { verb: "restart", op: "restartService", state: "unknown", ending: undefined, settledAt: at(4) },
    "Can't tell whether web was restarted · asked by Dana Reyes",
  ],
])("what changed before and since is a line each, newest first: %s", (_, request, what) => {
  const history = [done(3, request), done(-3, request)];

  const [since = "", before = ""] = facts({}, { history }).slice(2, 4);
  expect([since.startsWith(`Since then: ${what}`), since.endsWith(" · 2026-11-26 14:05 UTC")]).toEqual([true, true]);
  expect([before.startsWith(`Before it: ${what}`), before.endsWith(" · 2026-11-26 13:59 UTC")]).toEqual([true, true]);
});

function backAgain(): NonNullable<StoredChange["wayBack"]> {
  return { state: "gone", by: undefined, diff: [], at: at(4), line: "" };
}

function asked(): StoredChange["ending"] {
  return { kind: "run", outcome: { kind: "asked", after: undefined, why: "", unseen: "restarts" } };
}

test("lines about changes have at most 100 characters and are few; what didn't happen has none", () => {
  const requester = { userId: "U1", name: "Wolfeschlegelsteinhausenbergerdorff the Third" };
  const diff = [
    `image registry.example.com/${"shop/".repeat(9)}payments:1 → registry.example.com/other:${"x".repeat(90)}`,
  ];
  const many = [5, 4, 3, -3, -4, -5].map((minutes) => done(minutes, { verb: "deploy", diff, requester }));
  const rejected = event("rejected", { at: at(-1), request: ended("rejected") });
  const lines = facts({}, { history: [rejected, ...many] }).filter((line) => /^(?:Since then|Before it)/u.test(line));

  expect(lines).toHaveLength(4);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
});

test.each([
  ["it is new", "was created", "Created outside Gantry"],
  ["a version of several images", "image a:1, b:1 → a:2, b:1", "Changed outside Gantry: image a:1, b:1 → a:2, b:1"],
  ["its size", "2 → 3 instances", "Changed outside Gantry: 2 → 3 instances"],
])("what changed before it without a request is told in a few words: %s", (_, words, what) => {
  const changedBefore = { at: at(-2).toISOString(), words };

  expect(text([{ changedBefore }])).toContain(`Before it: ${what} · 2026-11-26 14:00 UTC`);
  expect(facts({ changedBefore }, { isHistoryWhole: false }).join("\n")).not.toContain("outside");
  // It was sent before the incident, and its end came after it.
  const late = done(3, { claimedAt: at(-3) });
  expect(facts({ changedBefore }, { history: [late] }).join("\n")).not.toContain("outside");
  expect(facts({ changedBefore }, { history: [done(3, { claimedAt: at(2) })] }).join("\n")).toContain("outside");
  // Whoever may not read history doesn't learn who changed it, so nothing is said about that.
  expect(facts({ changedBefore }, { history: undefined }).join("\n")).not.toContain("outside");
});

describe("a recovery says what was changed, as far as that is known", () => {
  const recovered = { ...over("recovered"), seen: { ...seen, restarts: 17 }, restartsBefore: 14, times: 2 };
  const past = "It kept crashing from 2026-11-26 14:02 UTC · 3 restarts · 2 times";

  test("the last change since it began", () => {
    const history = [done(9, deployed), done(3, { verb: "restart", op: "restartService" }), done(-3, deployed)];

    expect(facts(recovered, { history }).slice(0, 2)).toEqual([
      "Last change: Deployed :4.12 to web · by Dana Reyes · 2026-11-26 14:11 UTC",
      past,
    ]);
  });

  test("nothing was changed here", () => {
    const history = [done(-3, deployed)];

    expect(facts(recovered, { history }).slice(0, 2)).toEqual(["Nothing was changed through Gantry meanwhile", past]);
  });

  test("what was changed isn't all known, so nothing is said of it", () => {
    expect(facts(recovered, { history: [], isHistoryWhole: false })[0]).toBe(past);
  });

  test("its readers may not read history", () => {
    expect(facts(recovered, { history: undefined })[0]).toBe(past);
  });

  test("it was stopped", () => {
    const history = [done(9, { verb: "stop", op: "stopService" })];

    expect(facts(over("stopped"), { history })[0]).toBe(
      "Last change: Stopped web · by Dana Reyes · 2026-11-26 14:11 UTC",
    );
    expect(facts(over("stopped"), { history: [] })[0]).toMatch(/^It kept crashing/u);
  });
});

describe("a mute is on the card until it ends, with the button that ends it", () => {
  const mute = (names: string) => {
    const place = { kind: "channel", channelId: "C0OPS" } as const; // a literal kind
    return { teamId: "T1", place, names, until: at(28), by: { userId: "U1", name: "Ann" } };
  };
  const muted = (names: string, other: Partial<Incident> = {}): string =>
    JSON.stringify(incidentCard(cardOf([{ ...incident, ...other }], { mute: mute(names) })));

  test.each([
    ["payments", "Unmute"],
    ["pay*", "Unmute pay*"],
    ["*", "Unmute all"],
  ])("%s", (names, label) => {
    expect(muted(names)).toContain("Muted until 2026-11-26 14:30 UTC");
    expect(muted(names)).toContain(`"text":"${label}"`);
    expect(muted(names)).not.toContain("Mute 1 h");
  });

  test("on the card of several workloads, or of the workload API, the button says what it ends", () => {
    const of = (incidents: readonly Partial<Incident>[], names: string): string =>
      JSON.stringify(
        incidentCard(
          cardOf(
            incidents.map((each) => ({ ...incident, ...each })),
            { mute: mute(names) },
          ),
        ),
      );

    expect(of([{}, { name: "pay" }], "pay*")).toContain('"text":"Unmute pay*"');
    expect(of([{}, { name: "pay" }], "payments")).toContain('"text":"Unmute payments"');
    expect(of([{ cause: "api-away", name: undefined, seen: undefined }], "*")).toContain('"text":"Unmute all"');
    expect(of([over("recovered"), over("recovered")], "*")).not.toContain("Unmute");
  });

  test("a long name leaves no button out, whether it is muted or not", () => {
    const name = "n".repeat(63);
    const labels = (card: Partial<IncidentCard>): readonly string[] => {
      const drawn = JSON.stringify(incidentCard(cardOf([{ ...incident, name }], card)).blocks);
      return [...drawn.matchAll(/"text":"([^"]*)","emoji":false\}/gu)].map(([, label = ""]) => label);
    };

    expect(labels({})).toEqual(
      expect.arrayContaining(["I'm on it", "Logs", "Why", "Restart", "Roll back", "Mute 1 h"]),
    );
    const taken = { userId: "U2", name: "Omar", at: at(3), from: undefined, isHanded: false };
    const all = ["Unmute", "Logs", "Why", "I'm on it", "Restart", "Roll back", "Hand over…", "I'm no longer on it"];
    const theirs = { ...alert, id: "00000000-0000-4000-8000-000000000000", incidents: [{ ...incident, name }], taken };
    expect(labels({ alert: theirs, mute: mute(name) })).toEqual(expect.arrayContaining(all));
    expect(labels({ mute: mute(name) })).toEqual(
      expect.arrayContaining(["I'm on it", "Unmute", "Logs", "Why", "Restart", "Roll back"]),
    );
  });

  test("in a direct message instead of a channel, nothing would be muted", () => {
    expect(JSON.stringify(incidentCard(cardOf([incident], { isDirect: true })).blocks)).not.toContain("Mute 1 h");
  });

  test("one that is over", () => {
    expect(muted("payments", over("recovered"))).not.toMatch(/mute/iu);
  });
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
