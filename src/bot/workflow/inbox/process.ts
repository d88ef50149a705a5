import { freshness, type WorkflowParts } from "../ports.ts";
import { StoreError } from "../../errors.ts";
import type { Message } from "../../views/kit/message.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { bindChannel } from "../bind.ts";
import { decide } from "../decide.ts";
import { failureMessage, isBug } from "../failure.ts";
import { note, originEvent } from "../history.ts";
import { connect, disconnect } from "../link.ts";
import { moveChannel } from "../access/move-channel.ts";
import { type AskInteraction, propose } from "../propose.ts";
import { redo } from "../repeat/redo.ts";
import type { RunEvents } from "../run.ts";
import { createReply, signWhenSlow } from "../reply.ts";
import type { Interaction, Reply } from "./interaction.ts";
import type { Unfinished } from "./unfinished.ts";

/** Pauses before messages that reached nobody are sent again: Slack may be away for minutes. */
const SEND_AGAIN_AFTER_MS = [5_000, 20_000, 45_000, 90_000];

/**
 * Processes a delivery of this replica until its interaction is done, or is a stored Change that the database alone can
 * continue, and everybody was answered. Never rejects because of Slack.
 */
export async function processDelivery(deps: WorkflowParts, delivery: Unfinished, signal: AbortSignal): Promise<void> {
  const { interaction, undelivered, tries } = delivery;
  const { responder, end: endSign } = signFor(deps, delivery);
  const reply = replyTo({ ...deps, responder }, interaction);
  let isFinished = false;
  const onFinished = (): void => {
    isFinished = true;
  };
  try {
    if (undelivered === undefined) await perform(deps, { delivery, reply, onFinished }, signal);
    else for (const { post, how } of undelivered) await reply.send(post, how);
  } catch (error) {
    const isAgain = error instanceof StoreError;
    // Tells them of an unreachable database once. The next attempt sends what is missing.
    if (interaction.kind === "move" && !isAgain) throw error;
    if (interaction.kind !== "move" && (!isAgain || tries === 0))
      await reply.send(await failure(deps, interaction, error), "refused");
    if (isAgain) return deps.retries.keep({ ...delivery, tries: tries + 1 }, 0);
  } finally {
    await endSign();
  }
  if (isFinished && reply.undelivered().length === 0) return refreshHome(deps, interaction);
  return end(deps, { delivery, reply }, signal);
}

/** What reads the workload API before its answer. A form shows itself that it was sent. */
function signFor(deps: WorkflowParts, { interaction, undelivered }: Unfinished) {
  const { kind } = interaction;
  const isSlow = kind === "decide" || kind === "redo" || (kind === "ask" && interaction.form === undefined);
  if (isSlow && undelivered === undefined) return signWhenSlow(deps, interaction.origin);
  return { responder: deps.responder, end: () => Promise.resolve() };
}

function replyTo({ responder }: Pick<WorkflowParts, "responder">, interaction: Interaction): Reply {
  const { origin } = interaction;
  const form = interaction.kind === "ask" ? interaction.form : undefined;
  return form === undefined ? createReply(responder, origin) : responder.formReply(form, origin);
}

type Working = { readonly delivery: Unfinished; readonly reply: Reply };

type Performing = Working & Pick<AskInteraction, "onFinished">;

async function perform(
  deps: WorkflowParts,
  { delivery, reply, onFinished }: Performing,
  signal: AbortSignal,
): Promise<void> {
  const { id: deliveryId, interaction, isLate = false } = delivery;
  const isRepeated = mayHaveBegun(delivery);
  const run = runEvents(deps, interaction, reply);
  switch (interaction.kind) {
    case "ask":
      if (isLate && (await deps.store.find({ deliveryId })) === undefined) {
        return reply.send(sentences.neverBegan(interaction.ask.verb), "refused");
      }
      return propose(deps, { ...interaction, deliveryId, isRepeated, reply, run, onFinished }, signal);
    case "decide":
      return decide(deps, { ...interaction, reply, run });
    case "redo":
      return redo(deps, { ...interaction, deliveryId, isRepeated, reply, run, onFinished }, signal);
    case "connect":
      return connect(deps, { ...interaction, reply }, signal);
    case "disconnect":
      return disconnect(deps, { ...interaction, reply });
    case "move": {
      const { teamId, channelId: to } = interaction.origin;
      return moveChannel(deps, { teamId, from: interaction.from, to });
    }
    case "use":
      // The channel may have been bound to something else since.
      if (isLate) return reply.send(sentences.neverBegan("use"), "refused");
      return bindChannel(deps, { ...interaction, reply });
  }
}

function mayHaveBegun({ isTakenOver = false, tries }: Unfinished): boolean {
  return isTakenOver || tries > 0;
}

/** A Run goes on after its delivery is finished. */
function runEvents(deps: WorkflowParts, interaction: Interaction, reply: Reply): RunEvents {
  return {
    onFailed: async (error) => reply.send(await failure(deps, interaction, error), "refused"),
    onEnded: () => refreshHome(deps, interaction),
  };
}

function refreshHome({ responder }: Pick<WorkflowParts, "responder">, { origin }: Interaction): void {
  if (origin.isHome === true) responder.refreshHome(origin);
}

/** A delivery is over when everything was sent. Messages that reached nobody are sent again, alone. */
async function end(deps: WorkflowParts, { delivery, reply }: Working, signal: AbortSignal): Promise<void> {
  const { id, interaction } = delivery;
  const undelivered = reply.undelivered();
  refreshHome(deps, interaction);
  if (undelivered.length === 0) return finish(deps, id);
  // The next process, or another replica, begins it again: everything it does happens once.
  if (signal.aborted) return undefined;
  const tries = delivery.undelivered === undefined ? 0 : delivery.tries;
  const afterMs = SEND_AGAIN_AFTER_MS[tries];
  if (afterMs === undefined) return finish(deps, id);
  return deps.retries.keep({ id, interaction, tries: tries + 1, undelivered }, afterMs);
}

async function failure(deps: WorkflowParts, interaction: Interaction, error: unknown): Promise<Message> {
  const verb = verbOf(interaction);
  const reference = deps.newReference();
  if (isBug(error)) await noteBug(deps, interaction, { verb, reference });
  return failureMessage(deps, error, { verb, effect: "write", reference });
}

type Broken = { readonly verb: string; readonly reference: string };

/** History says that a request came to nothing because of a bug, with the reference that the person was told. */
async function noteBug(deps: WorkflowParts, { origin }: Interaction, { verb, reference }: Broken): Promise<void> {
  const { userId } = origin;
  const profile = await deps.people.profile(userId, freshness.profile).catch(() => undefined);
  const who = { userId, name: profile?.name ?? userId };
  try {
    await note(deps, originEvent(origin, who, { kind: "failed", verb, result: "internal error", reference }));
  } catch (err) {
    deps.log.warn({ err, reference }, "couldn't write an internal error to history");
  }
}

function verbOf(interaction: Interaction): string {
  if (interaction.kind === "ask") return interaction.ask.verb;
  if (interaction.kind === "decide") return interaction.decision;
  return interaction.kind === "redo" ? interaction.how : interaction.kind;
}

async function finish({ store, log }: Pick<WorkflowParts, "store" | "log">, id: string): Promise<void> {
  try {
    await store.finish(id);
  } catch (err) {
    // Processed again later, it finds what it did: everything it does happens once.
    log.warn({ err }, "couldn't mark a delivery as finished");
  }
}
