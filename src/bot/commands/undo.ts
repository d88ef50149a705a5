import type { Change } from "../changes/change.ts";
import { isReported, updatableFields } from "../changes/updatable-fields.ts";
import type { Ask } from "../ask.ts";
import { commands } from "./verbs.ts";

/**
 * The Ask that takes a Change back. Undefined when no verb can (delete, restart, create), when the Change changed
 * nothing, and when the old value is unknown or not allowed any more. The undo is a Change of its own, under policy.
 * Pure.
 */
export function undoAsk(change: Change): Ask | undefined {
  const { workload, diff } = change;
  if (diff.length === 0) return undefined;
  for (const command of commands) {
    const args = command.effect === "write" ? command.undo?.(change) : undefined;
    if (args === undefined) continue;
    const name = `${workload.kind}/${workload.name}`;
    return { verb: command.name, region: workload.region, share: false, args: { name, ...args } };
  }
  return undefined;
}

/** Why a Change can't be taken back: the API didn't report what it replaced. Undefined for other reasons. Pure. */
export function unknownBefore(change: Change): string | undefined {
  const lost = updatableFields(change, change.before)
    .filter(({ wanted, before }) => wanted !== undefined && !isReported(before))
    .map(({ label }) => label);
  return lost.length === 0 ? undefined : `The workload API didn't report the earlier ${lost.join(" and ")}.`;
}
