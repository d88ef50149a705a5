import { expect, test } from "vitest";
import { Change, Outcome } from "../../../src/bot/changes/change.ts";
import { digestOf } from "../../../src/bot/changes/drift.ts";
import { before, jobDeletion, memoryTo, newJob, newService, plain, toFour } from "./support/changes.ts";

const thaw = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const sparse = { uid: undefined, status: undefined, size: undefined, memoryMiB: [undefined, 512], domains: [] };

test.each([
  ["an update", toFour],
  ["memory of the second container", memoryTo(1024, sparse)],
  ["a restart", plain("restartService")],
  ["a new service", newService({ target_instance_size: 3 })],
  ["a new job", newJob],
  ["the deletion of a job", jobDeletion],
] as const)("%s comes back from JSON as it was, with its digest", (_, change) => {
  const back = Change.parse(thaw(change));

  expect(back).toEqual(change);
  expect(digestOf(back)).toBe(digestOf(change));
});

test.each([
  ["a read", { ...toFour, call: { ...toFour.call, op: "getService" } }],
  ["a path that is none", { ...toFour, call: { ...toFour.call, path: ["web"] } }],
  ["no workload", { ...toFour, workload: undefined }],
] as const)("%s is no change", (_, stored) => {
  expect(Change.safeParse(thaw(stored)).success).toBe(false);
});

test.each([
  { kind: "done", after: before, alsoMoved: ["memory 512 → 256"] },
  { kind: "done", after: undefined, alsoMoved: [] },
  { kind: "asked", after: sparse, why: "Its status is Starting." },
  { kind: "failed", why: "No.", next: "Ask again." },
  { kind: "unknown", after: "unread", why: "No answer.", next: "Look." },
  { kind: "unknown", after: undefined, why: "No answer.", next: "Look." },
] as const)("the outcome $kind comes back from JSON as it was", (outcome) => {
  expect(Outcome.parse(thaw(outcome))).toEqual(outcome);
});
