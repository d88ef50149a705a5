import { describe, expect, test } from "vitest";
import { compare, compareAnswer, type ListPoll } from "../../../src/bot/watch/compare.ts";
import type { Incident, Kept, Seen } from "../../../src/bot/watch/incident.ts";

const start = Date.parse("2026-11-26T10:00:00Z");
const well: Seen = {
  kind: "service",
  name: "web",
  uid: "u1",
  level: "healthy",
  words: "running",
  facts: undefined,
  reason: undefined,
  cause: undefined,
  shared: undefined,
  restarts: 0,
  ready: 2,
  size: 2,
  images: ["app:1"],
  revision: "1",
};
const crashing: Seen = { ...well, level: "failing", words: "keeps crashing", cause: "crash-loop", restarts: 4 };
const failedJob: Seen = { ...well, kind: "job", level: "failing", words: "failed", cause: "job-failed" };

/**
 * Looks at one workload, one after the other, as an observer does: minutes and what is seen; undefined when it is gone, and "restored"
 * when Gantry was restored from a backup.
 */
async function story(...looks: readonly (readonly [minutes: number, seen: Seen | "restored" | undefined])[]) {
  let known: Map<string, Kept> | undefined;
  let incidents: Incident[] = [];
  const told: string[] = [];
  let id = 0;
  for (const [minutes, seen] of looks) {
    const now = new Date(start + minutes * 60_000);
    if (seen === "restored") {
      known = undefined;
      incidents = incidents.map((each) => (each.overAt === undefined ? { ...each, overAt: now, end: seen } : each));
      continue;
    }
    const poll: ListPoll = {
      teamId: "T1",
      account: "acme",
      region: "us",
      kind: "service",
      now,
      before: known,
      incidents: incidents.filter(({ overAt }) => overAt === undefined || now.getTime() - overAt.getTime() <= 600_000),
      seen: seen === undefined ? [] : [seen],
      isComplete: true,
      unseenSince: undefined,
      newId: () => `i${(id += 1)}`,
    };
    const found = await compare(poll);
    known = new Map(known);
    for (const each of found.changed) known.set(each.seen.name, each);
    for (const name of found.gone) known.delete(name);
    for (const { incident, news } of found.incidents) {
      incidents = [...incidents.filter((each) => each.id !== incident.id), incident];
      const end = news === "over" ? ` ${incident.end}` : "";
      const shared = incident.shared === undefined ? "" : `, shared ${incident.shared}`;
      told.push(`${minutes}: ${incident.id} ${news}${end} ${incident.cause} ×${incident.times}${shared}`);
    }
    for (const { event, words } of found.happened) told.push(`${minutes}: ${event} ${words}`);
  }
  return told;
}

describe("incidents", () => {
  test("one that fails and recovers", async () => {
    expect(await story([0, well], [1, crashing], [2, crashing], [3, well])).toEqual([
      "1: i1 began crash-loop ×1",
      "3: i1 over recovered crash-loop ×1",
    ]);
  });

  test("what fails at the very first poll is an incident, and nothing else is told", async () => {
    expect(await story([0, crashing])).toEqual(["0: i1 began crash-loop ×1"]);
  });

  test("flapping is one incident, and a failure after ten quiet minutes is another one", async () => {
    expect(await story([0, crashing], [1, well], [5, crashing], [6, well], [17, crashing])).toEqual([
      "0: i1 began crash-loop ×1",
      "1: i1 over recovered crash-loop ×1",
      "5: i1 again crash-loop ×2",
      "6: i1 over recovered crash-loop ×2",
      "17: i2 began crash-loop ×1",
    ]);
  });

  test("what still fails after a restore is another incident", async () => {
    expect(await story([0, well], [1, crashing], [2, "restored"], [3, crashing])).toEqual([
      "1: i1 began crash-loop ×1",
      "3: i2 began crash-loop ×1",
    ]);
  });

  test("starting again is no recovery", async () => {
    const starting: Seen = { ...well, level: "busy", words: "starting" };
    expect(await story([0, crashing], [1, starting], [2, well])).toEqual([
      "0: i1 began crash-loop ×1",
      "1: i1 seen crash-loop ×1",
      "2: i1 over recovered crash-loop ×1",
    ]);
  });

  test("its cause becomes clearer, and it stays the same incident", async () => {
    const outOfMemory: Seen = { ...crashing, cause: "out-of-memory" };
    const failing: Seen = { ...crashing, cause: "failing" };
    expect(await story([0, failing], [1, crashing], [2, outOfMemory], [3, crashing], [4, failing])).toEqual([
      "0: i1 began failing ×1",
      "1: i1 seen crash-loop ×1",
      "2: i1 seen out-of-memory ×1",
      "3: i1 seen out-of-memory ×1",
      "4: i1 seen out-of-memory ×1",
    ]);
  });

  test("the cause of another version replaces the one before, also when that version was seen starting", async () => {
    const failing: Seen = { ...crashing, words: "its new instances don't get ready", cause: "stuck", revision: "5" };
    const before: Seen = { ...crashing, revision: "4" };
    const starting: Seen = { ...before, level: "busy", words: "updating", cause: undefined, revision: "5" };
    const ofIncident = (steps: readonly string[]) => steps.filter((step) => step.includes("i1"));
    expect(ofIncident(await story([0, before], [1, failing]))).toEqual([
      "0: i1 began crash-loop ×1",
      "1: i1 seen stuck ×1",
    ]);
    expect(ofIncident(await story([0, before], [1, starting], [2, failing]))).toEqual([
      "0: i1 began crash-loop ×1",
      "1: i1 seen crash-loop ×1",
      "2: i1 seen stuck ×1",
    ]);
  });

  test("the registry of a failed pull is kept while that is the cause, and says nothing about a crash", async () => {
    const unpulled: Seen = { ...crashing, words: "can't pull its image", cause: "image", shared: "r.io" };
    expect(await story([0, unpulled], [1, { ...unpulled, ready: 1, shared: undefined }], [2, crashing])).toEqual([
      "0: i1 began image ×1, shared r.io",
      "1: i1 seen image ×1, shared r.io",
      "2: i1 seen crash-loop ×1",
    ]);
  });

  test("what crashes now by a probe and now by memory flaps as one incident", async () => {
    const unhealthy: Seen = { ...crashing, words: "fails its health check", cause: "probe" };
    expect(await story([0, crashing], [1, well], [2, unhealthy])).toEqual([
      "0: i1 began crash-loop ×1",
      "1: i1 over recovered crash-loop ×1",
      "2: i1 again probe ×2",
    ]);
  });

  test("another reason after it recovered is another incident", async () => {
    expect(await story([0, crashing], [1, well], [2, { ...crashing, cause: "image" }])).toEqual([
      "0: i1 began crash-loop ×1",
      "1: i1 over recovered crash-loop ×1",
      "2: i2 began image ×1",
    ]);
  });

  test.each<[string, Seen | undefined, string]>([
    ["it is deleted", undefined, "deleted"],
    ["it is stopped", { ...well, level: "idle", words: "stopped" }, "stopped"],
    ["its autoscaler needs none of it", { ...well, level: "idle", words: "idle, autoscaler a brings it back" }, "idle"],
    ["another service has its name", { ...well, uid: "u2" }, "replaced"],
  ])("it ends because %s", async (_, seen, end) => {
    expect(await story([0, crashing], [1, seen])).toContain(`1: i1 over ${end} crash-loop ×1`);
  });

  test("another service of its name that fails too is an incident of its own", async () => {
    const told = await story([0, crashing], [1, { ...crashing, uid: "u2" }]);
    expect(told.slice(1, 3)).toEqual(["1: i1 over replaced crash-loop ×1", "1: i2 began crash-loop ×1"]);
  });

  test("a schedule whose last run failed hasn't got over it while the next one runs", async () => {
    const running: Seen = { ...failedJob, level: "healthy", words: "running", cause: undefined };
    const scheduled: Seen = { ...running, level: "idle", words: "scheduled" };
    expect(await story([0, failedJob], [1, running], [2, scheduled])).toEqual([
      "0: i1 began job-failed ×1",
      "1: i1 seen job-failed ×1",
      "2: i1 over recovered job-failed ×1",
    ]);
  });
});

describe("what is no incident", () => {
  const looks = (now: Seen) => story([0, well], [1, now]);

  test.each<[string, Seen, readonly string[]]>([
    ["a restart", { ...well, restarts: 1 }, ["1: restarts crashed and restarted"]],
    ["another image", { ...well, images: ["app:2"], revision: "2" }, ["1: deployed image app:1 → app:2"]],
    ["another version with the same image", { ...well, revision: "2" }, ["1: deployed version 1 → 2"]],
    ["another size", { ...well, size: 3 }, ["1: changed 2 → 3 instances"]],
    ["images that a long list leaves out", { ...well, images: undefined }, []],
    ["a size that an autoscaler sets", { ...well, size: 0, isAutoscaled: true }, []],
    ["a size that isn't reported", { ...well, size: undefined }, []],
  ])("%s", async (_, now, told) => {
    expect(await looks(now)).toEqual(told);
  });

  test("images that were left out once are compared with those before", async () => {
    expect(await story([0, well], [1, { ...well, images: undefined }], [2, { ...well, images: ["app:2"] }])).toEqual([
      "2: deployed image app:1 → app:2",
    ]);
  });

  test("a job that ends", async () => {
    const running: Seen = { ...well, kind: "job" };
    const complete: Seen = { ...running, level: "idle", words: "complete" };
    expect(await story([0, running], [1, complete], [2, complete])).toEqual(["1: job-done is complete"]);
  });

  test("what is missing in a list that isn't complete may still be there", async () => {
    const before = new Map([["web", { seen: crashing, change: undefined }]]);
    const poll = { teamId: "T1", account: "a", region: "us", kind: "service" as const, now: new Date(start) }; // a literal kind
    const rest = { incidents: [], seen: [], unseenSince: undefined, newId: () => "i" };

    expect(await compare({ ...poll, ...rest, before, isComplete: false })).toMatchObject({ gone: [], happened: [] });
    expect(await compare({ ...poll, ...rest, before, isComplete: true })).toMatchObject({ gone: ["web"] });
  });
});

test("a workload API that doesn't answer is one incident of its own", () => {
  const poll = {
    teamId: "T1",
    account: "a",
    region: "us",
    kind: "service" as const, // a literal kind
    now: new Date(start),
    incidents: [] as readonly Incident[],
    unseenSince: undefined,
    newId: () => "i1",
  };
  const away = { words: "doesn't answer", sentence: "It didn't answer." };
  const [began] = compareAnswer(poll, away);
  const incidents = began === undefined ? [] : [began.incident];

  expect(began).toMatchObject({ news: "began", incident: { cause: "api-away", name: undefined } });
  expect(compareAnswer({ ...poll, incidents }, away)).toEqual([]);
  expect(compareAnswer({ ...poll, incidents }, undefined)).toMatchObject([
    { news: "over", incident: { end: "recovered" } },
  ]);
  expect(compareAnswer(poll, undefined)).toEqual([]);
});

test("while thousands that fail at once are compared, others go on", async () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `web-${at}`);
  const named = (seen: Seen): Seen[] => names.map((name) => ({ ...seen, name }));
  let turns = 0;
  const count = (): void => {
    turns += 1;
    turn = setImmediate(count);
  };
  let turn = setImmediate(count);

  const { incidents } = await compare({
    teamId: "T1",
    account: "acme",
    region: "us",
    kind: "service",
    now: new Date(start),
    before: new Map(named(well).map((seen) => [seen.name, { seen, change: undefined }])),
    incidents: [],
    seen: named(crashing),
    isComplete: true,
    unseenSince: undefined,
    newId: () => "i1",
  });
  clearImmediate(turn);

  expect(incidents).toHaveLength(names.length);
  expect(turns).toBeGreaterThan(1);
});
