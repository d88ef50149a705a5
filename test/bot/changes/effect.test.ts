import { describe, expect, test } from "vitest";
import type { Change } from "../../../src/bot/changes/change.ts";
import { effectOf } from "../../../src/bot/changes/effect.ts";
import type { Snapshot } from "../../../src/bot/changes/updatable-fields.ts";

const before = { uid: "u1", status: "Running", size: 2, memoryMiB: [512], domains: ["a.example.com"] };
const path = { region: "beijing1", service_name: "web" };
const workload = { kind: "service", region: "beijing1", name: "web", uid: "u1" } as const;

function update(body: Extract<Change["call"], { op: "updateService" }>["body"], then: Snapshot = before): Change {
  return { call: { op: "updateService", path, query: undefined, body }, workload, before: then, diff: ["…"] };
}

function power(op: "startService" | "stopService" | "restartService" | "deleteService"): Change {
  return { call: { op, path, query: undefined, body: undefined }, workload, before, diff: ["…"] };
}

describe("an update", () => {
  test("took effect when every asked field is as asked", () => {
    expect(effectOf(update({ target_instance_size: 4 }), { ...before, size: 4 })).toEqual({
      kind: "done",
      alsoMoved: [],
    });
  });

  test("names another updatable field that moved meanwhile", () => {
    const after = { ...before, size: 4, memoryMiB: [1024] };

    const verdict = effectOf(update({ target_instance_size: 4 }), after);

    expect(verdict).toEqual({ kind: "done", alsoMoved: ["memory 512 MiB → 1024 MiB"] });
  });

  test("is told apart from one that changed nothing", () => {
    const body = { containers: [{ resource: { limits: { memory: 1024 as const } } }] };

    expect(effectOf(update(body), before)).toEqual({ kind: "nothing", still: ["memory still 512 MiB"] });
  });

  test("reads the memory of the container that was meant, among several", () => {
    const two = { ...before, memoryMiB: [512, 256] };
    const body = { containers: [{ name: "web" }, { name: "proxy", resources: { limits: { memory: 512 as const } } }] };

    expect(effectOf(update(body, two), { ...two, memoryMiB: [512, 512] }).kind).toBe("done");
    expect(effectOf(update(body, two), two).kind).toBe("nothing");
  });

  test("does not mind the order of domains", () => {
    const after = { ...before, domains: ["a.example.com", "b.example.com"] };

    const verdict = effectOf(update({ binding_domain_name: ["b.example.com", "a.example.com"] }), after);

    expect(verdict.kind).toBe("done");
  });

  test("on the way is neither done nor nothing", () => {
    expect(effectOf(update({ target_instance_size: 4 }), { ...before, size: 3 })).toEqual({
      kind: "not-yet",
      why: "Not visible yet: instances 3.",
    });
  });
});

describe("what the API doesn't report", () => {
  const hidden = { ...before, size: undefined, memoryMiB: [], domains: undefined };
  const memory = { containers: [{ resources: { limits: { memory: 1024 as const } } }] };

  test.each([
    ["domains", { binding_domain_name: ["b.example.com"] }],
    ["domains", { binding_domain_name: [] }],
    ["memory", memory],
    ["instances", { target_instance_size: 4 }],
    ["instances and memory", { target_instance_size: 4, ...memory }],
  ])("can't be confirmed, and hasn't failed: %s", (what, body) => {
    expect(effectOf(update(body, hidden), hidden)).toEqual({ kind: "unseen", what });
    expect(effectOf(update(body), hidden)).toEqual({ kind: "unseen", what });
  });

  test("isn't waited for where another field shows that the update isn't done", () => {
    const body = { target_instance_size: 4, binding_domain_name: [] };

    expect(effectOf(update(body), { ...before, domains: undefined })).toEqual({
      kind: "not-yet",
      why: "Not visible yet: instances 2.",
    });
  });

  test("hasn't moved meanwhile", () => {
    expect(effectOf(update({ target_instance_size: 2 }), { ...before, domains: undefined })).toEqual({
      kind: "done",
      alsoMoved: [],
    });
  });
});

describe("a restart", () => {
  const since = (at: string | undefined, status = "Running"): Snapshot => ({ ...before, status, since: at });
  const restart: Change = { ...power("restartService"), before: since("2026-11-20T10:00:00Z") };

  test.each<[string, Snapshot, string]>([
    ["the status began anew", since("2026-11-21T10:00:00Z"), "done"],
    ["it is on its way", since(undefined, "Updating"), "done"],
    ["the status is the old one", since("2026-11-20T10:00:00Z"), "not-yet"],
    ["nothing is reported", since(undefined), "unseen"],
    ["the service is gone", undefined, "not-yet"],
  ])("when %s", (_, after, kind) => {
    expect(effectOf(restart, after).kind).toBe(kind);
  });
});

test.each([
  ["startService", "Running", "done"],
  ["startService", "Starting", "not-yet"],
  ["startService", "Booting", "not-yet"],
  ["stopService", "Stopped", "done"],
  ["stopService", "Stopping", "not-yet"],
  ["startService", "RUNNING", "done"],
  ["startService", "active", "done"],
  ["stopService", "stopped", "done"],
  ["stopService", "Suspended", "done"],
  ["stopService", undefined, "unseen"],
  ["restartService", "Running", "unseen"],
  ["restartService", "RESTARTING", "done"],
] as const)("%s with status %s is %s", (op, status, kind) => {
  expect(effectOf(power(op), { ...before, status }).kind).toBe(kind);
});

test("a deletion is done when the name is free, or belongs to a namesake made later", () => {
  expect(effectOf(power("deleteService"), undefined).kind).toBe("done");
  expect(effectOf(power("deleteService"), { ...before, uid: "u2" }).kind).toBe("done");
  expect(effectOf(power("deleteService"), { ...before, status: "Deleting" })).toEqual({
    kind: "not-yet",
    why: "It still exists (deleting).",
  });
});
