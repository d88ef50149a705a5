import type { Change } from "../changes/change.ts";
import type { Ask } from "./ask.ts";
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
