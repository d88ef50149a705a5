import type { Change } from "./change.ts";
import { isAnother, type Snapshot } from "./snapshot.ts";
import { updatableFields } from "./updatable-fields.ts";

/**
 * The effect of an accepted Change, from reading the workload back.
 * - `done`: the workload is as requested; `alsoMoved` lists other updatable fields that changed meanwhile
 * - `not-yet`: the effect isn't visible, or can't be
 * - `nothing`: an update was accepted, but every field it sets has its old value
 */
export type Effect =
  | { readonly kind: "done"; readonly alsoMoved: readonly string[] }
  | { readonly kind: "not-yet"; readonly why: string }
  | { readonly kind: "nothing"; readonly still: readonly string[] };

/** Compares the request with the workload read back. Pure. */
export function effectOf(change: Change, after: Snapshot): Effect {
  switch (change.call.op) {
    case "createService":
    case "createJob":
      return after === undefined ? notYet("The workload API doesn't list it yet.") : done();
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
  // Another workload of this name was created after the deletion.
  if (after === undefined || isAnother(workload.uid, after.uid)) return done();
  return notYet(`It still exists${after.status === undefined ? "" : ` (${after.status.toLowerCase()})`}.`);
}

/** The API doesn't report restarts, so the effect of one is never visible. */
export function restartUnseen(after: Snapshot): string {
  const status = after?.status === undefined ? "" : ` Right after, the service was ${after.status.toLowerCase()}.`;
  return `The workload API doesn't report restarts.${status}`;
}

function statusEffect(change: Change, after: Snapshot, wanted: string): Effect {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return notYet(lost);
  return after?.status === wanted
    ? done()
    : notYet(after?.status === undefined ? "Its status is unknown." : `It is ${after.status.toLowerCase()}.`);
}

function updateEffect(change: Change, after: Snapshot): Effect {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return notYet(lost);
  const fields = updatableFields(change, after);
  const asked = fields.filter(({ wanted }) => wanted !== undefined);
  const open = asked.filter(({ wanted, now }) => wanted !== now);
  if (open.length === 0) return { kind: "done", alsoMoved: alsoMoved(change, after) };
  const still = open.filter(({ before, now }) => before === now).map(({ label, now }) => `${label} still ${now}`);
  if (still.length === asked.length) return { kind: "nothing", still };
  return notYet(`Not visible yet: ${open.map(({ label, now }) => `${label} ${now}`).join(", ")}.`);
}

/** Why the changed workload no longer exists; undefined when it does. Pure. */
export function goneOrReplaced({ workload }: Change, after: Snapshot): string | undefined {
  if (after === undefined) return `The ${workload.kind} doesn't exist any more.`;
  return isAnother(workload.uid, after.uid) ? "It was deleted and created again meanwhile." : undefined;
}

/** Updatable fields that changed although the update didn't set them. Pure. */
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
