import { connect, disconnect, whoami } from "./verbs/account.ts";
import { canICommand } from "./verbs/can-i/can-i.ts";
import type { Ask } from "../ask.ts";
import type { Change } from "../changes/change.ts";
import type { Command } from "./command.ts";
import { create } from "./verbs/create/create.ts";
import { remove } from "./verbs/delete.ts";
import { approve, cancel, reject, pending } from "./verbs/approvals.ts";
import { deploy } from "./verbs/deploy/deploy.ts";
import { env } from "./verbs/deploy/env.ts";
import { rollback } from "./verbs/deploy/rollback.ts";
import { versions } from "./verbs/deploy/versions.ts";
import { domains } from "./verbs/domains.ts";
import { helpCommand } from "./verbs/help.ts";
import { historyCommand } from "./verbs/history.ts";
import { list } from "./verbs/list/list.ts";
import { logs } from "./verbs/logs/logs.ts";
import { unfollow } from "./verbs/logs/following.ts";
import { memory } from "./verbs/memory.ts";
import { restart, start, stop } from "./verbs/power.ts";
import { run } from "./verbs/run.ts";
import { scale } from "./verbs/scale.ts";
import { showCommand } from "./verbs/show/show.ts";
import { status, version } from "./verbs/status.ts";
import { undo } from "./verbs/undo.ts";
import { use } from "./verbs/use.ts";
import { mute, unmute, unwatch, watch } from "./verbs/watch/watch.ts";
import { watches } from "./verbs/watch/watches.ts";
import { whyCommand } from "./verbs/why/why.ts";

const help = helpCommand(() => commands);
const history = historyCommand(() => commands);
const show = showCommand(() => commands);
const why = whyCommand(() => commands);
const canI = canICommand(() => commands);

/** Every verb, in the order in which help shows them. */
export const commands: readonly Command[] = [
  list,
  show,
  why,
  versions,
  logs,
  unfollow,
  create,
  run,
  scale,
  memory,
  domains,
  start,
  stop,
  restart,
  deploy,
  rollback,
  env,
  remove,
  undo,
  pending,
  approve,
  reject,
  cancel,
  watch,
  watches,
  unwatch,
  mute,
  unmute,
  history,
  canI,
  whoami,
  status,
  use,
  connect,
  disconnect,
  version,
  help,
];

/**
 * The Ask that takes a Change back. Undefined when no verb can (delete, restart, create), when the Change changed
 * nothing, and when the old value is unknown or not allowed any more. The undo is a Change of its own, under policy.
 * `requestId` is the request of the Change. Pure.
 */
export function undoAsk(change: Change, requestId: string): Ask | undefined {
  const { workload, diff } = change;
  if (diff.length === 0) return undefined;
  for (const command of commands) {
    const args = command.effect === "write" ? command.undo?.(change, requestId) : undefined;
    if (args === undefined) continue;
    const name = `${workload.kind}/${workload.name}`;
    return { verb: command.name, region: workload.region, share: false, args: { name, ...args } };
  }
  return undefined;
}
