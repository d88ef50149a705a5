import type { Change } from "./change.ts";
import { dependsOn, THE_WORKLOAD } from "./depends-on.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Drift } from "./stored-change.ts";

/**
 * What moved of the fields that a Change depends on, between its request and now: a row for each, in words. Empty when
 * none did; whether one did is for `digestOf` to say, this says which. Of a workload that is gone, or is another one of
 * the same name, only that is said. Pure.
 */
export function driftOf(change: Change, now: Snapshot): Drift[] {
  const before = dependsOn(change, change.before);
  const today = new Map(dependsOn(change, now).map(({ field, value }) => [field, value]));
  const moved = before.filter(({ field, value }) => today.get(field) !== value);
  if (moved.some(({ field }) => field === THE_WORKLOAD)) return [whichDrift(change, now)];
  return moved.map(({ field, value, asked }) => drift(field, [value, today.get(field) ?? "gone", asked]));
}

function whichDrift({ before }: Change, now: Snapshot): Drift {
  if (before === undefined) return drift(THE_WORKLOAD, ["nothing had this name", "it exists", "a new one"]);
  if (now === undefined) return drift(THE_WORKLOAD, ["it existed", "deleted", undefined]);
  return drift(THE_WORKLOAD, ["the one that was asked about", "another one of this name, made since", undefined]);
}

/** Nothing moved that has a name here, and the digest is another one all the same: what counts was changed by an update. */
export const otherDigest: Drift = drift(THE_WORKLOAD, [
  "compared as another version of Gantry does",
  "not comparable",
  undefined,
]);

type Words = readonly [before: string, now: string, asked: string | undefined];

function drift(field: string, [before, now, asked]: Words): Drift {
  // oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
  return { field, then: before, now, asked };
}
