import { describe, expect, test } from "vitest";
import { answerShapes, type Job, type Service } from "../../src/api/answers.ts";
import type { Change } from "../../src/changes/change.ts";
import { healthOf } from "../../src/changes/health.ts";
import { before, memoryTo, newJob, newService, plain, toFour, update } from "./support/changes.ts";

const SOON_MS = 2_000;
const LATE_MS = 17_000;

function service(status: string | undefined, size: number | undefined = 2): Service {
  return answerShapes.getService.parse({ name: "web", status, target_instance_size: size });
}

function job(status: object, instances: readonly string[] = ["nightly-1", "nightly-2"]): Job {
  return answerShapes.getJob.parse({ metadata: { name: "nightly" }, instance_names: instances, status });
}

const toNone = update({ target_instance_size: 0 });
const whileStopped = memoryTo(1024, { ...before, status: "Stopped" });
const whileFailed = memoryTo(1024, { ...before, status: "Failed" });

describe("a service", () => {
  test.each<[string, Change, Service | undefined, number, string]>([
    ["runs after a scale", toFour, service("Running", 4), SOON_MS, "reached: 4 instances run"],
    ["runs with one instance", newService(), service("Running", 1), SOON_MS, "reached: 1 instance runs"],
    [
      "runs, and tells no size",
      newService(),
      answerShapes.getService.parse({ name: "web", status: "Running" }),
      SOON_MS,
      "reached: it runs",
    ],
    ["runs with none, as asked", toNone, service("Running", 0), SOON_MS, "reached: 0 instances run"],
    ["is stopped with none, as asked", toNone, service("Stopped", 0), SOON_MS, "reached: it is stopped"],
    ["stays stopped through an update", whileStopped, service("Stopped"), SOON_MS, "reached: it is stopped"],
    ["is stopped, though it was not asked for", toFour, service("Stopped"), SOON_MS, "waiting: still Stopped"],
    ["is on its way", toFour, service("Updating"), SOON_MS, "waiting: still Updating"],
    ["has a word that nobody knows", toFour, service("Reticulating"), LATE_MS, "waiting: still Reticulating"],
    ["tells no status", toFour, service(undefined), SOON_MS, "waiting: of a status that is not told"],
    ["does not show", newService(), undefined, SOON_MS, "waiting: not to be found"],
    ["crashes", toFour, service("Failed"), SOON_MS, "trouble: its status is Failed"],
    [
      "crashes in the words of Kubernetes",
      newService(),
      service("CrashLoopBackOff"),
      SOON_MS,
      "trouble: its status is CrashLoopBackOff",
    ],
    [
      "crashes in other letters",
      toFour,
      service("CRASH_LOOP_BACK_OFF"),
      SOON_MS,
      "trouble: its status is CRASH_LOOP_BACK_OFF",
    ],
    ["restarts after a scale", toFour, service("Restarting"), SOON_MS, "trouble: its status is Restarting"],
    ["restarts after a restart", plain("restartService"), service("Restarting"), LATE_MS, "waiting: still Restarting"],
    ["still shows the crash of before", whileFailed, service("Failed"), SOON_MS, "waiting: still Failed"],
    ["has crashed again", whileFailed, service("Failed"), LATE_MS, "trouble: its status is Failed"],
    ["is stopped", plain("stopService"), service("Stopped"), SOON_MS, "reached: it is stopped"],
    ["is stopping", plain("stopService"), service("Stopping"), SOON_MS, "waiting: still Stopping"],
    ["fails while it stops", plain("stopService"), service("Failed"), LATE_MS, "waiting: still Failed"],
  ])("%s", (...[, change, seen, sinceMs, expected]) => {
    const { kind, line } = healthOf(change, { service: seen }, sinceMs);

    expect(`${kind}: ${line}`).toBe(expected);
  });
});

describe("a job", () => {
  const failed = { type: "Failed", status: "True" };

  test.each([
    ["waits", {}, { kind: "waiting", line: "not started" }],
    ["has started", { startTime: "2026-11-21T02:00:00Z", active: 1 }, { kind: "reached", line: "it has started" }],
    [
      "is complete",
      { conditions: [{ type: "Complete", status: "True" }], failed: 1 },
      { kind: "reached", line: "it is complete" },
    ],
    [
      "has failed",
      { conditions: [failed], failed: 3 },
      { kind: "trouble", line: "it has failed", instance: "nightly-2" },
    ],
    [
      "has not failed",
      { conditions: [{ ...failed, status: "False" }], active: 1 },
      { kind: "reached", line: "it has started" },
    ],
    [
      "is tried again",
      { startTime: "2026-11-21T02:00:00Z", active: 1, failed: 1 },
      { kind: "trouble", line: "1 run failed, it is tried again", instance: "nightly-2" },
    ],
  ])("%s", (_, status, expected) => {
    expect(healthOf(newJob, { job: job(status) }, SOON_MS)).toEqual(expected);
  });

  test("that has failed and names no instance", () => {
    expect(healthOf(newJob, { job: job({ conditions: [failed] }, []) }, SOON_MS)).toEqual({
      kind: "trouble",
      line: "it has failed",
    });
  });
});
