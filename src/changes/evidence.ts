import type { Call } from "../api/operations.ts";
import { parseMemoryMiB } from "../api/memory.ts";
import type { Change } from "./change.ts";
import { alsoMoved, goneOrReplaced, restartUnseen } from "./effect.ts";
import type { Snapshot } from "./snapshot.ts";
import { domainSet, NOT_REPORTED, updatableFields } from "./updatable-fields.ts";

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
      return creationEvidence(change, after, differenceFromRequest(call.body, after));
    case "createJob":
      return creationEvidence(change, after, undefined);
    case "deleteService":
    case "deleteJob":
      return deletionEvidence(change, after);
    case "startService":
      return powerEvidence(change, after, { target: "Running", from: ["Stopped"] });
    case "stopService":
      return powerEvidence(change, after, { target: "Stopped", from: ["Running", "Starting", "Updating", "Failed"] });
    case "restartService":
      return cannotTell(restartUnseen(after));
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

/** How the existing service differs from the requested one, comparing only reported fields. */
function differenceFromRequest(body: Call<"createService">["body"], after: Snapshot): string | undefined {
  if (after === undefined) return undefined;
  const { target_instance_size: size, containers, binding_domain_name: domains } = body;
  if (size !== undefined && after.size !== undefined && size !== after.size) {
    return `${after.size} instances instead of ${size}`;
  }
  const memory = containers.map((container) => parseMemoryMiB(container.resources?.limits?.memory));
  const isOtherMemory = memory.some((wanted, at) => {
    const now = after.memoryMiB[at];
    return wanted !== undefined && now !== undefined && wanted !== now;
  });
  if (isOtherMemory) return "other memory";
  // An empty list can mean that the service doesn't report domains.
  const now = String(domainSet(after.domains));
  return domains !== undefined && now !== "" && now !== String(domainSet(domains)) ? "other domains" : undefined;
}

function deletionEvidence(change: Change, after: Snapshot): Evidence {
  if (change.before === undefined) return cannotTell("It didn't exist before.");
  // Deleted, or deleted and created again by someone else.
  if (after === undefined || goneOrReplaced(change, after) !== undefined) return tookEffect();
  const isGoing = after.status === "Deleting";
  if (!isGoing && after.status === change.before.status)
    return { kind: "untouched", still: `it still exists${statusOf(after)}` };
  return moving(`It still exists${statusOf(after)}.`);
}

type Power = { readonly target: string; readonly from: readonly string[] };

/** `from`: the statuses from which a service doesn't reach the target by itself. Other statuses prove nothing. */
function powerEvidence(change: Change, after: Snapshot, { target, from }: Power): Evidence {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return cannotTell(lost);
  const then = change.before?.status;
  const now = after?.status;
  if (now === undefined) return cannotTell("Its status is unknown.");
  const isFirm = then !== undefined && from.includes(then);
  if (now === target)
    return isFirm
      ? tookEffect()
      : cannotTell(
          `It is ${now.toLowerCase()} and was ${then?.toLowerCase() ?? NOT_REPORTED}, which can have other causes.`,
        );
  return isFirm && now === then
    ? { kind: "untouched", still: `it is still ${now.toLowerCase()}` }
    : moving(`It is ${now.toLowerCase()}.`);
}

function updateEvidence(change: Change, after: Snapshot): Evidence {
  const lost = goneOrReplaced(change, after);
  if (lost !== undefined) return cannotTell(lost);
  const asked = updatableFields(change, after).filter(({ wanted }) => wanted !== undefined);
  const words = asked.map(({ label, now }) => `${label} ${now}`).join(", ");
  // A value that wasn't reported before may always have been as requested.
  const known = asked.filter(({ before, wanted }) => !before.includes(NOT_REPORTED) && before !== wanted);
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
