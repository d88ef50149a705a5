import type { Command } from "./command.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { domains } from "./domains.ts";
import { helpCommand } from "./help.ts";
import { list } from "./list.ts";
import { logs } from "./logs.ts";
import { memory } from "./memory.ts";
import { restart } from "./restart.ts";
import { scale } from "./scale.ts";
import { show } from "./show.ts";
import { start } from "./start.ts";
import { stop } from "./stop.ts";
import { whoami } from "./whoami.ts";

const help = helpCommand(() => commands);

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
  whoami,
  help,
];
