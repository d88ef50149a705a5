import { Ask } from "../../ask.ts";
import type { ReadCommand } from "../../commands/command.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import { UserError } from "../../errors.ts";
import type { Message } from "../../views/kit/message.ts";
import { jsonIn } from "./view-payload.ts";
import type { Origin } from "../../workflow/origin.ts";
import { answerRead } from "../../workflow/answer/answer-read.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import type { Settings } from "../../commands/command.ts";
import type { DepsOf } from "../deps-of.ts";
import { NONE } from "../../views/kit/menu.ts";

export type ReadClickDeps = DepsOf<typeof answerRead> & {
  readonly lanes: Pick<Lanes, "add">;
  readonly settings: Settings;
};

type Looking = {
  readonly actionId: string;
  readonly blockId: string;
  readonly value: string;
  readonly origin: Origin;
  /** The thread of the message with the button: logs stay in it. */
  readonly threadTs?: string | undefined;
  readonly tell: (message: Message) => Promise<unknown>;
};

/** A button that carries an Ask, or a menu in which a workload was chosen. */
export async function onReadClick(deps: ReadClickDeps, looking: Looking): Promise<void> {
  const { origin, threadTs, tell } = looking;
  if (looking.value === NONE) return void (await tell(sentences.nothingChosen()));
  const asked = askOf(looking);
  const { command: typed } = deps.settings;
  if (asked === undefined) return void (await tell(sentences.staleButton(typed)));
  if (asked.command === "writes") return void (await tell(sentences.writeButton(typed)));
  const { command } = asked;
  const isMine = isForMe(asked.ask, origin);
  const ask = isMine ? privately(asked.ask) : asked.ask;
  const inThread = ask.verb === "logs" && !isMine ? { threadTs } : {};
  const where = isPaging(asked.ask, looking) ? origin : { ...beside(origin), ...inThread };
  const isTaken = deps.lanes.add({ lane: "people", owner: origin.userId }, (signal) =>
    answerRead(deps, { command, ask, origin: where }, signal),
  );
  if (!isTaken) await tell(sentences.busy());
}

/** Logs requested from a message that only one person sees are for that person, except to share them. */
function isForMe({ verb, share }: Ask, { replaces }: Origin): boolean {
  return verb === "logs" && !share && replaces === "ephemeral";
}

function privately(ask: Ask): Ask {
  return { ...ask, args: { ...ask.args, private: true } };
}

/**
 * Another page, or a refresh, replaces the message; everything else is answered below it. A thread keeps all its pages of
 * a log, because other people read them too.
 */
function isPaging({ verb, args }: Ask, { actionId, origin }: Looking): boolean {
  if (/^(?:pick|ask:beside):/u.test(actionId)) return false;
  if (verb === "logs") return args["private"] === true && origin.replaces === "ephemeral";
  // Only the pages of the waiting requests name one; "Review" on a card leaves the card where it is.
  return verb !== "pending" || args["page"] !== undefined;
}

function beside({ replaces: _replaces, ...origin }: Origin): Origin {
  return origin;
}

/** The region that a list was made for. */
export function regionOfBlock(blockId: string): string | undefined {
  return /^region:(.+)$/u.exec(blockId)?.[1];
}

type Readable = { readonly ask: Ask; readonly command: ReadCommand } | { readonly command: "writes" };

/** Undefined for buttons that are not ours, or carry an Ask of a version whose words are no longer known. */
function askOf({ actionId, blockId, value }: Looking): Readable | undefined {
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
    // A button's value may be old or forged, so only reads run from it.
    return command.effect === "read" ? { command, ask: ask.data } : { command: "writes" };
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
