import type { Change } from "./change.ts";
import { isHealthy, isIdle, isStatus, levelOf } from "../../api/workload-status.ts";
import { alsoMoved, goneOrReplaced, restartSeen } from "./effect.ts";
import { isReported, NOT_REPORTED, type Snapshot, unlikeRequest, updatableFields } from "./updatable-fields.ts";

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
