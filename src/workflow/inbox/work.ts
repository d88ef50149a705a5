import { StoreError } from "../../errors.ts";
import type { Message } from "../../views/kit/message.ts";
import { redo } from "../redo.ts";
import { noteBug } from "./bug-event.ts";
import { decide } from "../decide.ts";
import type { Interaction } from "./interaction.ts";
import { failureMessage, isBug } from "../failure.ts";
import { createFormReply } from "../../slack/modals/form-reply.ts";
import { homeLater } from "../../slack/home/draw.ts";
import { connect, disconnect } from "../link.ts";
import { propose } from "../propose.ts";
import type { RunEvents } from "../run.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../shell.ts";
import { createReply, type Reply } from "./reply.ts";
import type { Interrupted } from "./retry.ts";
import { bindChannel } from "../bind.ts";

/** Pauses after which words that reached nobody are said again: Slack may be away for minutes. */
const AGAIN_AFTER_MS = [5_000, 20_000, 45_000, 90_000];

/** Works on a delivery of ours until its interaction is done and everything about it was said. Never rejects because of Slack. */
export async function work(shell: Shell, given: Interrupted, signal: AbortSignal): Promise<void> {
  const { interaction, undelivered } = given;
  const reply = tellingOf(shell, interaction);
  try {
    if (undelivered === undefined) await perform(shell, { given, reply }, signal);
    else for (const { post, how } of undelivered) await reply.send(post, how);
  } catch (error) {
    const isAgain = error instanceof StoreError;
    // Tells them of an unreachable database once. The next attempt says what was left unsaid.
    if (!isAgain || given.tries === 0) await reply.send(await failure(shell, interaction, error), "refused");
    if (isAgain) return shell.unfinished.keep({ ...given, tries: given.tries + 1 }, 0);
  }
  return end(shell, { given, reply }, signal);
}

/** A run goes on after its delivery is finished. */
function runEvents(shell: Shell, interaction: Interaction, reply: Reply): RunEvents {
  const { origin } = interaction;
  return {
    onFailed: async (error) => reply.send(await failure(shell, interaction, error), "refused"),
    onEnded: () => void (origin.isHome === true && homeLater(shell, origin)),
  };
}

function tellingOf(shell: Shell, interaction: Interaction): Reply {
  if (interaction.kind !== "ask" || interaction.form === undefined)
    return createReply(shell.responder, interaction.origin);
  return createFormReply(shell, { form: interaction.form, origin: interaction.origin });
}

type Working = { readonly given: Interrupted; readonly reply: Reply };

/** It is over when everything was said; what was not is silence to who waits, and is said again, alone. */
async function end(shell: Shell, { given, reply }: Working, signal: AbortSignal): Promise<void> {
  const { id, interaction } = given;
  const undelivered = reply.undelivered();
  if (interaction.origin.isHome === true) homeLater(shell, interaction.origin);
  if (undelivered.length === 0) return finish(shell, id);
  // The next process, or another one, begins it again: everything behind it happens once.
  if (signal.aborted) return undefined;
  const tries = given.undelivered === undefined ? 0 : given.tries;
  const afterMs = AGAIN_AFTER_MS[tries];
  if (afterMs === undefined) return finish(shell, id);
  return shell.unfinished.keep({ id, interaction, tries: tries + 1, undelivered }, afterMs);
}

async function perform(shell: Shell, { given, reply }: Working, signal: AbortSignal): Promise<void> {
  const { id, interaction, isLate = false } = given;
  const run = runEvents(shell, interaction, reply);
  switch (interaction.kind) {
    case "ask":
      if (isLate && (await shell.store.changeOfDelivery(id)) === undefined) {
        return reply.send(sentences.neverBegan(interaction.ask.verb), "refused");
      }
      return propose(shell, { ...interaction, deliveryId: id, reply, run }, signal);
    case "decide":
      return decide(shell, { ...interaction, reply, run });
    case "redo":
      return redo(shell, { ...interaction, deliveryId: id, reply, run }, signal);
    case "connect":
      return connect(shell, { ...interaction, reply }, signal);
    case "disconnect":
      return disconnect(shell, { ...interaction, reply });
    case "use":
      // The channel may have been bound to something else since.
      if (isLate) return reply.send(sentences.neverBegan("use"), "refused");
      return bindChannel(shell, { ...interaction, reply });
  }
}

async function failure(shell: Shell, interaction: Interaction, error: unknown): Promise<Message> {
  const verb = verbOf(interaction);
  const reference = shell.newReference();
  if (isBug(error)) await noteBug(shell, { interaction, verb, reference });
  return failureMessage(shell, error, { verb, effect: "write", reference });
}

function verbOf(interaction: Interaction): string {
  if (interaction.kind === "ask") return interaction.ask.verb;
  return interaction.kind === "decide" ? interaction.decision : interaction.kind;
}

/** Its interaction is forgotten. Never rejects. */
export async function finish({ store, log }: Shell, id: string): Promise<void> {
  try {
    await store.finish(id);
  } catch (err) {
    // Done again later it finds what it did: everything behind it happens once.
    log.warn({ err }, "a delivery could not be marked as finished");
  }
}
