import type { Change } from "./change.ts";
import { isHealthy, isIdle, isStatus, levelOf } from "../../api/workload-status.ts";
import {
  isAnother,
  type Snapshot,
  isReported,
  updatableFields,
  NOT_REPORTED,
  unlikeRequest,
} from "./updatable-fields.ts";

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
    .filter(
      ({ wanted, before, now, follows }) =>
        wanted === undefined && !follows && before !== now && isReported(before + now),
    )
    .map(({ label, before, now }) => `${label} ${before} → ${now}`);
}

function done(): Effect {
  return { kind: "done", alsoMoved: [] };
}

function notYet(why: string): Effect {
  return { kind: "not-yet", why };
}

/**
 * Evidence from reading back a workload whose write got no answer.
 * - `took-effect`: it is as requested, wasn't before, and doesn't get there by itself
 * - `untouched`: it is unchanged; the request may still be on its way
 * - `moving`: neither; a later read may show more
 * - `cannot-tell`: no read will show it
 */
export type Evidence =
  | { readonly kind: "took-effect"; readonly alsoMoved: readonly string[] }
  | { readonly kind: "untouched"; readonly still: string }
  | { readonly kind: "moving"; readonly why: string }
  | { readonly kind: "cannot-tell"; readonly why: string };

/** Evidence from one read. Pure. */
export function evidenceOf(change: Change, after: Snapshot): Evidence {
  const { call } = change;
  switch (call.op) {
    case "createService":
      return creationEvidence(change, after, after && unlikeRequest(call.body, after));
    case "createJob":
      return creationEvidence(change, after, undefined);
    case "deleteService":
    case "deleteJob":
      return deletionEvidence(change, after);
    case "startService":
      return powerEvidence(change, after, { isTarget: isHealthy, isFirm: isIdle });
    case "stopService":
      return powerEvidence(change, after, { isTarget: isIdle, isFirm: isUp });
    case "restartService":
      return cannotTell(restartDoubt(change, after));
    case "updateService":
      return updateEvidence(change, after);
  }
}

/** The name was free before, and names belong to one account. */
function creationEvidence({ workload, before }: Change, after: Snapshot, other: string | undefined): Evidence {
  const { kind } = workload;
  if (before !== undefined) return cannotTell(`There was a ${kind} with this name before.`);
  if (after === undefined) return { kind: "untouched", still: `there is no ${kind} with this name` };
  if (other === undefined) return tookEffect();
  return cannotTell(`A ${kind} with this name exists now, with ${other}. Somebody else may have created it.`);
}

function deletionEvidence(change: Change, after: Snapshot): Evidence {
  if (change.before === undefined) return cannotTell("It didn't exist before.");
  // Deleted, or deleted and created again by someone else.
  if (after === undefined || goneOrReplaced(change, after) !== undefined) return tookEffect();
  const isGoing = isStatus(after.status, "deleting");
  if (!isGoing && after.status?.toLowerCase() === change.before.status?.toLowerCase())
    return { kind: "untouched", still: `it still exists${statusOf(after)}` };
  return moving(`It still exists${statusOf(after)}.`);
}

/** A service with such a status won't stop without help. */
function isUp(status: string): boolean {
  const level = levelOf(status);
  return level === "healthy" || level === "failing" || isStatus(status, "starting") || isStatus(status, "updating");
}

/** A request without an answer isn't proven by a restart: somebody else or a crash may have caused it. */
function restartDoubt(change: Change, after: Snapshot): string {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return lost;
  const status = after?.status === undefined ? "" : ` Right after, the service was ${after.status.toLowerCase()}.`;
  const seen = restartSeen(change.before, after);
  if (seen === undefined) return `The workload API doesn't report restarts.${status}`;
  return seen ? "It restarted, which can have other causes." : `It hasn't restarted yet.${status}`;
}

type Power = {
  readonly isTarget: (status: string) => boolean;
  /** A service with such a status won't reach the target without help. Other statuses prove nothing. */
  readonly isFirm: (status: string) => boolean;
};

function powerEvidence(change: Change, after: Snapshot, { isTarget, isFirm: isFirmStatus }: Power): Evidence {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return cannotTell(lost);
  const then = change.before?.status;
  const now = after?.status;
  if (now === undefined) return cannotTell("Its status is unknown.");
  const isFirm = then !== undefined && isFirmStatus(then);
  if (isTarget(now))
    return isFirm
      ? tookEffect()
      : cannotTell(
          `It is ${now.toLowerCase()} and was ${then?.toLowerCase() ?? NOT_REPORTED}, which can have other causes.`,
        );
  return isFirm && now.toLowerCase() === then.toLowerCase()
    ? { kind: "untouched", still: `it is still ${now.toLowerCase()}` }
    : moving(`It is ${now.toLowerCase()}.`);
}

function updateEvidence(change: Change, after: Snapshot): Evidence {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return cannotTell(lost);
  const asked = updatableFields(change, after).filter(({ wanted }) => wanted !== undefined);
  const words = asked.map(({ label, now }) => `${label} ${now}`).join(", ");
  const hidden = asked.filter(({ now }) => !isReported(now)).map(({ label }) => label);
  if (hidden.length > 0) return cannotTell(`The workload API doesn't report ${hidden.join(" and ")}.`);
  // A value that wasn't reported before may always have been as requested.
  const known = asked.filter(({ before, wanted }) => isReported(before) && before !== wanted);
  if (known.length === 0) return cannotTell(`Now: ${words}. The earlier value is unknown.`);
  if (asked.every(({ now, wanted }) => now === wanted)) return tookEffect(alsoMoved(change, after));
  if (known.every(({ now, before }) => now === before)) {
    return { kind: "untouched", still: known.map(({ label, now }) => `${label} still ${now}`).join(", ") };
  }
  return moving(`Now: ${words}, neither the old value nor the requested one. Somebody else may have set it.`);
}

function statusOf(after: Snapshot): string {
  return after?.status === undefined ? "" : ` (${after.status.toLowerCase()})`;
}

function tookEffect(moved: readonly string[] = []): Evidence {
  return { kind: "took-effect", alsoMoved: moved };
}

function moving(why: string): Evidence {
  return { kind: "moving", why };
}

function cannotTell(why: string): Evidence {
  return { kind: "cannot-tell", why };
}
