import { approve } from "./approve.ts";
import { cancel } from "./cancel.ts";
import { canICommand } from "./can-i.ts";
import type { Command } from "./command.ts";
import { connect } from "./connect.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { disconnect } from "./disconnect.ts";
import { domains } from "./domains.ts";
import { helpCommand } from "./help.ts";
import { history } from "./history.ts";
import { list } from "./list.ts";
import { logs } from "./logs.ts";
import { memory } from "./memory.ts";
import { pending } from "./pending.ts";
import { reject } from "./reject.ts";
import { restart } from "./restart.ts";
import { scale } from "./scale.ts";
import { show } from "./show.ts";
import { start } from "./start.ts";
import { stop } from "./stop.ts";
import { use } from "./use.ts";
import { whoami } from "./whoami.ts";

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
