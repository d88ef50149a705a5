import { describe, expect, test } from "vitest";
import type { Call } from "../../src/api/operations.ts";
import type { Change } from "../../src/changes/change.ts";
import { earlyHealth, lookAtJob, watchHealth } from "../../src/changes/health.ts";
import type { Health } from "../../src/changes/stored-change.ts";
import { answerShapes } from "../../src/api/answers.ts";
import { newJob, newService, toFour } from "./support/changes.ts";
import { gone, inTurn, problem, scripted, unreadable } from "./support/scripted.ts";

const service = (status: string): object => ({ name: "web", uid: "u1", status, target_instance_size: 4 });

type Watched = { readonly health: Health; readonly calls: readonly Call[]; readonly readsAtMs: readonly number[] };

const noLog = (): unknown => {
  throw new Error("the log was read");
};

/** Follows with these answers to its reads, on a clock that only its own pauses move. */
async function watched(change: Change, answers: readonly unknown[], log: () => unknown = noLog): Promise<Watched> {
  const start = Date.parse("2026-11-21T23:59:58Z");
  let nowMs = start;
  const calls: Call[] = [];
  const readsAtMs: number[] = [];
  const next = inTurn(...answers);
  const { api } = scripted((call) => {
    calls.push(call);
    if (call.op === "getServiceLogs" || call.op === "getJobInstanceLogs") return log();
    readsAtMs.push(nowMs - start);
    return next();
  });
  const deps = {
    api,
    signal: new AbortController().signal,
    nowMs: () => nowMs,
    wait: (ms: number) => {
      nowMs += ms;
      return Promise.resolve();
    },
    redact: async (lines: readonly string[]) => lines.map((line) => line.replace(/hunter2/u, "[redacted]")),
  };
  const health = await watchHealth(change, deps);
  return { health, calls, readsAtMs };
}

/** One look at a job, so many milliseconds after its creation. */
async function looked(answers: readonly unknown[], log: () => unknown = noLog, ageMs = 60_000) {
  const calls: Call[] = [];
  const next = inTurn(...answers);
  const { api } = scripted((call) => {
    calls.push(call);
    return call.op === "getJobInstanceLogs" ? log() : next();
  });
  const signal = new AbortController().signal;
  const deps = { api, signal, nowMs: () => 0, redact: async (all: readonly string[]) => all };
  return { health: await lookAtJob(newJob, { uid: "u1", ageMs }, deps), calls };
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

describe("a workload is followed after a change", () => {
  test("until it is as it should be", async () => {
    const { health, readsAtMs } = await watched(toFour, [service("Updating"), service("Updating"), service("Running")]);

    expect(health).toMatchObject({ kind: "reached", level: "healthy", line: "running", afterMs: 17_000, excerpt: [] });
    expect(readsAtMs).toEqual([2_000, 7_000, 17_000]);
  });

  test("for half a minute at most, with four calls", async () => {
    const { health, readsAtMs } = await watched(toFour, [service("Updating")]);

    expect(health).toMatchObject({ kind: "not-yet", level: "busy", line: "updating", afterMs: 37_000, excerpt: [] });
    expect(readsAtMs).toEqual([2_000, 7_000, 17_000, 37_000]);
  });

  test("with one call less after a look that found it not well", async () => {
    const pauses: number[] = [];
    const { api, sent } = scripted(() => service("Updating"));
    const wait = async (ms: number): Promise<void> => void pauses.push(ms);
    const deps = { api, signal: new AbortController().signal, nowMs: () => 0, wait, redact: async () => [] };

    const shown = { service: answerShapes.getService.parse(service("Running")) };
    expect(await earlyHealth(toFour, shown, deps)).toEqual({ wasLookedAt: true });
    expect(await watchHealth(toFour, deps, true)).toMatchObject({ kind: "not-yet" });

    expect(pauses).toEqual([250, 5_000, 10_000, 20_000]);
    expect(sent).toHaveLength(4);
  });

  test("also when it does not show at first", async () => {
    const { health } = await watched(newService(), [gone, unreadable, service("Running")]);

    expect(health).toMatchObject({ kind: "reached", line: "running", afterMs: 17_000 });
  });

  test("not any more when the account is not let in", async () => {
    const { health, calls } = await watched(toFour, [problem({ maybeSent: false, status: 401, op: "getService" })]);

    expect(health).toMatchObject({
      kind: "not-yet",
      line: "couldn't check it: The service did not answer in time.",
    });
    expect(calls).toHaveLength(1);
  });

  test("not when the bot stops", async () => {
    const control = new AbortController();
    const { api, sent } = scripted(() => service("Updating"));
    const wait = (): Promise<void> => {
      if (sent.length === 1) control.abort();
      return Promise.resolve();
    };

    const health = await watchHealth(toFour, {
      api,
      signal: control.signal,
      nowMs: () => 0,
      wait,
      redact: async (all) => all,
    });

    expect(health.kind).toBe("not-yet");
    expect(sent).toHaveLength(1);
  });
});

describe("trouble brings the last lines", () => {
  const line = (instance_name: string, log: string): object => ({ instance_name, log });

  test("of the instance that ends badly, redacted, with five calls at most", async () => {
    const log = (): unknown => [
      line("web-0", "listening"),
      line("web-1", "password hunter2 refused"),
      line("web-1", "[gantry] instance web-1 exited with code 1, restarting in 2 s"),
      line("web-0", "GET / 200"),
    ];

    const { health, calls } = await watched(
      toFour,
      [service("Updating"), service("Updating"), service("Updating"), service("Failed")],
      log,
    );

    expect(health).toMatchInlineSnapshot(`
      {
        "afterMs": 37000,
        "excerpt": [
          "password [redacted] refused",
          "[gantry] instance web-1 exited with code 1, restarting in 2 s",
        ],
        "kind": "trouble",
        "level": "failing",
        "line": "failed",
        "outcome": "is failing",
      }
    `);
    expect(calls).toHaveLength(5);
    expect(calls.at(-1)).toMatchObject({ op: "getServiceLogs", query: { date: "2026.11.22", from: 0 } });
  });

  test("of the instance that wrote last, where none says so: the newest twenty, cut where they are long", async () => {
    const log = (): unknown => [
      line("web-0", "GET / 200"),
      ...Array.from({ length: 30 }, (_, at) => line("web-1", `${at} `.padEnd(at === 29 ? 600 : 3, "x"))),
    ];

    const { health } = await watched(toFour, [service("Failed")], log);

    expect(health.excerpt).toHaveLength(20);
    expect(health.excerpt[0]).toBe("10 ");
    expect(health.excerpt.at(-1)).toHaveLength(501);
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
    const { health } = await watched(toFour, [service("Failed")], () => {
      throw unreadable;
    });

    expect(health).toMatchObject({ kind: "trouble", line: "failed", afterMs: 2_000, excerpt: [] });
  });
});
