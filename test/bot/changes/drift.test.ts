import { asRead } from "../../support/as-read.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Service } from "../../../src/api/answers.ts";
import { answerShapes } from "../../../src/api/answers.ts";
import type { Change } from "../../../src/bot/changes/change.ts";
import { dependsOn, digestOf, driftOf } from "../../../src/bot/changes/drift.ts";
import { serviceSnapshot, type Snapshot } from "../../../src/bot/changes/updatable-fields.ts";
import { before, jobDeletion, memoryTo, newJob, newService, plain, toFour, update } from "./support/changes.ts";

const domains = update({ binding_domain_name: ["b.example.com", "a.example.com"] });
const all: Change[] = [
  toFour,
  memoryTo(1024),
  domains,
  update({ target_instance_size: 4, containers: [], binding_domain_name: [] }),
  plain("startService"),
  plain("stopService"),
  plain("restartService"),
  plain("deleteService"),
  newService(),
  newJob,
  jobDeletion,
];

/** The Change as it would be if it had been asked for now. */
const askedAnew = (change: Change, now: Snapshot): Change => ({ ...change, before: now });

describe("what a change depends on", () => {
  test.each([
    ["scale", toFour, ["the workload: id u1", "instances: 2"]],
    [
      "memory",
      memoryTo(1024, { ...before, memoryMiB: [512, undefined] }),
      ["the workload: id u1", "memory: 512 MiB and not reported"],
    ],
    ["domains", domains, ["the workload: id u1", "domains: a.example.com"]],
    [
      "domains that aren't told",
      update({ binding_domain_name: [] }, { ...before, domains: undefined }),
      ["the workload: id u1", "domains: not reported"],
    ],
    ["start", plain("startService", { ...before, status: "STOPPED" }), ["the workload: id u1", "power: stopped"]],
    [
      "start where no status is told",
      plain("startService", { ...before, status: undefined }),
      ["the workload: id u1", "power: not reported"],
    ],
    ["stop", plain("stopService", { ...before, status: "Whatever" }), ["the workload: id u1", "power: not stopped"]],
    ["restart", plain("restartService"), ["the workload: id u1"]],
    ["delete", plain("deleteService"), ["the workload: id u1"]],
    ["create", newService(), ["the workload: doesn't exist"]],
  ] as const)("%s", (_, change, rows) => {
    expect(dependsOn(change, change.before).map(({ field, value }) => `${field}: ${value}`)).toEqual(rows);
  });
});

describe("drift", () => {
  test("shows then, now and asked", () => {
    expect(driftOf(toFour, { ...before, size: 3, memoryMiB: [1024] })).toMatchInlineSnapshot(`
      [
        {
          "asked": "4",
          "field": "instances",
          "now": "3",
          "then": "2",
        },
      ]
    `);
  });

  test("is nothing where a service was stopping when its start was requested, and has stopped since", () => {
    const start = plain("startService", { ...before, status: "Stopping" });

    expect(driftOf(start, { ...before, status: "Stopped" })).toEqual([]);
    expect(driftOf(start, { ...before, status: "Running" })).toMatchInlineSnapshot(`
      [
        {
          "asked": "running",
          "field": "power",
          "now": "not stopped",
          "then": "stopped",
        },
      ]
    `);
  });

  test("of a workload that was deleted is that alone", () => {
    expect(driftOf(toFour, undefined)).toMatchInlineSnapshot(`
      [
        {
          "asked": undefined,
          "field": "the workload",
          "now": "deleted",
          "then": "existed",
        },
      ]
    `);
  });

  test("of a workload that was made anew is that alone", () => {
    expect(driftOf(toFour, { ...before, uid: "u2", size: 7 })).toMatchInlineSnapshot(`
      [
        {
          "asked": undefined,
          "field": "the workload",
          "now": "another one with this name",
          "then": "the original",
        },
      ]
    `);
  });

  test("of a creation is that the name is taken", () => {
    expect(driftOf(newService(), before)).toMatchInlineSnapshot(`
      [
        {
          "asked": "a new one",
          "field": "the workload",
          "now": "exists",
          "then": "didn't exist",
        },
      ]
    `);
  });

  test.each([
    ["what an operation does not change", toFour, { ...before, memoryMiB: [2048], domains: [], status: "Failed" }],
    ["the order and capitals of domains", domains, { ...before, domains: ["A.example.com"] }],
    ["a restart in between", plain("restartService"), { ...before, status: "Updating", size: 9 }],
    ["a status that is another word for not stopped", plain("stopService"), { ...before, status: "Updating" }],
  ] as const)("is not: %s", (_, change, now) => {
    expect(driftOf(change, now)).toEqual([]);
  });

  test("of a service without uid is told by the time of its creation", () => {
    const read = (created_at: string): Snapshot => serviceSnapshot({ name: "web", created_at });
    const change = plain("deleteService", read("2026-11-20T10:00:00Z"));

    expect(driftOf(change, read("2026-11-20T10:00:00Z"))).toEqual([]);
    expect(driftOf(change, read("2026-11-21T10:00:00Z"))).toHaveLength(1);
  });
});

const domain = fc.constantFrom("a.example.com", "b.example.com", "C.example.com");
const existing = fc.record({
  uid: fc.constantFrom("u1", "u2", undefined),
  status: fc.constantFrom("Running", "Stopped", "Updating", undefined),
  size: fc.constantFrom(0, 1, 2, undefined),
  memoryMiB: fc.array(fc.constantFrom(256, 512, undefined), { maxLength: 2 }),
  domains: fc.option(fc.array(domain, { maxLength: 3 }), { nil: undefined }),
});
const snapshot: fc.Arbitrary<Snapshot> = fc.oneof({ weight: 9, arbitrary: existing }, fc.constant(undefined));

test("digests are equal exactly when nothing has drifted", () => {
  fc.assert(
    fc.property(fc.constantFrom(...all), snapshot, snapshot, (change, then, now) => {
      const asked = askedAnew(change, then);

      const isEqual = digestOf(asked) === digestOf(askedAnew(change, now));

      expect(isEqual).toBe(driftOf(asked, now).length === 0);
    }),
  );
});

test("the digest is one of the workload too, not only of its values", () => {
  const elsewhere: Change = { ...toFour, workload: { ...toFour.workload, region: "beijing2" } };

  expect(digestOf(toFour)).toMatch(/^[0-9a-f]{64}$/u);
  expect(digestOf(elsewhere)).not.toBe(digestOf(toFour));
});

const base = {
  uid: "u1",
  name: "web",
  status: "Running",
  target_instance_size: 2,
  containers: [{ name: "web", image: "a", resources: { limits: { memory: "512" } } }],
  binding_domain_name: ["a.example.com"],
};

/** What a service may answer otherwise from one read to the next, without anybody having changed it. */
const volatile = fc.record(
  {
    status: fc.constantFrom("Starting", "Updating", "Failed", "Anything"),
    created_at: fc.string(),
    port_mappings: fc.array(fc.record({ service_url: fc.string(), container_port: fc.nat() })),
    default_domain_name: fc.string(),
    resourceVersion: fc.nat(),
    updated_at: fc.date().map(String),
  },
  { requiredKeys: [] },
);

test("what moves by itself never changes the digest", () => {
  const read = (answer: object): Service => asRead(answerShapes.getService.parse(answer));
  fc.assert(
    fc.property(fc.constantFrom(...all), volatile, (change, moved) => {
      const then = askedAnew(change, serviceSnapshot(read(base)));
      const now = askedAnew(change, serviceSnapshot(read({ ...base, ...moved })));

      expect(digestOf(now)).toBe(digestOf(then));
    }),
  );
});
