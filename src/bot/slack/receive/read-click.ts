import { Ask } from "../../ask.ts";
import type { Command, ReadCommand } from "../../commands/command.ts";
import { commandOf } from "../../commands/grammar/parse.ts";
import { UserError } from "../../errors.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { answerRead } from "../../workflow/propose/answer.ts";
import type { Origin } from "../../workflow/origin.ts";
import { sendAnswer } from "../../workflow/reply.ts";
import type { WorkspaceParts } from "../parts.ts";

type Reading = {
  /** What the button or menu carried: an Ask, if it is of this version of Gantry. */
  readonly value: unknown;
  readonly origin: Origin;
  /** The thread of the message with the button: logs stay in it. */
  readonly threadTs?: string | undefined;
  /** The message stays as it is, also when the answer would be another page of it. */
  readonly isBeside?: boolean;
};

/** Runs an Ask that only reads. A button's value may be old or forged, so nothing else runs from it. */
export async function onReadClick(parts: WorkspaceParts, reading: Reading): Promise<void> {
  const { origin, threadTs, isBeside = false } = reading;
  const { lanes, responder, settings } = parts;
  const read = readIn(reading.value);
  if (typeof read === "string") {
    const why = read === "stale" ? sentences.staleButton : sentences.writeButton;
    return lanes.track(responder.tellPatiently(why(settings.command), origin));
  }
  const { ask, command } = read;
  const { replaces, ...below } = origin;
  if (!isBeside && isPaging(ask, origin)) return answerLater(parts, { command, ask, origin });
  if (ask.verb !== "logs") return answerLater(parts, { command, ask, origin: below });
  // Logs requested from a message that only one person sees are for that person, except to share them.
  if (ask.share || replaces !== "ephemeral") {
    return answerLater(parts, { command, ask, origin: { ...below, threadTs } });
  }
  return answerLater(parts, { command, ask: { ...ask, args: { ...ask.args, private: true } }, origin: below });
}

/** The read that a button or menu carries; `stale` for none of this version, `no-read` for what would change something. */
export function readIn(value: unknown): Pick<Read, "ask" | "command"> | "stale" | "no-read" {
  const ask = Ask.safeParse(value).data;
  const command = ask && knownCommand(ask);
  if (ask === undefined || command === undefined) return "stale";
  return command.effect === "read" ? { ask, command } : "no-read";
}

/**
 * Another page, or a refresh, replaces the message; everything else is answered below it. A thread keeps all its pages of
 * a log, because other people read them too.
 */
function isPaging({ verb, args }: Ask, { replaces }: Origin): boolean {
  if (verb === "logs") return args["private"] === true && replaces === "ephemeral";
  // Only the pages of the waiting requests name one; "Review" on a card leaves the card where it is.
  return verb !== "pending" || args["page"] !== undefined;
}

/** Undefined for an Ask of a version whose words are no longer known. */
export function knownCommand(ask: Ask): Command | undefined {
  try {
    return commandOf(ask);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

type Read = { readonly command: ReadCommand; readonly ask: Ask; readonly origin: Origin };

/** Answers after the ack, in the lane for people. */
export async function answerLater(parts: WorkspaceParts, read: Read): Promise<void> {
  const { lanes, responder } = parts;
  const isTaken = lanes.add({ lane: "people", owner: read.origin.userId }, async (signal) => {
    const answer = await answerRead(parts, read, signal);
    if (answer !== undefined) await sendAnswer(parts, answer, read.origin);
  });
  if (!isTaken) await lanes.track(responder.tellPatiently(sentences.busy(), read.origin));
}
