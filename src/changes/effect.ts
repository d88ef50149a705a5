import type { Change } from "./change.ts";
import { isAnother, type Snapshot } from "./snapshot.ts";
import { updatableFields } from "./updatable-fields.ts";

/**
 * What a workload that was read back says of a Change that the service accepted.
 * - `done`: it is as asked, `alsoMoved` names the other updatable fields that changed meanwhile
 * - `not-yet`: nothing contradicts it, and it is not (or cannot be) seen
 * - `nothing`: the service accepted an update and every field it names is what it was before
 */
export type Effect =
  | { readonly kind: "done"; readonly alsoMoved: readonly string[] }
  | { readonly kind: "not-yet"; readonly why: string }
  | { readonly kind: "nothing"; readonly still: readonly string[] };

/** Compares what was asked with what was read back. Pure. */
export function effectOf(change: Change, after: Snapshot): Effect {
  switch (change.call.op) {
    case "createService":
    case "createJob":
      return after === undefined ? notYet("It does not show in the service yet.") : done();
    case "deleteService":
    case "deleteJob":
      return deletionEffect(change, after);
    case "startService":
      return statusEffect(change, after, "Running");
    case "stopService":
      return statusEffect(change, after, "Stopped");
    case "restartService":
      return notYet(restartUnseen(after));
    case "updateService":
      return updateEffect(change, after);
  }
}

function deletionEffect({ workload }: Change, after: Snapshot): Effect {
  // A namesake was made by somebody else after the deletion.
  if (after === undefined || isAnother(workload.uid, after.uid)) return done();
  return notYet(`It is still there${after.status === undefined ? "" : `, with status ${after.status}`}.`);
}

/** Why a restart can never be seen. Pure. */
export function restartUnseen(after: Snapshot): string {
  const status = after?.status === undefined ? "" : `; right after, its status was ${after.status}`;
  return `A restart leaves no trace in what the service tells${status}.`;
}

function statusEffect(change: Change, after: Snapshot, wanted: string): Effect {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return notYet(lost);
  return after?.status === wanted ? done() : notYet(`Its status is ${after?.status ?? "not told"}.`);
}

function updateEffect(change: Change, after: Snapshot): Effect {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return notYet(lost);
  const fields = updatableFields(change, after);
  const asked = fields.filter(({ wanted }) => wanted !== undefined);
  const open = asked.filter(({ wanted, now }) => wanted !== now);
  if (open.length === 0) return { kind: "done", alsoMoved: alsoMoved(change, after) };
  const still = open.filter(({ before, now }) => before === now).map(({ label, now }) => `${label}: still ${now}`);
  if (still.length === asked.length) return { kind: "nothing", still };
  return notYet(`${open.map(({ label, now }) => `${label}: ${now}`).join(", ")}.`);
}

/** Why the workload that was changed cannot be seen any more; undefined when it can. Pure. */
export function goneOrReplaced({ workload }: Change, after: Snapshot): string | undefined {
  if (after === undefined) return `The ${workload.kind} is gone.`;
  return isAnother(workload.uid, after.uid) ? "It was deleted meanwhile, and made anew." : undefined;
}

/** The updatable fields that an update left alone, and that moved all the same. Pure. */
export function alsoMoved(change: Change, after: Snapshot): string[] {
  return updatableFields(change, after)
    .filter(({ wanted, before, now }) => wanted === undefined && before !== now)
    .map(({ label, before, now }) => `${label} ${before} → ${now}`);
}

function done(): Effect {
  return { kind: "done", alsoMoved: [] };
}

function notYet(why: string): Effect {
  return { kind: "not-yet", why };
}
