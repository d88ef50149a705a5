import { asRead } from "../../support/as-read.ts";
import { describe, expect, test } from "vitest";
import { answerShapes, type Job, type Service } from "../../../src/api/answers.ts";
import type { Change } from "../../../src/bot/changes/change.ts";
import { healthAtOnce } from "../../../src/bot/changes/health.ts";
import { jobHealth, serviceHealth } from "../../../src/bot/changes/workload-health.ts";
import { before, memoryTo, newService, plain, toFour, update } from "./support/changes.ts";

const SOON_MS = 2_000;
const LATE_MS = 17_000;

function service(status: string | undefined, size: number | undefined = 2): Service {
  return asRead(answerShapes.getService.parse({ name: "web", status, target_instance_size: size }));
}

function job(status: object, instances: readonly string[] = ["nightly-1", "nightly-2"]): Job {
  return asRead(answerShapes.getJob.parse({ metadata: { name: "nightly" }, instance_names: instances, status }));
}

const toNone = update({ target_instance_size: 0 });
const whileStopped = memoryTo(1024, { ...before, status: "Stopped" });
const whileFailed = memoryTo(1024, { ...before, status: "Failed" });

describe("a service", () => {
  test.each<[string, Change, Service, number, string]>([
    ["runs after a scale", toFour, service("Running", 4), SOON_MS, "reached: running"],
    ["runs with one instance", newService(), service("Running", 1), SOON_MS, "reached: running"],
    [
      "runs, and tells no size",
      newService(),
      asRead(answerShapes.getService.parse({ name: "web", status: "Running" })),
      SOON_MS,
      "reached: running",
    ],
    ["runs with none, as asked", toNone, service("Running", 0), SOON_MS, "reached: running"],
    ["is stopped with none, as asked", toNone, service("Stopped", 0), SOON_MS, "reached: stopped"],
    ["stays stopped through an update", whileStopped, service("Stopped"), SOON_MS, "reached: stopped"],
    ["is stopped, though it was not asked for", toFour, service("Stopped"), SOON_MS, "waiting: stopped"],
    ["is on its way", toFour, service("Updating"), SOON_MS, "waiting: updating"],
    ["has a word that nobody knows", toFour, service("Reticulating"), LATE_MS, "waiting: reticulating"],
    ["tells no status", toFour, service(undefined), SOON_MS, "waiting: status unknown"],
    ["crashes", toFour, service("Failed"), SOON_MS, "trouble: "],
    ["crashes in the words of Kubernetes", newService(), service("CrashLoopBackOff"), SOON_MS, "trouble: "],
    ["crashes in other letters", toFour, service("CRASH_LOOP_BACK_OFF"), SOON_MS, "trouble: "],
    ["restarts after a scale", toFour, service("Restarting"), SOON_MS, "trouble: "],
    [
      "restarts after a restart",
      plain("restartService"),
      service("Restarting"),
      LATE_MS,
      "waiting: failing, restarting",
    ],
    ["still shows the crash of before", whileFailed, service("Failed"), SOON_MS, "waiting: "],
    ["has crashed again", whileFailed, service("Failed"), LATE_MS, "trouble: "],
    ["is stopped", plain("stopService"), service("Stopped"), SOON_MS, "reached: stopped"],
    ["is stopping", plain("stopService"), service("Stopping"), SOON_MS, "waiting: stopping"],
    ["fails while it stops", plain("stopService"), service("Failed"), LATE_MS, "waiting: failing"],
  ])("%s", (...[, change, seen, sinceMs, expected]) => {
    const { kind, line } = serviceHealth(change, seen, sinceMs);

    expect(`${kind}: ${line}`).toBe(expected);
  });
});

describe("a service that sends counts, reasons and restarts", () => {
  const now = (more: object): string => {
    const seen = asRead(
      answerShapes.getService.parse({ name: "web", status: "Running", target_instance_size: 4, ...more }),
    );
    const { kind, line, outcome = "" } = serviceHealth(toFour, seen, LATE_MS);
    return `${kind}: ${outcome} (${line})`;
  };
  const restarts = (count: number) => ({
    count,
    first_at: "2026-11-21T12:00:00Z",
    last_at: "2026-11-21T12:04:00Z",
    last_reason: "exited with code 137 (out of memory)",
  });

  test.each([
    ["all ready", { ready_instances: 4 }, "reached:  (4 of 4 running)"],
    ["not all ready", { ready_instances: 3 }, "waiting: isn't fully running yet (3 of 4 running)"],
    ["one restart can be an accident", { ready_instances: 4, restarts: restarts(1) }, "reached:  (4 of 4 running)"],
    [
      "restarts again and again, all of it",
      { ready_instances: 4, restarts: restarts(6) },
      "trouble: runs out of memory (6 restarts in 4 min · exited with code 137 (out of memory))",
    ],
    [
      "some instances restart again and again",
      { ready_instances: 2, restarts: restarts(3) },
      "trouble: runs out of memory (2 of 4 running · 3 restarts in 4 min · exited with code 137 (out of memory))",
    ],
    [
      "fails although all are ready, with a long message of Kubernetes",
      { status: "Failed", ready_instances: 4, message: `ImagePullBackOff: ${"back-off pulling ".repeat(20)}` },
      `trouble: can't pull its image (ImagePullBackOff: ${"back-off pulling ".repeat(8).trim()}…)`,
    ],
    [
      "is killed for its memory again and again",
      {
        status: "Failed",
        ready_instances: 0,
        restarts: restarts(6),
        restart_count: 6,
        last_state: { reason: "OOMKilled", exit_code: 137 },
      },
      "trouble: runs out of memory (0 of 4 running · exit 137, 6 restarts in 4 min)",
    ],
    [
      "is replaced, a quarter at once",
      { status: "Updating", rollout: { state: "progressing", ready: 1, target: 4 }, ready_instances: 4 },
      "waiting: isn't fully running yet (4 of 4 running · updating, 1 of 4 replaced)",
    ],
    [
      "fails with a reason",
      { status: "Failed", message: "the image can't be pulled", ready_instances: 0 },
      "trouble: can't pull its image (0 of 4 running · the image can't be pulled)",
    ],
    [
      "the update isn't visible yet",
      { target_instance_size: 3, ready_instances: 3 },
      "waiting: isn't fully running yet (3 of 3 running)",
    ],
  ])("%s", (_, more, expected) => {
    expect(now(more)).toBe(expected);
  });
});

test("a service whose instances a restart replaces runs meanwhile, and isn't said not to", () => {
  const rollout = { state: "progressing", ready: 2, target: 3 };
  const counts = { target_instance_size: 3, ready_instances: 3, rollout };
  const seen = asRead(answerShapes.getService.parse({ name: "web", status: "Updating", ...counts }));

  const { outcome, line } = serviceHealth(plain("restartService"), seen, SOON_MS);

  expect([outcome, line]).toEqual(["is still replacing instances", "3 of 3 running · updating, 2 of 3 replaced"]);
});

test("a new version whose instances crash says how often and how, beside how many are ready", () => {
  const rollout = { state: "progressing", from: 1, ready: 0, target: 4, old_ready: 4 };
  const crashed = { message: "web-1 exited with code 3", restarts: { count: 4 }, last_state: { exit_code: 3 } };
  const said = { name: "web", status: "Updating", target_instance_size: 4, rollout, ...crashed };
  const deploy = update({ containers: [{ image: "shop/web:9" }] });

  const { outcome, line } = serviceHealth(deploy, asRead(answerShapes.getService.parse(said)), SOON_MS);

  expect(`${outcome}: ${line}`).toBe(
    "keeps crashing: exit 3, 4 restarts · 0 of 4 new instances ready · 4 old instances still serve",
  );
});

describe("the read that shows a change", () => {
  const running = { name: "web", status: "Running", target_instance_size: 4 };
  const healthOf = (change: Change, more: object, healthyAfterMs = 60_000) => {
    const context = { change, progress: undefined, nowMs: 5_000, ageMs: 0, calls: 0 as const, healthyAfterMs };
    return healthAtOnce(context, { service: asRead(answerShapes.getService.parse({ ...running, ...more })) });
  };
  const well = "4 of 4 ready, watching for 60 s";

  test.each<[string, Change, object, string?]>([
    ["counts all instances of a scaled service", toFour, { ready_instances: 4 }, well],
    ["counts too few", toFour, { ready_instances: 3 }],
    ["counts those that have yet to end", toFour, { ready_instances: 6 }],
    ["counts them, of a service that updates", toFour, { ready_instances: 4, status: "Updating" }],
    ["counts them, of a service with a reason", toFour, { ready_instances: 4, message: "a volume is full" }],
    ["counts the old size", toFour, { ready_instances: 2, target_instance_size: 2 }],
    ["says running and counts nothing", toFour, {}, "running, watching for 60 s"],
    ["says that it updates and counts nothing", toFour, { status: "Updating" }],
    ["says running with a reason, and counts nothing", toFour, { message: "a volume is full" }],
    ["is about a scaling to nothing", update({ target_instance_size: 0 }), { target_instance_size: 0 }],
    ["is about memory: the instances are restarted", memoryTo(1024), { ready_instances: 4 }],
    ["is about a restart", plain("restartService"), { ready_instances: 4 }],
  ])("%s", (...[, change, more, expected]) => {
    expect(healthOf(change, more)?.line).toBe(expected);
  });

  test("begins the healthy time of a service only when it counts its ready instances", () => {
    expect(healthOf(toFour, { ready_instances: 4 })?.watch?.wellSinceMs).toBe(5_000);
    expect(healthOf(toFour, {})?.watch?.wellSinceMs).toBeUndefined();
  });

  test("shows a service healthy at once where nobody waits for that, but only when it counts its ready instances", () => {
    expect(healthOf(toFour, { ready_instances: 4 }, 0)?.kind).toBe("reached");
    expect(healthOf(toFour, {}, 0)).toBeUndefined();
  });
});

describe("a job", () => {
  const failed = { type: "Failed", status: "True" };
  const startTime = "2026-11-21T02:00:00Z";

  test.each<[string, object, string, object?]>([
    ["waits", {}, "waiting: is starting ()"],
    ["has started", { startTime, active: 1 }, "waiting: is running ()"],
    [
      "is complete after two minutes",
      {
        conditions: [{ type: "Complete", status: "True" }],
        failed: 1,
        startTime,
        completionTime: "2026-11-21T02:02:00Z",
      },
      "reached: completed (after 1 failed attempt) 120000",
    ],
    [
      "has failed",
      { conditions: [{ ...failed, message: "exit code 2" }], failed: 4 },
      "trouble: failed: exit code 2 after 4 attempts () nightly-2",
    ],
    [
      "failed, and its reason counts the attempts as the headline does",
      { conditions: [{ ...failed, message: "exit code 2 after 4 attempts" }], failed: 4 },
      "trouble: failed: exit code 2 after 4 attempts () nightly-2",
    ],
    [
      "has failed for another reason",
      { conditions: [{ ...failed, message: "the image can't be pulled" }] },
      "trouble: failed (the image can't be pulled) nightly-2",
    ],
    [
      "has not failed",
      { conditions: [{ ...failed, status: "False" }], active: 1, startTime },
      "waiting: is running ()",
    ],
    [
      "has failed in the words of Kubernetes",
      { conditions: [{ ...failed, message: "Job has reached the specified backoff limit" }] },
      "trouble: failed: exit code 2 after 3 restarts (exit 2, 3 restarts · Job has reached the specified backoff limit) nightly-2",
      { restart_count: 3, last_state: { reason: "Error", exit_code: 2 } },
    ],
    [
      "can't pull its image",
      { startTime, active: 1 },
      "waiting: can't pull its image (ErrImagePull: not found)",
      { message: "ErrImagePull: not found" },
    ],
    ["is tried again", { startTime, active: 1, failed: 1 }, "waiting: is retrying after 1 failed attempt ()"],
  ])("%s", (...[, status, expected, more = {}]) => {
    const { kind, outcome, line, ranMs = "", instance = "" } = jobHealth({ ...job(status), ...more });

    expect(`${kind}: ${outcome} (${line}) ${ranMs}${instance}`.trimEnd()).toBe(expected);
  });

  test("that has failed and names no instance", () => {
    expect(jobHealth(job({ conditions: [failed] }, []))).toEqual({
      kind: "trouble",
      level: "failing",
      outcome: "failed",
      line: "",
    });
  });
});
