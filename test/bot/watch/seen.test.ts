import { asRead } from "../../support/as-read.ts";
import { describe, expect, test } from "vitest";
import { answerShapes } from "../../../src/api/answers.ts";
import { seenJob, seenService } from "../../../src/bot/watch/incident.ts";

function service(fields: object) {
  return seenService(asRead(answerShapes.getService.parse({ name: "web", status: "Running", ...fields })));
}

function job(fields: object) {
  return seenJob(asRead(answerShapes.getJob.parse({ metadata: { name: "report" }, ...fields })));
}

const crashed = { restarts: { count: 3, first_at: "2026-11-26T10:00:00Z", last_at: "2026-11-26T10:01:00Z" } };
const failed = { type: "Failed", status: "True" };

describe("why a service isn't well", () => {
  test.each<[string, object, string | undefined]>([
    ["it runs", {}, undefined],
    ["it runs and restarted once", { restart_count: 1 }, undefined],
    ["it was restarted a hundred times in its life", { restart_count: 100 }, undefined],
    ["it starts", { status: "Starting" }, undefined],
    ["too few instances are ready", { ready_instances: 1, target_instance_size: 2 }, undefined],
    ["it is stopped", { status: "Stopped" }, undefined],
    ["its status isn't reported", { status: undefined }, undefined],
    ["its second restart in a short time", { restarts: { count: 2 } }, "crash-loop"],
    ["it keeps restarting", { ...crashed, last_state: { exit_code: 1 } }, "crash-loop"],
    ["it ran out of memory", { ...crashed, last_state: { reason: "OOMKilled", exit_code: 137 } }, "out-of-memory"],
    ["the message says memory", { ...crashed, message: "exited with code 137 (out of memory)" }, "out-of-memory"],
    ["a word that has oom in it", { ...crashed, message: "can't reach the zoom API" }, "crash-loop"],
    ["exit code 137 alone says nothing of memory", { ...crashed, last_state: { exit_code: 137 } }, "crash-loop"],
    ["the image can't be pulled", { status: "Starting", message: 'ImagePullBackOff: image "r.io/x"' }, "image"],
    ["no such image", { status: "Starting", message: "can't pull the image app:9: manifest unknown" }, "image"],
    ["no node fits", { status: "Pending", message: "0/3 nodes are available: insufficient memory" }, "unschedulable"],
    ["a probe fails", { ...crashed, message: "Liveness probe failed: HTTP 500" }, "probe"],
    ["it is failing, and nothing says why", { status: "Failed" }, "failing"],
    ["a status of another system", { status: "CrashLoopBackOff" }, "crash-loop"],
    [
      "a new version is stuck beside the old one",
      { rollout: { from: 1, state: "stuck", message: "exit code 2" } },
      "stuck",
    ],
    [
      "a new version whose image is missing",
      { rollout: { from: 1, state: "stuck", message: "ErrImagePull" } },
      "image",
    ],
  ])("%s", (_, fields, cause) => {
    expect(service(fields).cause).toBe(cause);
  });

  test.each<[string, object, string]>([
    ["boom", { message: "boom-0 exited with code 1" }, "crash-loop"],
    ["classroom", { restarts: { count: 3, last_reason: "classroom-7d9f exited with code 1" } }, "crash-loop"],
    ["oom", { message: "oom-0 exited with code 1" }, "crash-loop"],
    ["probe", { message: "back-off 10s restarting failed container=probe pod=probe-5c4" }, "crash-loop"],
    ["probe", { message: "back-off restarting failed container “probe”" }, "crash-loop"],
    ["probe", { message: "Liveness probe failed: HTTP 500" }, "probe"],
    ["oom", { last_state: { reason: "OOMKilled", exit_code: 137 } }, "out-of-memory"],
    ["image", { message: 'can\'t pull the image "image:9": manifest unknown' }, "image"],
  ])("the name %s says nothing about why: %j is %s", (name, fields, cause) => {
    expect(service({ name, ...crashed, ...fields }).cause).toBe(cause);
  });

  test("a stuck new version never looks well", () => {
    const seen = service({ rollout: { from: 1, state: "stuck", message: "exit code 2" } });
    expect(seen).toMatchObject({ level: "failing", words: "its new instances don't get ready", reason: "exit code 2" });
  });

  test("the first version is no new one, and how it restarts says more than that it isn't ready", () => {
    const rollout = { state: "stuck", old_ready: 0, message: "exit code 2" };
    expect(service({ status: "Starting", rollout })).toMatchObject({ level: "failing", words: "doesn't get ready" });
    const restarts = { count: 2, first_at: "2026-11-26T10:00:00Z", last_at: "2026-11-26T10:00:20Z" };
    expect(service({ status: "Starting", rollout, restarts })).toMatchObject({
      level: "failing",
      words: "keeps crashing",
      facts: "2 restarts in 20 s",
      cause: "crash-loop",
    });
  });

  test("a message of a megabyte is looked at in part", () => {
    expect(service({ status: "Failed", message: `${"image ".repeat(200_000)}not found` }).cause).toBe("failing");
  });
});

describe("what was wrong once says nothing about now", () => {
  const old = {
    restart_count: 9,
    last_state: { reason: "OOMKilled", exit_code: 137, finished_at: "2026-11-01T10:00:00Z" },
  };
  test.each<[string, object, string | undefined]>([
    [
      "an image is pulled",
      { status: "Starting", message: "web-0 is waiting: pulling the image shop/web:2" },
      undefined,
    ],
    ["it starts, and ran out of memory weeks ago", { status: "Starting", ...old }, undefined],
    [
      "its instances can't be created, and it ran out of memory weeks ago",
      { status: "Failed", message: "can't create its instances: exceeded quota", ...old },
      "quota",
    ],
    [
      "all that it needs runs, and no node has room for more",
      { message: "no node has room", ready_instances: 2, target_instance_size: 2 },
      undefined,
    ],
    [
      "a setting is missing",
      { status: "Starting", message: 'CreateContainerConfigError: secret "db" not found' },
      "settings",
    ],
    ["a volume is missing", { status: "Starting", message: 'FailedMount: secret "db" not found' }, "volume"],
    [
      "it was killed for its memory a moment ago, once",
      { status: "Starting", ...old, restarts: { count: 1 } },
      "out-of-memory",
    ],
  ])("%s", (_, fields, cause) => {
    expect(service(fields).cause).toBe(cause);
  });
});

describe("why a job isn't well", () => {
  test.each<[string, object, string | undefined]>([
    ["it runs", { status: { active: 1, startTime: "2026-11-26T10:00:00Z" } }, undefined],
    ["it is tried again", { status: { failed: 2 } }, undefined],
    ["it failed", { status: { conditions: [failed] } }, "job-failed"],
    ["it failed without memory", { status: { conditions: [failed] }, message: "out of memory" }, "job-failed"],
    ["it can't pull its image", { message: "ErrImagePull", status: {} }, "image"],
    ["it is complete", { status: { completionTime: "2026-11-26T10:00:00Z" } }, undefined],
    ["the last run of a schedule failed", { schedule: { cron: "* * * * *", last_result: "failed" } }, "job-failed"],
  ])("%s", (_, fields, cause) => {
    expect(job(fields).cause).toBe(cause);
  });
});

describe("what workloads have in common when they fail", () => {
  test.each<[string, object, string | undefined]>([
    ["a registry", { containers: [{ image: "registry.example.com:5000/shop/web:2" }] }, "registry.example.com:5000"],
    ["Docker Hub", { containers: [{ image: "shop/web:2" }] }, "docker.io"],
    ["the registry in the message, of a long list", { message: "ErrImagePull: image r.io/shop/web:2" }, "r.io"],
    ["not known", {}, undefined],
  ])("%s", (_, fields, shared) => {
    expect(service({ status: "Starting", message: "ErrImagePull", ...fields }).shared).toBe(shared);
  });

  test("a node", () => {
    expect(service({ status: "Failed", message: 'node "worker-3" is not ready' }).shared).toBe("node worker-3");
  });
});
