import type { Change } from "./change.ts";
import { isHealthy, isIdle, isStatus } from "../../api/workload-status.ts";
import { isAnother, type Snapshot } from "./updatable-fields.ts";
import { isReported, updatableFields } from "./updatable-fields.ts";

/**
 * The effect of an accepted Change, from reading the workload back.
 * - `done`: the workload is as requested; `alsoMoved` lists other updatable fields that changed meanwhile
 * - `not-yet`: the effect isn't visible yet
 * - `unseen`: no read will show it, because the API doesn't report `what`
 * - `nothing`: an update was accepted, but every field it sets has its old value
 */
export type Effect =
  | { readonly kind: "done"; readonly alsoMoved: readonly string[] }
  | { readonly kind: "not-yet"; readonly why: string }
  | { readonly kind: "unseen"; readonly what: string }
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
      return statusEffect(change, after, isHealthy);
    case "stopService":
      return statusEffect(change, after, isIdle);
    case "restartService":
      return restartEffect(change, after);
    case "updateService":
      return updateEffect(change, after);
  }
}

function deletionEffect({ workload }: Change, after: Snapshot): Effect {
  // Another workload of this name was created after the deletion.
  if (after === undefined || isAnother(workload.uid, after.uid)) return done();
  return notYet(`It still exists${after.status === undefined ? "" : ` (${after.status.toLowerCase()})`}.`);
}

function restartEffect(change: Change, after: Snapshot): Effect {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return notYet(lost);
  switch (restartSeen(change.before, after)) {
    case true:
      return done();
    case false:
      return notYet("It hasn't restarted yet.");
    default:
      return { kind: "unseen", what: "restarts" };
  }
}

/** Words of a service whose instances are being replaced. */
const RESTARTING = /^(?:re-?start|start|stop|updat|pending|(?:re-?)?deploy|rolling)/iu;

/**
 * Whether a service restarted between two reads: it began another status, or is on its way. The API's document has no
 * field for that, so undefined, which is unknown, is usual outside our own service. Pure.
 */
export function restartSeen(before: Snapshot, after: Snapshot): boolean | undefined {
  const status = after?.status ?? "";
  if (RESTARTING.test(status) && !isIdle(status) && !isHealthy(status) && !isStatus(before?.status, status))
    return true;
  return after?.since === undefined ? undefined : after.since !== before?.since;
}

function statusEffect(change: Change, after: Snapshot, isWanted: (status: string) => boolean): Effect {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return notYet(lost);
  if (after?.status === undefined) return { kind: "unseen", what: "its status" };
  return isWanted(after.status) ? done() : notYet(`It is ${after.status.toLowerCase()}.`);
}

function updateEffect(change: Change, after: Snapshot): Effect {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return notYet(lost);
  const fields = updatableFields(change, after);
  const asked = fields.filter(({ wanted }) => wanted !== undefined);
  const open = asked.filter(({ wanted, now }) => wanted !== now);
  if (open.length === 0) return { kind: "done", alsoMoved: alsoMoved(change, after) };
  const visible = open.filter(({ now }) => isReported(now));
  if (visible.length === 0) return { kind: "unseen", what: open.map(({ label }) => label).join(" and ") };
  const still = visible.filter(({ before, now }) => before === now).map(({ label, now }) => `${label} still ${now}`);
  if (still.length === asked.length) return { kind: "nothing", still };
  return notYet(`Not visible yet: ${visible.map(({ label, now }) => `${label} ${now}`).join(", ")}.`);
}

/** Why the changed workload no longer exists; undefined when it does. Pure. */
export function goneOrReplaced({ workload }: Change, after: Snapshot): string | undefined {
  if (after === undefined) return `The ${workload.kind} doesn't exist any more.`;
  return isAnother(workload.uid, after.uid) ? "It was deleted and created again meanwhile." : undefined;
}

/** Updatable fields that changed although the update didn't set them. Pure. */
export function alsoMoved(change: Change, after: Snapshot): string[] {
  return updatableFields(change, after)
    .filter(({ wanted, before, now }) => wanted === undefined && before !== now && isReported(before + now))
    .map(({ label, before, now }) => `${label} ${before} → ${now}`);
}

function done(): Effect {
  return { kind: "done", alsoMoved: [] };
}

function notYet(why: string): Effect {
  return { kind: "not-yet", why };
}
