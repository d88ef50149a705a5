import { approve } from "./verbs/approve.ts";
import { cancel } from "./verbs/cancel.ts";
import { canICommand } from "./verbs/can-i/can-i.ts";
import type { Command } from "./command.ts";
import { connect } from "./verbs/connect.ts";
import { create } from "./verbs/create/create.ts";
import { remove } from "./verbs/delete.ts";
import { disconnect } from "./verbs/disconnect.ts";
import { domains } from "./verbs/domains.ts";
import { helpCommand } from "./verbs/help/help.ts";
import { history } from "./verbs/history/history.ts";
import { list } from "./verbs/list/list.ts";
import { logs } from "./verbs/logs/logs.ts";
import { memory } from "./verbs/memory.ts";
import { pending } from "./verbs/pending/pending.ts";
import { reject } from "./verbs/decisions.ts";
import { restart } from "./verbs/restart.ts";
import { scale } from "./verbs/scale.ts";
import { show } from "./verbs/show/show.ts";
import { start } from "./verbs/start.ts";
import { stop } from "./verbs/stop.ts";
import { use } from "./verbs/use/use.ts";
import { whoami } from "./verbs/whoami/whoami.ts";

const help = helpCommand(() => commands);
const canI = canICommand(() => commands);

/** Every verb, in the order in which help shows them. */
export const commands: readonly Command[] = [
  list,
  show,
  logs,
  create,
  scale,
  memory,
  domains,
  start,
  stop,
  restart,
  remove,
  pending,
  approve,
  reject,
  cancel,
  history,
  canI,
  whoami,
  use,
  connect,
  disconnect,
  help,
];
