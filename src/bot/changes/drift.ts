import type { Change } from "./change.ts";
import { NOT_REPORTED, type Snapshot, updatableFields } from "./updatable-fields.ts";
import { isIdle, isStatus } from "../../api/workload-status.ts";
import { createHash } from "node:crypto";
import { type Drift, HEALTH_FIELD } from "./stored-change.ts";

/** A field that a Change depends on, with its value in words. */
export type Dependency = {
  readonly field: string;
  readonly value: string;
  /** The requested value; undefined when the Change doesn't set the field. */
  readonly asked: string | undefined;
};

/** The label of the identity row. */
export const THE_WORKLOAD = "the workload";

/**
 * The values in `snapshot` that a Change depends on: the workload's identity, then the fields that the operation sets.
 * Everything else (status, times, ports, addresses, resourceVersion) changes by itself and is ignored. Pure.
 */
export function dependsOn(change: Change, snapshot: Snapshot): readonly Dependency[] {
  if (snapshot === undefined) return [{ field: THE_WORKLOAD, value: "doesn't exist", asked: undefined }];
  const which = { field: THE_WORKLOAD, value: `id ${snapshot.uid ?? NOT_REPORTED}`, asked: undefined };
  return [which, ...fieldsOf(change, snapshot)];
}

function fieldsOf(change: Change, snapshot: NonNullable<Snapshot>): Dependency[] {
  switch (change.call.op) {
    case "updateService":
      return updatableFields(change, snapshot)
        .filter(({ wanted }) => wanted !== undefined)
        .map(({ label, wanted, now }) => ({ field: label, value: now, asked: wanted }));
    case "startService":
      return [{ field: "power", value: powerOf(snapshot), asked: "running" }];
    case "stopService":
      return [{ field: "power", value: powerOf(snapshot), asked: "stopped" }];
    case "restartService":
    case "deleteService":
    case "deleteJob":
    case "createService":
    case "createJob":
      return [];
  }
}

/** What was asked for last. Without a request, a running service changes its status, and a stopping one ends as stopped. */
function powerOf({ status }: NonNullable<Snapshot>): string {
  if (status === undefined) return NOT_REPORTED;
  return isIdle(status) || isStatus(status, "stopping") ? "stopped" : "not stopped";
}

/**
 * SHA-256, in hex, of the workload's identity and the fields that the Change depends on. Equal digests of one Call mean
 * that nothing it depends on has changed. Lists in a fixed order make the JSON canonical. Pure.
 */
export function digestOf(change: Change): string {
  const { kind, region, name } = change.workload;
  const fields = dependsOn(change, change.before).map(({ field, value }) => [field, value]);
  return createHash("sha256")
    .update(JSON.stringify([kind, region, name, fields]))
    .digest("hex");
}

/**
 * The fields that a Change depends on and that changed since its request, one row each. `digestOf` decides whether
 * something changed; this names it. For a deleted or replaced workload, there is only that row. Pure.
 */
export function driftOf(change: Change, now: Snapshot): Drift[] {
  const before = dependsOn(change, change.before);
  const today = new Map(dependsOn(change, now).map(({ field, value }) => [field, value]));
  const moved = before.filter(({ field, value }) => today.get(field) !== value);
  if (moved.some(({ field }) => field === THE_WORKLOAD)) return [workloadDrift(change, now)];
  return moved.map(({ field, value, asked }) => drift(field, [value, today.get(field) ?? "gone", asked]));
}

function workloadDrift({ before }: Change, now: Snapshot): Drift {
  if (before === undefined) return drift(THE_WORKLOAD, ["didn't exist", "exists", "a new one"]);
  if (now === undefined) return drift(THE_WORKLOAD, ["existed", "deleted", undefined]);
  return drift(THE_WORKLOAD, ["the original", "another one with this name", undefined]);
}

export function gotHealthy(revision: number | undefined): Drift {
  const now = revision === undefined ? "healthy" : `healthy on ${revision}`;
  return drift(HEALTH_FIELD, ["the new instances didn't get ready", now, undefined]);
}

/** The digest differs but no field does: another version of Gantry computed it. */
export const unexplainedDrift: Drift = drift(THE_WORKLOAD, [
  "requested with another version of Gantry",
  "can't be compared",
  undefined,
]);

type Words = readonly [before: string, now: string, asked: string | undefined];

function drift(field: string, [before, now, asked]: Words): Drift {
  // oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
  return { field, then: before, now, asked };
}
