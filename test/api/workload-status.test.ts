import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Job, Service } from "../../src/api/answers.ts";
import { Service as ServiceShape } from "../../src/api/service-shape.ts";
import { jobStatus, levelOf, serviceStatus } from "../../src/api/workload-status.ts";

const restarts = (count: number) => ({
  count,
  first_at: "2026-11-22T03:00:00Z",
  last_at: "2026-11-22T03:04:00Z",
  last_reason: "web-1 exited with code 137",
});

describe("a service", () => {
  test.each<[Partial<Service>, string, string]>([
    [{ status: "Running" }, "healthy", "running"],
    [{ status: "Running", ready_instances: 3, target_instance_size: 3 }, "healthy", "running"],
    [{ status: "Running", ready_instances: 2, target_instance_size: 3 }, "busy", "running, 2 of 3 ready"],
    [{ status: "Running", restarts: restarts(1) }, "healthy", "running"],
    [{ status: "Running", restarts: restarts(2) }, "busy", "restarting, 2 times in 4 min"],
    [{ status: "Running", restarts: restarts(6) }, "failing", "restarting, 6 times in 4 min"],
    [{ status: "Failed", restarts: restarts(3) }, "failing", "restarting, 3 times in 4 min"],
    [{ status: "Failed" }, "failing", "failed"],
    [{ status: "Stopped", restarts: restarts(6) }, "idle", "stopped"],
    [{ status: "Starting", restarts: restarts(6) }, "failing", "restarting, 6 times in 4 min"],
    [{ status: "Deleting", restarts: restarts(6) }, "busy", "deleting"],
    [{ status: "Updating" }, "busy", "updating"],
    [{ status: "CrashLoopBackOff" }, "failing", "crashloopbackoff"],
    [{ status: "Contemplating" }, "busy", "contemplating"],
    [{}, "busy", "status unknown"],
  ])("%j is %s: %s", (service, level, words) => {
    expect(serviceStatus({ name: "web", ...service })).toMatchObject({ level, words });
  });

  test.each([
    { restarts: "lots" },
    { restarts: { count: "six" } },
    { restarts: { count: -1, first_at: 12 } },
    { restarts: null, status_since: null, ready_instances: null },
    { ready_instances: "2/3", status_since: { at: 1 } },
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

  test("that has failed says why", () => {
    const conditions = [{ type: "Failed", status: "True", message: "exit code 2 after 4 attempts" }];

    expect(jobStatus({ metadata: { name: "boom" }, status: { conditions, failed: 4 } })).toEqual({
      level: "failing",
      words: "failed",
      reason: "exit code 2 after 4 attempts",
    });
  });
});

test("nothing but a documented word is healthy", () => {
  fc.assert(
    fc.property(fc.string(), (word) => {
      const isDocumented = /^(running|active|ready)$/iu.test(word);
      expect(levelOf(word) === "healthy").toBe(isDocumented);
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
