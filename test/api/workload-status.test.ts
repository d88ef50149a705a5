import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type RawJob as Job,
  type RawService as Service,
  Service as ServiceShape,
} from "../../src/api/workload-shapes.ts";
import { jobStatus, levelOf, serviceStatus } from "../../src/api/workload-status.ts";

const restarts = (count: number) => ({
  count,
  first_at: "2026-11-22T03:00:00Z",
  last_at: "2026-11-22T03:04:00Z",
  last_reason: "web-1 exited with code 137",
});

const oom = { reason: "OOMKilled", exit_code: 137, finished_at: "2026-11-22T03:04:00Z" };

describe("a service", () => {
  test.each<[Partial<Service>, string, string]>([
    [{ status: "Running" }, "healthy", "running"],
    [{ status: "Running", ready_instances: 3, target_instance_size: 3 }, "healthy", "running"],
    [{ status: "Running", ready_instances: 2, target_instance_size: 3 }, "busy", "running, 2 of 3 ready"],
    [{ status: "Running", restarts: restarts(1) }, "healthy", "running"],
    [{ status: "Running", restarts: restarts(2) }, "failing", "keeps crashing: 2 restarts in 4 min"],
    [{ status: "Running", restarts: restarts(6) }, "failing", "keeps crashing: 6 restarts in 4 min"],
    [{ status: "Failed", restarts: restarts(3) }, "failing", "keeps crashing: 3 restarts in 4 min"],
    [{ status: "Failed" }, "failing", "failing"],
    [{ status: "Degraded" }, "failing", "failing, degraded"],
    [{ status: "Stopped", restarts: restarts(6) }, "idle", "stopped"],
    [{ status: "Idle", size_set_by: "autoscaler a" }, "idle", "idle, autoscaler a brings it back"],
    [{ status: "Idle" }, "idle", "idle"],
    [{ status: "Running", size_set_by: "autoscaler a" }, "healthy", "running"],
    [{ status: "Starting", restarts: restarts(6) }, "failing", "keeps crashing: 6 restarts in 4 min"],
    [{ status: "Deleting", restarts: restarts(6) }, "busy", "deleting"],
    [
      { status: "Running", restarts: restarts(6), last_state: oom },
      "failing",
      "runs out of memory: exit 137, 6 restarts in 4 min",
    ],
    [{ status: "Failed", restart_count: 6, last_state: oom }, "failing", "runs out of memory: exit 137, 6 restarts"],
    [{ status: "Failed", restart_count: 6 }, "failing", "keeps crashing: 6 restarts"],
    [
      { status: "Failed", restart_count: 6, restarts: restarts(1), last_state: oom },
      "failing",
      "runs out of memory: exit 137, 6 restarts",
    ],
    [{ status: "Failed", restart_count: 6, restarts: { count: 0 }, last_state: oom }, "failing", "failing"],
    [
      {
        status: "Updating",
        restart_count: 2,
        message: "CrashLoopBackOff",
        last_state: { reason: "Error", exit_code: 3 },
      },
      "failing",
      "keeps crashing: exit 3, 2 restarts",
    ],
    [{ status: "Running", restart_count: 6, last_state: oom }, "healthy", "running"],
    [{ status: "Running", message: "0/3 nodes are available" }, "busy", "running"],
    [{ status: "Stopped", restart_count: 6, last_state: oom }, "idle", "stopped"],
    [{ status: "Updating" }, "busy", "updating"],
    [
      {
        status: "Updating",
        rollout: { state: "progressing", ready: 12, target: 50 },
        ready_instances: 50,
        target_instance_size: 50,
      },
      "busy",
      "updating, 12 of 50 replaced",
    ],
    [
      { status: "Starting", rollout: { state: "progressing", to: 1, ready: 0, target: 2 }, ready_instances: 0 },
      "busy",
      "starting",
    ],
    [
      { status: "Updating", rollout: { state: "progressing", from: 1, ready: 0, target: 2 }, ready_instances: 0 },
      "busy",
      "updating, 0 of 2 replaced",
    ],
    [
      { status: "Running", rollout: { state: "progressing", ready: 12, target: 50 }, target_instance_size: 50 },
      "healthy",
      "running",
    ],
    [{ status: "CrashLoopBackOff" }, "failing", "keeps crashing"],
    [
      { status: "Starting", message: "ErrImagePull: waiting for the registry: i/o timeout (web-1)" },
      "busy",
      "can't pull its image",
    ],
    [
      { status: "Starting", message: "web-0 is waiting: the registry r.io has an error (503), trying again in 2 s" },
      "busy",
      "can't pull its image",
    ],
    [{ status: "Starting", message: "ErrImagePull: not found (web-1)" }, "failing", "can't pull its image"],
    [{ status: "Contemplating" }, "busy", "contemplating"],
    [{}, "busy", "status unknown"],
  ])("%j is %s: %s", (service, level, words) => {
    const status = serviceStatus({ name: "web", ...service });

    expect(status.level).toBe(level);
    expect(status.facts === undefined ? status.words : `${status.words}: ${status.facts}`).toBe(words);
  });

  test.each([
    { restarts: "lots" },
    { restarts: { count: "six" } },
    { restarts: { count: -1, first_at: 12 } },
    { restarts: null, status_since: null, ready_instances: null },
    { ready_instances: "2/3", status_since: { at: 1 } },
    { rollout: { state: "progressing", ready: "12 of 50", target: 50 } },
    { restart_count: "many", last_state: "oom", message: "" },
    { restart_count: null, last_state: { exit_code: "one", finished_at: 3, reason: null }, message: { text: "no" } },
  ])("of an API that sends %j is judged by its status", (sent) => {
    const service = ServiceShape.parse({ name: "web", status: "Running", target_instance_size: 3, ...sent });

    expect(serviceStatus(service)).toMatchObject({ level: "healthy", words: "running" });
  });

  test("that restarts says why and since when", () => {
    expect(serviceStatus({ name: "web", status: "Failed", restarts: restarts(6) })).toMatchObject({
      reason: "web-1 exited with code 137",
      since: "2026-11-22T03:00:00Z",
    });
  });
});

test("a service says how its container ended once, in the words or as the reason", () => {
  const failed = { name: "web", status: "Failed", last_state: oom };

  expect(serviceStatus(failed).reason).toBe("out of memory, exit 137");
  expect(serviceStatus({ ...failed, message: "it didn't answer" }).reason).toBe(
    "out of memory, exit 137 · it didn't answer",
  );
  expect(serviceStatus({ ...failed, message: "web-1 exited with code 137" }).reason).toBe("web-1 exited with code 137");
  expect(serviceStatus({ ...failed, restart_count: 6, message: "web-1 exited with code 137" })).toEqual({
    level: "failing",
    cause: "out-of-memory",
    words: "runs out of memory",
    facts: "exit 137, 6 restarts",
    lastAt: "2026-11-22T03:04:00Z",
  });
  const message = "back-off 5m0s restarting failed container";
  expect(serviceStatus({ ...failed, restart_count: 6, message }).reason).toBe(message);
});

describe("a job", () => {
  test.each<[Job["status"], string, string]>([
    [{}, "busy", "pending"],
    [{ startTime: "2026-11-22T03:00:00Z" }, "healthy", "running"],
    [{ active: 1 }, "healthy", "running"],
    [{ active: 1, failed: 1 }, "busy", "retrying after 1 failed attempt"],
    [{ failed: 3 }, "busy", "retrying after 3 failed attempts"],
    [{ succeeded: 1, completionTime: "2026-11-22T03:00:00Z" }, "idle", "complete"],
    [{ conditions: [{ type: "Complete", status: "True" }], failed: 2 }, "idle", "complete"],
    [{ conditions: [{ type: "Complete", status: "False" }], active: 1 }, "healthy", "running"],
    [{ conditions: [{ type: "Suspended", status: "True" }] }, "idle", "suspended"],
    [{ conditions: [{ type: "Contemplating", status: "True" }] }, "busy", "contemplating"],
  ])("with the status %j is %s: %s", (status, level, words) => {
    expect(jobStatus({ metadata: { name: "boom" }, status })).toMatchObject({ level, words });
  });

  const last_state = { reason: "Error", exit_code: 2 };
  test.each<[Partial<Job>, string, string, string | undefined]>([
    [{ status: { active: 1 }, restart_count: 3, last_state }, "busy", "retrying, exit 2, 3 restarts", undefined],
    [{ status: { active: 1 }, restart_count: 1 }, "busy", "retrying, 1 restart", undefined],
    [
      { status: { active: 1, failed: 2 }, restart_count: 2, last_state },
      "busy",
      "retrying after 2 failed attempts",
      "exit 2",
    ],
    [
      { status: { active: 1 }, message: "ImagePullBackOff: not found" },
      "failing",
      "can't pull its image",
      "ImagePullBackOff: not found",
    ],
    [
      { status: { completionTime: "2026-11-22T03:00:00Z" }, restart_count: 3, last_state },
      "idle",
      "complete",
      undefined,
    ],
    [{ status: failed(), restart_count: 3, last_state }, "failing", "failed", "exit 2, 3 restarts"],
    [
      { status: failed("the backoff limit"), restart_count: 3, last_state },
      "failing",
      "failed",
      "exit 2, 3 restarts · the backoff limit",
    ],
    [
      { status: failed("the backoff limit"), message: "exit code 2 after 4 attempts", restart_count: 3, last_state },
      "failing",
      "failed",
      "exit code 2 after 4 attempts",
    ],
    [{ status: failed("the backoff limit") }, "failing", "failed", "the backoff limit"],
  ])("%j is %s: %s, %s", (job, ...[level, words, reason]) => {
    const status = jobStatus({ metadata: { name: "boom" }, ...job });

    expect(status).toMatchObject({ level, words });
    expect(status.reason).toBe(reason);
  });

  test("that has failed says why", () => {
    const conditions = [{ type: "Failed", status: "True", message: "exit code 2 after 4 attempts" }];

    expect(jobStatus({ metadata: { name: "boom" }, status: { conditions, failed: 4 } })).toEqual({
      level: "failing",
      words: "failed",
      cause: "job-failed",
      reason: "exit code 2 after 4 attempts",
    });
  });
});

function failed(message?: string): Job["status"] {
  return { conditions: [{ type: "Failed", status: "True", ...(message !== undefined && { message }) }] };
}

test("nothing but a known word is healthy", () => {
  const known = ["running", "active", "available", "healthy", "online", "ready", "started", "up"];
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom(...known, "Up ", "RUNNING", "upper")), (word) => {
      expect(levelOf(word) === "healthy").toBe(known.includes(word.trim().toLowerCase()));
    }),
  );
});

test("whatever a service reports, one with missing instances or repeated restarts isn't healthy", () => {
  const reported = fc.record({
    name: fc.constant("web"),
    status: fc.constantFrom("Running", "Failed", "running", "", "Odd"),
    ready_instances: fc.nat(20),
    target_instance_size: fc.nat(20),
    restarts: fc.nat(20).map(restarts),
  });
  fc.assert(
    fc.property(reported, (service) => {
      const isWell = service.ready_instances >= service.target_instance_size && service.restarts.count < 2;
      expect(isWell || serviceStatus(service).level !== "healthy").toBe(true);
    }),
  );
});

test("a job over its deadline says so first: how its last attempt ended is a consequence, or was before", () => {
  const message = "Job was active longer than specified deadline";
  const condition = { type: "Failed", status: "True", reason: "DeadlineExceeded", message };
  const job = { metadata: { name: "report" }, status: { conditions: [condition] }, message };

  expect(jobStatus(job)).toMatchObject({ words: "failed", reason: "ran longer than its deadline" });
  const { reason } = jobStatus({ ...job, restart_count: 4, last_state: { reason: "Error", exit_code: 3 } });
  expect(reason).toMatch(/^ran longer than its deadline · .*exit.*3/u);
});
