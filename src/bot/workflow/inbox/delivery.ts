import { currentTrail, note, resumed } from "../../../platform/trail.ts";
import { within, unawaited } from "../../../platform/waiting.ts";
import type { Message } from "../../views/kit/post.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { type Delivery, type WorkflowParts, freshness } from "../ports.ts";
import { type Interaction, openInteraction, sealInteraction, type Reply } from "./interaction.ts";
import type { LaneName } from "./lanes.ts";
import type { Unfinished } from "./unfinished.ts";
import { StoreError } from "../../errors.ts";
import { bindChannel, moveChannel } from "../bind.ts";
import { decide } from "../decide.ts";
import { failureMessage, isBug } from "../failure.ts";
import { note as noteInHistory, originEvent } from "../history.ts";
import { connect, disconnect } from "../link.ts";
import { type AskInteraction, propose } from "../propose.ts";
import { redo } from "../repeat/redo.ts";
import type { RunEvents } from "../run.ts";
import { createReply, signWhenSlow, withAccount } from "../reply.ts";
import { changeWatches } from "../watching/change-watches.ts";
import { takeAlert } from "../watching/take-alert.ts";

/** An ack waits this long for the store: https://docs.slack.dev/interactivity/slash-commands gives 3 s. */
const STORE_WITHIN_MS = 1_000;
/** An older write is not begun any more, because the person has moved on. Approvals count for ever. */
const BEGIN_WITHIN_MS = 5 * 60_000;

type Accepted = {
  readonly id: string;
  readonly interaction: Interaction;
  readonly ack: (refusal?: Message) => Promise<void>;
};

/**
 * Stores an interaction, acks it, then processes it. Slack never resends a lost click, so it is on disk before the ack.
 * A second delivery of the same interaction is ignored. When the lane is full, only its id is stored, as finished, so no
 * later process can begin a refused delivery.
 */
export async function accept(deps: WorkflowParts, { id, interaction: sent, ack }: Accepted): Promise<void> {
  const { store, sealer, lanes, log, settings } = deps;
  note({ verb: verbOf(sent) });
  const trace = currentTrail()?.traceparent();
  const interaction = trace === undefined ? sent : { ...sent, origin: { ...sent.origin, trace } };
  const lane = interaction.kind === "decide" ? "decisions" : "requests";
  const hasRoom = lanes.hasRoom({ lane, owner: interaction.origin.userId });
  const storing = hasRoom ? store.accept({ id, sealed: sealInteraction(sealer, id, interaction) }) : store.remember(id);
  let isNew: boolean;
  try {
    const late = (): never => {
      throw new Error(`not stored within ${STORE_WITHIN_MS} ms`);
    };
    isNew = await within(STORE_WITHIN_MS, storing, late, deps.clock);
  } catch (err) {
    const reference = deps.newReference();
    note({ outcome: "failed", reference });
    log.error({ err, reference, interaction: interaction.kind }, "couldn't store an interaction; dropping it");
    drop(deps, id, storing);
    return ack(hasRoom ? sentences.notStored(reference, settings.command) : sentences.busy());
  }
  // Delivered before, maybe to another replica, which processes it.
  if (!isNew) {
    note({ outcome: "repeated" });
    return ack();
  }
  if (!hasRoom) return ack(sentences.busy());
  start(deps, { id, interaction, tries: 0 }, lane);
  return ack();
}

/** The database may store it after all, once it answers. */
function drop({ dropped, log }: Pick<WorkflowParts, "dropped" | "log">, id: string, storing: Promise<unknown>): void {
  dropped.add(id);
  unawaited(
    storing.then(dropped.flush, () => undefined),
    (err) => log.warn({ err }, "couldn't drop a refused delivery yet"),
  );
}

/** Begins a delivery again that the database or Slack interrupted in this process. */
export function beginAgain(deps: WorkflowParts, delivery: Unfinished): void {
  start(deps, delivery, "sweeping");
}

/** A delivery of a replica that is gone, to be begun again. Undefined, and logged, when it can't be read. */
export function takeOver(
  { log, sealer, clock }: Pick<WorkflowParts, "log" | "sealer" | "clock">,
  delivery: Delivery,
): Unfinished | undefined {
  const { id } = delivery;
  let interaction: Interaction;
  try {
    interaction = openInteraction(sealer, delivery);
  } catch (err) {
    log.error({ err, deliveryId: id }, "couldn't read a delivery that was left over");
    return undefined;
  }
  log.warn({ interaction: interaction.kind }, "taking over a delivery of a replica that is gone");
  const isLate = clock.now().getTime() - delivery.receivedAt.getTime() > BEGIN_WITHIN_MS;
  return { id, interaction, isTakenOver: true, isLate, tries: 0, ...(delivery.isRestored && { isRestored: true }) };
}

/** It is ours in the store: when the lane is full, the next sweep begins it. */
function start(deps: WorkflowParts, delivery: Unfinished, lane: LaneName): void {
  const { id, interaction } = delivery;
  const { userId, trace } = interaction.origin;
  const job = { lane, key: `delivery ${id}`, owner: userId };
  const left = { what: "delivery", trace, verb: verbOf(interaction) } as const; // a literal kind
  const isTaken = deps.lanes.add(job, (signal) =>
    resumed(
      () => left,
      () => processDelivery(deps, delivery, signal),
    ),
  );
  if (!isTaken) deps.retries.keep(delivery, 0);
}

/** Pauses before messages that reached nobody are sent again: Slack may be away for minutes. */
const SEND_AGAIN_AFTER_MS = [5_000, 20_000, 45_000, 90_000];

/**
 * Processes a delivery of this replica until its interaction is done, or is a stored Change that the database alone can
 * continue, and everybody was answered. Never rejects because of Slack.
 */
async function processDelivery(deps: WorkflowParts, delivery: Unfinished, signal: AbortSignal): Promise<void> {
  const { interaction, undelivered, tries } = delivery;
  const { responder, end: endSign } = signFor(deps, delivery);
  const form = interaction.kind === "ask" ? interaction.form : undefined;
  const reply = withAccount(
    form === undefined ? createReply(responder, interaction.origin) : responder.formReply(form, interaction.origin),
  );
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
  const isSlow =
    kind === "decide" || kind === "redo" || kind === "watch" || (kind === "ask" && interaction.form === undefined);
  if (isSlow && undelivered === undefined) return signWhenSlow(deps, interaction.origin);
  return { responder: deps.responder, end: () => Promise.resolve() };
}

type Working = { readonly delivery: Unfinished; readonly reply: Reply };

type Performing = Working & Pick<AskInteraction, "onFinished">;

async function perform(
  deps: WorkflowParts,
  { delivery, reply, onFinished }: Performing,
  signal: AbortSignal,
): Promise<void> {
  const { id: deliveryId, interaction, tries, isTakenOver = false, isLate = false } = delivery;
  const isRepeated = isTakenOver || tries > 0;
  // A Run goes on after its delivery is finished.
  const run: RunEvents = {
    onFailed: async (error) => reply.send(await failure(deps, interaction, error), "refused"),
    onEnded: () => refreshHome(deps, interaction),
  };
  const { isRestored = false } = delivery;
  // A decision finds a request that is over. Whose request it was, is told by its card. Who is on it twice is on it.
  const isOver = isRestored && !["decide", "move", "take"].includes(interaction.kind);
  if (isOver && (await deps.store.find({ deliveryId })) === undefined) {
    return reply.send(sentences.restored(verbOf(interaction)), "refused");
  }
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
    case "watch":
      if (isLate) return reply.send(sentences.neverBegan(interaction.ask.verb), "refused");
      return changeWatches(deps, { ...interaction, reply }, signal);
    case "take":
      return takeAlert(deps, { ...interaction, reply });
    case "use":
      // The channel may have been bound to something else since.
      if (isLate) return reply.send(sentences.neverBegan("use"), "refused");
      return bindChannel(deps, { ...interaction, reply });
  }
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
    await noteInHistory(deps, originEvent(origin, who, { kind: "failed", verb, result: "internal error", reference }));
  } catch (err) {
    deps.log.warn({ err, reference }, "couldn't write an internal error to history");
  }
}

function verbOf(interaction: Interaction): string {
  if (interaction.kind === "ask" || interaction.kind === "watch") return interaction.ask.verb;
  if (interaction.kind === "decide") return interaction.decision;
  return interaction.kind === "redo" ? interaction.how : interaction.kind;
}

async function finish({ store, log, dropped }: Pick<WorkflowParts, "store" | "log" | "dropped">, id: string) {
  try {
    await store.finish(id);
  } catch (err) {
    // If this process ends first, another replica processes it again and finds what it did: everything happens once.
    log.warn({ err }, "couldn't mark a delivery as finished yet");
    dropped.add(id);
  }
}
