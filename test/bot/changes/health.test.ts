import { redactLines } from "../../../src/bot/logs/redact.ts";
import { describe, expect, test } from "vitest";
import type { Call } from "../../../src/api/operations.ts";
import { type ChangedSince, pollJob } from "../../../src/bot/changes/health.ts";
import { memoryTo, newJob, newService, plain, toFour, update } from "./support/changes.ts";
import { followed, startMs } from "./support/followed.ts";
import { gone, inTurn, problem, scripted, unreadable } from "./support/scripted.ts";

const MINUTE_MS = 60_000;

const at = (ms: number): string => new Date(startMs + ms).toISOString();
const service = (status: string, more: object = {}): object => ({
  name: "web",
  uid: "u1",
  status,
  target_instance_size: 4,
  ...more,
});
/** All instances are ready, as our own service reports them. */
const ready = (restarts = 0, more: object = {}): object =>
  service("Running", { ready_instances: 4, restarts: { count: restarts }, ...more });
const noLog = (): unknown => {
  throw new Error("the log was read");
};

/** One look at a job, so many milliseconds after its creation. */
async function looked(answers: readonly unknown[], log: () => unknown = noLog, ageMs = 60_000) {
  const calls: Call[] = [];
  const next = inTurn(...answers);
  const { api } = scripted((call) => {
    calls.push(call);
    return call.op === "getJobInstanceLogs" ? log() : next();
  });
  const signal = new AbortController().signal;
  const deps = {
    api,
    signal,
    clock: { now: () => new Date(0) },
    redact: async (all: readonly string[]) => redactLines(all),
  };
  return { health: await pollJob(newJob, { uid: "u1", ageMs }, deps), calls };
}

describe("one look at a job", () => {
  const job = (more: object) => ({ metadata: { name: "nightly", uid: "u1" }, instance_names: ["n-1"], ...more });
  const startTime = "2026-11-21T02:00:00Z";

  test.each([
    ["runs", job({ status: { startTime, active: 1 } }), "watching: is running"],
    [
      "is tried again",
      job({ status: { startTime, active: 1, failed: 2 } }),
      "watching: is retrying after 2 failed attempts",
    ],
    ["is complete", job({ status: { startTime, completionTime: "2026-11-21T02:02:00Z" } }), "reached: completed"],
    ["was deleted", gone, "not-yet: was deleted before it ended"],
    ["was replaced", { metadata: { name: "nightly", uid: "u2" } }, "not-yet: was replaced by another job of this name"],
    ["can't be read now", unreadable, "watching: is running"],
    [
      "can't be read any more",
      problem({ maybeSent: false, status: 401, op: "getJob" }),
      "not-yet: was created, outcome unknown",
    ],
  ])("that %s", async (_, answer, expected) => {
    const { health, calls } = await looked([answer]);

    expect(`${health.kind}: ${health.outcome}`).toBe(expected);
    expect(calls).toHaveLength(1);
  });

  test("that isn't listed yet is looked at again", async () => {
    expect((await looked([gone], noLog, 2_000)).health).toMatchObject({ kind: "watching", outcome: "is starting" });
  });
});

const since = (how: ChangedSince["how"]): ChangedSince => ({ how, by: { id: "LATER1", verb: "deploy" } });

describe("a service is followed after a change", () => {
  const times = ({ looks }: Awaited<ReturnType<typeof followed>>) =>
    looks.map(({ atMs, health: { kind } }) => [atMs / 1_000, kind]);

  test("until it was ready for a minute without a restart, and looked at once more before ten minutes are over", async () => {
    const { looks, health } = await followed(toFour, { service: () => ready() });

    expect(looks.map(({ atMs, health: { kind, line } }) => [atMs, kind, line])).toEqual([
      [2_000, "watching", "4 of 4 ready, watching for 60 s"],
      [15_000, "watching", "4 of 4 ready, watching for 60 s"],
      [63_000, "reached", "4 of 4 running for 60 s"],
      [10 * MINUTE_MS, "reached", "4 of 4 running for 60 s"],
    ]);
    expect(health).toEqual({ kind: "reached", level: "healthy", line: "4 of 4 running for 60 s", excerpt: [] });
  });

  test("that crashes ten seconds after its start: it is seen, and red at its second crash", async () => {
    const crashes = (ms: number): number => Math.floor(ms / 10_000);
    const { looks, calls } = await followed(newService(), {
      service: (ms) => ready(crashes(ms), { status_since: at(crashes(ms) * 10_000) }),
      log: () => [{ instance_name: "web-0", log: "lost the connection to the database" }],
    });

    expect(looks.map(({ atMs, health: { kind, line } }) => [atMs, kind, line])).toEqual([
      [2_000, "watching", "4 of 4 ready, watching for 60 s"],
      [15_000, "watching", "4 of 4 ready after a restart, watching for 60 s"],
      [30_000, "trouble", "3 restarts"],
      [10 * MINUTE_MS, "trouble", "60 restarts"],
    ]);
    expect(looks.at(-1)?.health).toMatchObject({
      level: "failing",
      outcome: "keeps crashing",
      excerpt: ["lost the connection to the database"],
    });
    expect(calls).toHaveLength(5);
  });

  test("that fails minutes after it looked well", async () => {
    const { looks, calls } = await followed(plain("restartService"), {
      service: (ms) => (ms < 5 * MINUTE_MS ? ready() : service("Failed", { ready_instances: 0 })),
      log: () => [{ instance_name: "web-0", log: "out of disk" }],
    });

    expect(looks.map(({ health: { kind } }) => kind)).toEqual(["watching", "watching", "reached", "trouble"]);
    expect(looks.at(-1)?.health).toMatchObject({ outcome: "is failing", excerpt: ["out of disk"] });
    expect(calls).toHaveLength(5);
  });

  test("that restarts again and again keeps a look for the end of the ten minutes, and fails there", async () => {
    const since = (ms: number): string => at(ms < 40_000 ? 0 : ms < 100_000 ? 40_000 : 100_000);
    const story = await followed(toFour, {
      service: (ms) =>
        ms < 5 * MINUTE_MS ? ready(0, { status_since: since(ms) }) : service("Failed", { ready_instances: 0 }),
    });

    expect(times(story)).toEqual([
      [2, "watching"],
      [15, "watching"],
      [61, "watching"],
      [101, "watching"],
      [600, "trouble"],
    ]);
    expect(story.calls).toHaveLength(5);
  });

  test("a status that began anew begins the minute anew, and isn't called a restart where none is counted", async () => {
    const { looks } = await followed(toFour, {
      service: (ms) => service("Running", { ready_instances: 4, status_since: at(ms < 40_000 ? 1_000 : 41_000) }),
    });

    const [, , third] = looks;
    expect(third?.health).toMatchObject({ kind: "watching", line: "4 of 4 ready again, watching for 60 s" });
  });

  test("says what isn't reported: neither instances nor restarts", async () => {
    const { health } = await followed(toFour, { service: () => service("Running") });

    expect(health).toMatchObject({ kind: "reached", line: "running after 60 s · restarts not reported" });
  });

  test.each<[string, typeof toFour, (ms: number) => object, number, number]>([
    ["a restart that was only counted begins the minute anew", toFour, (ms) => ready(ms < 40_000 ? 0 : 1), 63, 124],
    [
      "that starts slowly: since its status began, not since it was looked at",
      newService(),
      (ms) => (ms < 40_000 ? service("Starting") : ready(0, { status_since: at(40_000) })),
      75,
      101,
    ],
  ])("%s", async (_, change, service, third, well) => {
    expect(times(await followed(change, { service }))).toEqual([
      [2, "watching"],
      [15, "watching"],
      [third, "watching"],
      [well, "reached"],
      [600, "reached"],
    ]);
  });

  test("for a period of its own", async () => {
    const { looks } = await followed(toFour, { service: () => ready(), healthyAfterMs: 5 * MINUTE_MS });

    expect(looks.map(({ atMs }) => atMs)).toEqual([2_000, 15_000, 303_000, 10 * MINUTE_MS]);
  });

  test("for the engine's own period, where the workload API reports one", async () => {
    const { looks } = await followed(toFour, { service: () => ready(0, { min_ready_seconds: 30 }) });

    expect(looks.map(({ atMs, health: { kind, line } }) => [atMs, kind, line])).toEqual([
      [2_000, "watching", "4 of 4 ready, watching for 30 s"],
      [15_000, "watching", "4 of 4 ready, watching for 30 s"],
      [33_000, "reached", "4 of 4 running for 30 s"],
      [10 * MINUTE_MS, "reached", "4 of 4 running for 30 s"],
    ]);
    const { looks: long } = await followed(toFour, { service: () => ready(0, { min_ready_seconds: 3_600 }) });
    expect(long.map(({ atMs }) => atMs)).toEqual([2_000, 15_000, 543_000, 10 * MINUTE_MS]);
  });

  test("that never gets ready: amber to the end, with four calls", async () => {
    const { health, calls } = await followed(toFour, { service: () => service("Updating") });

    expect(health).toMatchObject({ kind: "not-yet", level: "busy", outcome: "isn't running yet", line: "updating" });
    expect(calls).toHaveLength(4);
  });

  test("that stops, only until it is stopped", async () => {
    const { looks, outcome } = await followed(plain("stopService"), {
      isConfirmed: false,
      service: (ms) => service(ms < 10_000 ? "Stopping" : "Stopped"),
    });

    expect(outcome).toMatchObject({ kind: "done" });
    expect(looks.map(({ atMs, health: { kind } }) => [atMs, kind])).toEqual([
      [2_000, "not-yet"],
      [7_000, "not-yet"],
      [17_000, "reached"],
    ]);
  });

  test("that somebody else changed, stopped or deleted: that isn't this change's trouble", async () => {
    const changes = [
      ready(0, { target_instance_size: 2, ready_instances: 2 }),
      gone,
      ready(0, { uid: "u2" }),
      service("Stopped"),
    ];
    for (const now of changes) {
      const { health } = await followed(toFour, { service: (ms) => (ms < 5 * MINUTE_MS ? ready() : now) });
      expect(health).toMatchObject({ kind: "reached", line: "4 of 4 running for 60 s" });
    }
    const busy = await followed(toFour, {
      service: (ms) => (ms < 5 * MINUTE_MS ? ready() : ready(0, { ready_instances: 3 })),
    });
    expect(busy.health).toMatchObject({ kind: "not-yet", level: "busy", line: "3 of 4 running" });
    const { health } = await followed(toFour, { service: (ms) => (ms < 5_000 ? ready() : changes[0]) });
    expect(health).toMatchObject({ kind: "not-yet", outcome: "was changed again meanwhile" });
  });

  const image = (name: string): object => ({ containers: [{ name: "c", image: name }] });

  test.each<[string, typeof toFour, { readonly left: object; readonly before: object; readonly deployed: object }]>([
    [
      "version: a scaling",
      toFour,
      {
        left: { revision: 1 },
        before: { revision: 1 },
        deployed: { revision: 2, message: "web-0 exited with code 3" },
      },
    ],
    [
      "image: a restart",
      plain("restartService"),
      { left: { images: ["web:1"] }, before: image("web:1"), deployed: image("web:2") },
    ],
  ])("that somebody else deployed a failing %s doesn't report that failure", async (_, change, states) => {
    const { health, calls } = await followed(change, {
      left: { uid: "u1", status: "Running", ...states.left },
      service: (ms) => (ms < 5_000 ? ready(0, states.before) : { ...service("Failed"), ...states.deployed }),
    });

    expect(health).toMatchObject({ kind: "not-yet", outcome: "was changed again meanwhile", excerpt: [] });
    expect(calls.map(({ op }) => op)).toEqual(["getService", "getService"]);
  });

  test("that was restarted where a restart counts as a revision: the next one is its own, one more is somebody else's", async () => {
    const restart = { ...plain("restartService"), before: { uid: "u1", status: "Running", revision: 4 } };
    const at = async (revision: number) =>
      (await followed(restart, { service: (ms) => ready(0, { revision: ms < 5_000 ? 5 : revision }) })).health;

    expect(await at(5)).toMatchObject({ kind: "reached" });
    expect(await at(6)).toMatchObject({ kind: "not-yet", outcome: "was changed again meanwhile" });
  });

  test.each([
    ["restarted, and then scaled: what fails may be new instances", plain("restartService"), "scaled", "otherwise"],
    ["scaled, and then restarted: healthy is the requested number of instances", toFour, "restarted", "scaled"],
  ] as const)("that was %s", async (_, change, how, other) => {
    const [changedSince, another] = [since(how), since(other)];
    const of = async (service: () => unknown, other: object = {}) =>
      (await followed(change, { service, changedSince, ...other })).health;
    const meanwhile = { kind: "not-yet", outcome: "was changed again meanwhile", excerpt: [] };

    expect(await of(() => ready())).toMatchObject({ kind: "reached", line: "4 of 4 running for 60 s" });
    expect(await of(() => service("Failed"))).toMatchObject(meanwhile);
    expect(await of(() => service("Stopped"))).toMatchObject(meanwhile);
    expect(await of(() => ready(0, { ready_instances: 3 }))).toMatchObject(meanwhile);
    expect(await of(() => ready(), { isConfirmed: false })).toMatchObject(meanwhile);
    expect(await of(() => ready(), { changedSince: another })).toMatchObject(meanwhile);
  });

  test("that was scaled, and then restarted: once it was well, it stays so", async () => {
    const progress = { kind: "reached", line: "4 of 4 running for 60 s", excerpt: [] } as const;
    const watch = { calls: 3, wellSinceMs: startMs + 2_000 };
    const { health } = await followed(toFour, {
      progress: { ...progress, watch },
      changedSince: since("restarted"),
      service: () => ready(0, { ready_instances: 3 }),
    });

    expect(health).toEqual(progress);
  });

  test("that a later request deleted before it was well: its card says deleted, not changed", async () => {
    const { health } = await followed(toFour, {
      changedSince: since("otherwise"),
      progress: { kind: "watching", line: "3 of 4 running", excerpt: [], watch: { calls: 1 } },
      service: () => gone,
    });

    expect(health).toEqual({
      kind: "not-yet",
      gone: "deleted",
      line: "3 of 4 running · deleted meanwhile",
      excerpt: [],
    });
  });

  test("that got a new version: a revision that is counted late is its own", async () => {
    const left = { uid: "u1", status: "Running", revision: 1 };
    const { health } = await followed(memoryTo(512), { left, service: () => ready(0, { revision: 2 }) });

    expect(health).toMatchObject({ kind: "reached" });
  });

  test("that another request changed, and that was never healthy: the last look says so", async () => {
    const starting = () => ready(0, { ready_instances: 3 });
    const memory = memoryTo(1024);

    const alone = await followed(memory, { service: starting });
    const overtaken = await followed(memory, { service: starting, changedSince: since("otherwise") });
    const stopped = await followed(memory, { service: () => service("Stopped"), changedSince: since("otherwise") });

    expect(alone.health.outcome).not.toBe("was changed again meanwhile");
    expect(overtaken.health).toMatchObject({ kind: "not-yet", outcome: "was changed again meanwhile" });
    expect(overtaken.health.overtakenBy).toEqual({ id: "LATER1", verb: "deploy" });
    expect(overtaken.looks).toHaveLength(alone.looks.length);
    expect(stopped.looks).toHaveLength(1);
    expect(stopped.health).toMatchObject({ kind: "not-yet", outcome: "was changed again meanwhile" });
  });

  test("through a look that fails", async () => {
    const { looks, health } = await followed(toFour, {
      service: (ms) => (ms > 10_000 && ms < 20_000 ? unreadable : ready()),
    });

    expect(looks[1]?.health).toMatchObject({
      kind: "watching",
      line: "couldn't check it: The service did not answer in time.",
    });
    expect(health).toMatchObject({ kind: "reached" });
  });

  test("not any more when the account is not let in", async () => {
    const refused = problem({ maybeSent: false, status: 401, op: "getService" });
    const { health, calls } = await followed(toFour, { service: () => refused });

    expect(health).toEqual({
      kind: "not-yet",
      line: "couldn't check it: The service did not answer in time.",
      excerpt: [],
    });
    expect(calls).toHaveLength(1);
  });
});

describe("what was accepted and isn't visible yet", () => {
  const two = ready(0, { target_instance_size: 2, ready_instances: 2 });

  test("is followed until it shows, and then until it is well", async () => {
    const { looks, outcome, health } = await followed(toFour, {
      isConfirmed: false,
      service: (ms) => (ms < 8_000 ? two : ready()),
    });

    expect(looks[0]?.health).toMatchObject({
      kind: "not-yet",
      outcome: "accepted, not visible yet",
      line: "instances still 2",
    });
    expect(looks[1]).toMatchObject({ atMs: 15_000, health: { kind: "watching" } });
    expect(outcome).toMatchObject({ kind: "done", after: { size: 4 } });
    expect(health).toMatchObject({ kind: "reached" });
  });

  test("of a service that was deleted isn't awaited any more", async () => {
    const { health, looks } = await followed(toFour, {
      isConfirmed: false,
      service: (ms) => (ms < 5_000 ? two : gone),
    });

    expect(looks).toHaveLength(2);
    expect(health).toMatchObject({ kind: "not-yet", outcome: "was deleted meanwhile", gone: "deleted", line: "" });
  });

  test("is never called failed: after its time it doesn't show, and a later look may still correct that", async () => {
    const never = await followed(toFour, { isConfirmed: false, service: () => two });
    expect(never.health).toMatchObject({ kind: "not-yet", outcome: "accepted, but it doesn't show" });
    expect(never.calls.length).toBeLessThanOrEqual(5);

    const late = await followed(toFour, { isConfirmed: false, service: (ms) => (ms < 9 * MINUTE_MS ? two : ready()) });
    expect(late.outcome).toMatchObject({ kind: "done" });
    expect(late.health).toMatchObject({ kind: "reached" });
  });

  test("of memory names the setting, once its time is over", async () => {
    const { looks } = await followed(memoryTo(1024), {
      isConfirmed: false,
      service: () => ready(0, { containers: [{ resources: { limits: { memory: 512 } } }] }),
    });

    const [first, second] = looks.map(({ health: { line } }) => line);
    expect(first).toBe("memory still 512 MiB");
    expect(second).toMatch(/^memory still 512 MiB\. .*WORKLOAD_API_RESOURCES_KEY=resource$/u);
  });

  test("of a deletion is followed until it is gone", async () => {
    const { looks, outcome } = await followed(plain("deleteService"), {
      isConfirmed: false,
      service: (ms) => (ms < 5_000 ? service("Running") : gone),
    });

    expect(looks.map(({ health: { kind, line } }) => [kind, line])).toEqual([
      ["not-yet", "It still exists (running)"],
      ["unwatched", ""],
    ]);
    expect(outcome).toEqual({ kind: "done", after: undefined, alsoMoved: [] });
  });

  test("of a creation is followed until it is listed", async () => {
    const { looks, outcome } = await followed(newService(), {
      isConfirmed: false,
      service: (ms) => (ms < 5_000 ? gone : ready()),
    });

    expect(looks[0]?.health).toMatchObject({ kind: "not-yet", line: "The workload API doesn't list it yet" });
    expect(outcome).toMatchObject({ kind: "done" });
  });
});

describe("a service that was in trouble is looked at again", () => {
  const log = (): unknown => ["no answer from the database"];
  const failing = service("Failed", { ready_instances: 0 });
  const kinds = ({ looks }: Awaited<ReturnType<typeof followed>>) =>
    looks.map(({ atMs, health: { kind } }) => [Math.round(atMs / 1_000), kind]);

  test("and is well once it was ready for a minute without a restart", async () => {
    const story = await followed(toFour, { service: (ms) => (ms < 4 * MINUTE_MS ? failing : ready()), log });

    expect(kinds(story)).toEqual([
      [2, "trouble"],
      [300, "trouble"],
      [361, "reached"],
      [600, "reached"],
    ]);
    expect(story.health).toMatchObject({ kind: "reached", line: "4 of 4 running for 60 s", recovered: true });
    expect(story.calls).toHaveLength(5);
  });

  test("at the last look: since its status began, or nobody knows for how long it has been", async () => {
    const lateFailure = { log, healthyAfterMs: 3 * MINUTE_MS };
    const since = (more: object) => (ms: number) =>
      ms < 10_000 ? service("Updating") : ms < 8 * MINUTE_MS ? failing : ready(0, more);

    const known = await followed(toFour, { ...lateFailure, service: since({ status_since: at(6 * MINUTE_MS) }) });
    expect(kinds(known).at(-1)).toEqual([600, "reached"]);
    const unknown = await followed(toFour, { ...lateFailure, service: since({}) });
    expect(unknown.health).toMatchObject({ kind: "not-yet", outcome: "hasn't been ready for long enough" });
  });

  test("and stays what it was when it can't be read, or somebody changed or deleted it", async () => {
    const after: readonly unknown[] = [unreadable, ready(0, { target_instance_size: 2, ready_instances: 2 }), gone];
    for (const now of after) {
      const { health } = await followed(toFour, { service: (ms) => (ms < MINUTE_MS ? failing : now), log });
      expect(health).toMatchObject({ kind: "trouble", outcome: "is failing", excerpt: await log() });
    }
  });

  test("of a rollout that is stuck, for ten minutes more, without counting the looks", async () => {
    const rollout = (state: string): object =>
      service("Updating", { revision: 2, containers: [{ image: "web:2" }], rollout: { state, to: 2, old_ready: 4 } });
    const deploy = {
      ...update({ containers: [{ image: "web:2" }] }, { uid: "u1", status: "Running", revision: 1, images: ["web:1"] }),
      diff: ["image web:1 → web:2", "back to version 1 automatically if the new instances don't get ready"],
    };
    const stuckAt = 9 * MINUTE_MS;
    const story = await followed(deploy, {
      service: (ms) => rollout(ms < stuckAt ? "progressing" : "stuck"),
      log,
    });

    expect(story.looks.filter(({ stuck }) => stuck)).toHaveLength(1);
    const atMs = story.looks.find(({ stuck }) => stuck)?.atMs ?? 0;
    expect(atMs - stuckAt).toBeLessThan(30_000);
    const end = story.looks.at(-1)?.atMs ?? 0;
    expect(end - atMs).toBeGreaterThanOrEqual(10 * MINUTE_MS);
    expect(end - atMs).toBeLessThan(11 * MINUTE_MS);
    expect(story.health).toMatchObject({ kind: "trouble", outcome: "its new instances don't get ready" });
  });
});

test("a new version that fails after its rollout was over says why it isn't rolled back", async () => {
  const deploy = {
    ...update({ containers: [{ image: "web:2" }] }, { uid: "u1", status: "Running", revision: 1, images: ["web:1"] }),
    diff: ["image web:1 → web:2", "back to version 1 automatically if the new instances don't get ready"],
  };
  const crashed = service("Failed", { revision: 2, containers: [{ image: "web:2" }], ready_instances: 0 });

  const { health } = await followed(deploy, { service: () => crashed, log: () => [] });

  expect(health).toMatchObject({
    kind: "trouble",
    line: "0 of 4 running · not rolled back: its rollout is over",
  });
});

describe("another version of a service without instances is all that it can be", () => {
  const deployTo = (before: { readonly status: string; readonly size?: number }): ReturnType<typeof update> =>
    update({ containers: [{ image: "web:2" }] }, { uid: "u1", images: ["web:1"], ...before });
  const with2 = (status: string, more: object): object =>
    service(status, { containers: [{ image: "web:2" }], target_instance_size: 0, ready_instances: 0, ...more });

  test.each<[string, Parameters<typeof deployTo>[0], object, string]>([
    ["it was stopped", { status: "Stopped" }, with2("Stopped", {}), "stopped · runs when it is started"],
    [
      "it was stopped, and keeps its size",
      { status: "Stopped" },
      with2("Stopped", { target_instance_size: 2 }),
      "stopped · runs when it is started",
    ],
    ["its size is 0", { status: "Running", size: 0 }, with2("Running", {}), "running · runs when it is started"],
    ["it was scaled to 0 just now", { status: "Running" }, with2("Stopping", {}), "stopping · runs when it is started"],
    ["a word that nobody knows", { status: "Asleep" }, with2("Asleep", {}), "asleep · runs when it is started"],
    [
      "an autoscaler took its instances meanwhile",
      { status: "Running" },
      with2("Idle", { size_set_by: "autoscaler web" }),
      "idle, autoscaler web brings it back",
    ],
  ])("%s", async (_, before, now, line) => {
    const { looks, health } = await followed(deployTo(before), { service: () => now });

    expect(looks).toHaveLength(1);
    expect(health).toMatchObject({ kind: "reached", line });
  });

  test("but not before the new version shows, nor while it should have some, nor when it fails", async () => {
    const failed = await followed(deployTo({ status: "Running" }), {
      service: () => with2("Failed", { message: "no node has room" }),
      log: () => [],
    });
    expect(failed.health.kind).toBe("trouble");
    const old = await followed(deployTo({ status: "Stopped" }), {
      service: () => with2("Stopped", { containers: [{ image: "web:1" }] }),
    });
    expect(old.health.kind).toBe("not-yet");
    const stopped = await followed(deployTo({ status: "Running" }), {
      service: () => with2("Stopped", { target_instance_size: 2 }),
    });
    expect(stopped.health.kind).toBe("not-yet");
  });
});

describe("trouble brings the last lines", () => {
  const line = (instance_name: string, log: string): object => ({ instance_name, log });

  const failed = (message?: string) => service("Failed", message === undefined ? {} : { message });
  const ended = (instance: string) =>
    line(instance, `[gantry] instance ${instance.replace(/-g\d+$/u, "")} exited with code 1, restarting in 2 s`);
  const rollout = { from: 1, to: 2, state: "stuck", ready: 0, target: 4, old_ready: 4 };
  const many = Array.from({ length: 30 }, (_, at) => `${at} `);

  test.each<[string, object, readonly object[], readonly string[]]>([
    [
      "not of an instance that was replaced",
      { ...failed(), instance_names: ["web-1"] },
      [line("web-1", "no settings"), ended("web-0")],
      ["no settings"],
    ],
    [
      "of the instance that the reason names, also when it is gone",
      { ...failed("web-2 exited with code 1"), instance_names: ["web-1"] },
      [line("web-2", "no settings"), line("web-1", "listening")],
      ["no settings"],
    ],
    [
      "of a new instance that failed and is gone, while a rollout is stuck",
      { ...failed(), rollout, instance_names: ["web-1"] },
      [ended("web-2"), line("web-1", "listening")],
      ["[gantry] instance web-2 exited with code 1, restarting in 2 s"],
    ],
    [
      "of a log that names no instances",
      failed("the container exited (code 3)"),
      [{ log: "GET / 200" }, { log: "no answer from the database" }],
      ["GET / 200", "no answer from the database"],
    ],
    [
      "of the newest instance that the reason names, not of its predecessor or one that serves",
      failed("web-0 is waiting: it doesn't answer on its port"),
      [
        ended("web-0-g9"),
        line("web-0-g10", "waiting for the database"),
        line("web-1-g11", "GET / 200"),
        line("web-0", "GET / 200"),
      ],
      ["waiting for the database"],
    ],
    [
      "of the instance that wrote last, where none says so: the newest twenty",
      failed(),
      [line("web-0", "GET / 200"), ...many.map((text) => line("web-1", text))],
      many.slice(10),
    ],
  ])("%s", async (_, now, log, excerpt) => {
    const { health } = await followed(toFour, { service: () => now, log: () => log });

    expect(health).toMatchObject({ kind: "trouble", excerpt });
  });

  test("of the instance that ends badly, redacted", async () => {
    const log = (): unknown => [
      line("web-0", "listening"),
      line("web-1", "password hunter2 refused"),
      line("web-1", "[gantry] instance web-1 exited with code 1, restarting in 2 s"),
      line("web-0", "GET / 200"),
    ];

    const { health, calls } = await followed(toFour, {
      service: (ms) => service(ms < 10_000 ? "Updating" : "Failed"),
      log,
    });

    expect(health).toMatchInlineSnapshot(`
      {
        "afterMs": 600000,
        "excerpt": [
          "password [redacted] refused",
          "[gantry] instance web-1 exited with code 1, restarting in 2 s",
        ],
        "kind": "trouble",
        "level": "failing",
        "line": "",
        "outcome": "is failing",
      }
    `);
    const logs = calls.filter(({ op }) => op === "getServiceLogs");
    expect(logs).toMatchObject([{ query: { date: "2026.11.22", from: 0 } }]);
  });

  test("of the job's last instance", async () => {
    const conditions = [{ type: "Failed", status: "True" }];
    const failed = { metadata: { name: "nightly" }, instance_names: ["n-1", "n-2"], status: { failed: 1, conditions } };

    const { health, calls } = await looked([failed], () => ["step 1", "step 2"]);

    expect(health).toMatchObject({
      kind: "trouble",
      level: "failing",
      outcome: "failed after 1 attempt",
      excerpt: ["step 1", "step 2"],
    });
    expect(calls.at(-1)?.path).toEqual({ region: "us", job_name: "nightly", instance_name: "n-2" });
  });

  test("or none, when the log cannot be read", async () => {
    const { health } = await followed(toFour, {
      service: () => service("Failed"),
      log: () => {
        throw unreadable;
      },
    });

    expect(health).toMatchObject({ kind: "trouble", line: "", afterMs: 600_000, excerpt: [] });
  });
});

test("what a card says of trouble has the time at which it was so, not that of the first trouble", async () => {
  const { health } = await followed(toFour, {
    service: (ms) => service("Failed", { ready_instances: ms < 10_000 ? 0 : 1 }),
    log: () => [],
  });

  expect(health).toMatchObject({ kind: "trouble", line: "1 of 4 running", afterMs: 600_000 });
});

describe("what really runs of an image", () => {
  const [one, two] = ["3f2a9c1d5b6e", "91be02d4a7c8"].map((word) => `sha256:${word.padEnd(64, "0")}`);
  const container = (image: string, digest?: string) => ({ name: "web", image, image_digest: digest });
  const then = { uid: "u1", status: "Running", images: ["shop/web:1.4"], digests: [one] };
  const deployed = (image: string) => ({
    ...toFour,
    call: { ...toFour.call, body: { containers: [{ image }] } } as typeof toFour.call, // its body alone is another
    before: then,
  });
  const after = async (change: typeof toFour, runs: object) =>
    (await followed(change, { service: () => ready(0, { containers: [runs] }) })).health;

  test("is told of a new image, once the workload API says it", async () => {
    const health = await after(deployed("shop/web:1.5"), container("shop/web:1.5", two));
    expect(health).toMatchObject({ kind: "reached", digest: "91be02d4a7c8", line: "4 of 4 running for 60 s" });
    expect(await after(deployed("shop/web:1.5"), container("shop/web:1.5"))).not.toHaveProperty("digest");
  });

  test("is told where the tag stayed and was moved", async () => {
    const kept = { ...toFour, before: { ...then, size: 2 } };
    const moved = "4 of 4 running for 60 s · same tag, other image: 3f2a9c1d5b6e → 91be02d4a7c8";
    expect((await after(kept, container("shop/web:1.4", two))).line).toBe(moved);
    expect((await after(kept, container("shop/web:1.4", one))).line).toBe("4 of 4 running for 60 s");
    expect((await after(kept, container("shop/web:1.4"))).line).toBe("4 of 4 running for 60 s");
  });
});
