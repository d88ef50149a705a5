import type { Change } from "./change.ts";
import type { Snapshot } from "./snapshot.ts";
import { NOT_REPORTED, updatableFields } from "./updatable-fields.ts";
import { createHash } from "node:crypto";
import type { Drift } from "./stored-change.ts";

/** A field that a Change depends on: its label, and its value in words. */
export type Dependency = {
  readonly field: string;
  readonly value: string;
  /** What the Change would make of it; undefined where it only depends on it. */
  readonly asked: string | undefined;
};

/** The label of the row that says which workload it is, or that there is none. */
export const THE_WORKLOAD = "the workload";

/**
 * What a Change depends on, as it stands in `snapshot`: first which workload it is, then the fields that its operation
 * changes. Everything else (status words, times, ports, addresses, resourceVersion) moves by itself and never counts.
 * Pure.
 */
export function dependsOn(change: Change, snapshot: Snapshot): readonly Dependency[] {
  const which = { field: THE_WORKLOAD, value: identityText(snapshot), asked: undefined };
  if (snapshot === undefined) return [which];
  return [which, ...fieldsOf(change, snapshot)];
}

function identityText(snapshot: Snapshot): string {
  if (snapshot === undefined) return "does not exist";
  return `id ${snapshot.uid ?? NOT_REPORTED}`;
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

/** Coarse: between the words for a service that is not stopped it moves by itself. */
function powerOf({ status }: NonNullable<Snapshot>): string {
  return status === "Stopped" ? "stopped" : "not stopped";
}

/**
 * A sha-256 in hex over the workload's identity and the fields that the Change depends on, as they were read before:
 * equal digests of the same Call mean that nothing it depends on has moved. Lists in a fixed order keep the JSON
 * canonical. Pure.
 */
export function digestOf(change: Change): string {
  const { kind, region, name } = change.workload;
  const fields = dependsOn(change, change.before).map(({ field, value }) => [field, value]);
  return createHash("sha256")
    .update(JSON.stringify([kind, region, name, fields]))
    .digest("hex");
}

/**
 * What moved of the fields that a Change depends on, between its request and now: a row for each, in words. Empty when
 * none did; whether one did is for `digestOf` to say, this says which. Of a workload that is gone, or is another one of
 * the same name, only that is said. Pure.
 */
export function driftOf(change: Change, now: Snapshot): Drift[] {
  const before = dependsOn(change, change.before);
  const today = new Map(dependsOn(change, now).map(({ field, value }) => [field, value]));
  const moved = before.filter(({ field, value }) => today.get(field) !== value);
  if (moved.some(({ field }) => field === THE_WORKLOAD)) return [workloadDrift(change, now)];
  return moved.map(({ field, value, asked }) => drift(field, [value, today.get(field) ?? "gone", asked]));
}

function workloadDrift({ before }: Change, now: Snapshot): Drift {
  if (before === undefined) return drift(THE_WORKLOAD, ["nothing had this name", "it exists", "a new one"]);
  if (now === undefined) return drift(THE_WORKLOAD, ["it existed", "deleted", undefined]);
  return drift(THE_WORKLOAD, ["the one that was asked about", "another one of this name, made since", undefined]);
}

/** Nothing moved that has a name here, and the digest is another one all the same: what counts was changed by an update. */
export const unexplainedDrift: Drift = drift(THE_WORKLOAD, [
  "compared as another version of Gantry does",
  "not comparable",
  undefined,
]);

type Words = readonly [before: string, now: string, asked: string | undefined];

function drift(field: string, [before, now, asked]: Words): Drift {
  // oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
  return { field, then: before, now, asked };
}
