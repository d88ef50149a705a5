import type { Change } from "./change.ts";
import type { Snapshot } from "./snapshot.ts";
import { NOT_TOLD, updatableFields } from "./updatable-fields.ts";

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
  const which = { field: THE_WORKLOAD, value: whichOne(snapshot), asked: undefined };
  if (snapshot === undefined) return [which];
  return [which, ...fieldsOf(change, snapshot)];
}

function whichOne(snapshot: Snapshot): string {
  if (snapshot === undefined) return "does not exist";
  return `id ${snapshot.uid ?? NOT_TOLD}`;
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
