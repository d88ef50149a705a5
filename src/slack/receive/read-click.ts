import { Ask } from "../../commands/ask.ts";
import type { ReadCommand } from "../../commands/command.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import { UserError } from "../../errors.ts";
import type { Message } from "../../views/kit/message.ts";
import { NONE } from "../../views/kit/menu.ts";
import { jsonIn } from "./json-in.ts";
import type { Origin } from "../../workflow/origin.ts";
import { answerRead } from "../../workflow/answer-read.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Asked, Shell } from "../../workflow/shell.ts";

type Looking = {
  readonly actionId: string;
  readonly blockId: string;
  readonly value: string;
  readonly origin: Origin;
  readonly tell: (message: Message) => Promise<void>;
};

/** A button that carries an Ask, or a menu in which a workload was chosen. */
export function onReadClick(shell: Shell, looking: Looking): Promise<void> | undefined {
  const { origin, tell } = looking;
  if (looking.value === NONE) return tell(sentences.nothingChosen());
  const asked = askOf(looking);
  const { command: typed } = shell.settings;
  if (asked === undefined) return tell(sentences.staleButton(typed));
  if (asked.command === "writes") return tell(sentences.writeButton(typed));
  const { command, ask } = asked;
  const where = isPaging(ask, looking) ? origin : beside(origin);
  const isTaken = shell.lanes.add({ lane: "people", owner: origin.userId }, (signal) =>
    answerRead(shell, { command, ask, origin: where }, signal),
  );
  return isTaken ? undefined : tell(sentences.busy());
}

/** Another page, or the same anew, takes the place of what stands there; everything else is said beside it. */
function isPaging({ verb }: Ask, { actionId }: Looking): boolean {
  return !actionId.startsWith("pick:") && verb !== "logs";
}

function beside({ replaces: _replaces, ...origin }: Origin): Origin {
  return origin;
}

/** Where a list was made, as its menu carries it. */
export function regionOfBlock(blockId: string): string | undefined {
  return /^region:(.+)$/u.exec(blockId)?.[1];
}

type Readable = (Pick<Asked, "ask"> & { readonly command: ReadCommand }) | { readonly command: "writes" };

/** What is asked for; undefined when it is none of ours, or of a version whose words are no longer known. */
function askOf({ actionId, blockId, value }: Looking): Readable | undefined {
  // What is chosen is shown, with all that can be done with it, from where it was listed.
  const region = regionOfBlock(blockId);
  const chosen = { verb: "show", ...(region !== undefined && { region }), share: false, args: { name: value } };
  if (actionId.startsWith("pick:")) return readable(chosen);
  return actionId.startsWith("ask:") ? readable(jsonIn(value)) : undefined;
}

function readable(value: unknown): Readable | undefined {
  const ask = Ask.safeParse(value);
  if (!ask.success) return undefined;
  try {
    const command = commandOf(ask.data);
    // A button's value can be old, and one day somebody may forge a message: only what looks may hang on it.
    return command.effect === "read" ? { command, ask: ask.data } : { command: "writes" };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
