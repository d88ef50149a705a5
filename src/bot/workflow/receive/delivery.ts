import { newReference } from "../../../platform/log.ts";
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { currentTrail, annotate, resumed } from "../../../platform/trail.ts";
import { within, unawaited } from "../../../platform/waiting.ts";
import type { Message } from "../../views/kit/post.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { RESTORED_AT } from "../../changes/stored-change.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import { type Interaction, type Refused, type Reply, type Unfinished, unfinishedIn } from "../inbox/interaction.ts";
import { type WorkflowParts, freshness } from "../ports.ts";
import { StoreError } from "../../errors.ts";
import { bindChannel, moveChannel } from "../propose/bind.ts";
import { decide } from "../decide/decide.ts";
import { createReply, failureMessage, isBug, withAccount, type WorkingMessage, workingWhenSlow } from "../reply.ts";
import { recordEvent, originEvent } from "../history.ts";
import { connect, disconnect } from "../propose/link.ts";
import { type AskInteraction, propose } from "../propose/propose.ts";
import { redo } from "../propose/redo.ts";
import type { RunEvents } from "../run/run.ts";
import { changeWatches } from "../propose/change-watches.ts";
import { leaveAlert, takeAlert } from "../decide/take-alert.ts";

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
 * A second delivery of the same interaction is ignored. When the lane is full, only its id is stored, so no later process can begin
 * a refused delivery.
 */
export async function accept(deps: WorkflowParts, { id, interaction: sent, ack }: Accepted): Promise<void> {
  const { store, lanes, log, settings } = deps;
  annotate({ verb: verbOf(sent) });
  const trace = currentTrail()?.traceparent();
  const interaction = trace === undefined ? sent : { ...sent, origin: { ...sent.origin, trace } };
  const lane = interaction.kind === "decide" ? "decisions" : "people";
  const { userId: owner, teamId } = interaction.origin;
  const hasRoom = lanes.hasRoom({ lane, owner });
  const token = randomUUID();
  const unfinished: Unfinished = { interaction };
  const storing: Promise<Due | "refused" | undefined> = hasRoom
    ? store.accept({ id, teamId, payload: JSON.stringify(unfinished), token })
    : store.remember(id).then((isNew) => (isNew ? "refused" : undefined));
  let stored: Due | "refused" | undefined;
  try {
    const late = (): never => {
      throw new Error(`not stored within ${STORE_WITHIN_MS} ms`);
    };
    stored = await within(STORE_WITHIN_MS, storing, late, deps.clock);
  } catch (err) {
    const reference = newReference();
    annotate({ outcome: "failed", reference });
    log.error({ err, reference, interaction: interaction.kind }, "couldn't store an interaction; dropping it");
    drop(deps, { id, token }, storing);
    return ack(hasRoom ? sentences.notStored(reference, settings.command) : sentences.busy());
  }
  // Delivered before, maybe to another replica, which processes it.
  if (stored === undefined) {
    annotate({ outcome: "repeated" });
    return ack();
  }
  if (stored === "refused") return ack(sentences.busy());
  deps.start(stored, (due, signal) => process(deps, { due, ...unfinished }, signal), { lane, owner });
  return ack();
}

/** The database may store it after all, once it answers. */
function drop({ dropped, log }: WorkflowParts, refused: Refused, storing: Promise<unknown>): void {
  dropped.add(refused);
  unawaited(
    storing.then(
      () => {
        // A flush before its commit found nothing.
        dropped.add(refused);
        return dropped.flush();
      },
      () => undefined,
    ),
    (err) => log.warn({ err }, "couldn't drop a refused delivery yet"),
  );
}

/** A delivery that its first attempt didn't finish, maybe in a replica that is gone. Undefined, and logged, when it can't be read. */
export function leftOver(log: Logger, due: Due): Working | undefined {
  try {
    // Without a payload, the key that sealed it is gone, as the log says.
    const unfinished = unfinishedIn(due.payload ?? "null");
    const { interaction, undelivered } = unfinished;
    if (undelivered === undefined)
      log.warn({ interaction: interaction.kind, attempts: due.attempts }, "beginning a delivery again");
    return { ...unfinished, due };
  } catch (err) {
    log.error({ err, deliveryId: due.key }, "couldn't read a delivery that was left over");
    return undefined;
  }
}

export type Working = Unfinished & { readonly due: Due };

export function process(deps: WorkflowParts, working: Working, signal: AbortSignal): Promise<DueEnd> {
  const { interaction } = working;
  const left = { what: "delivery", trace: interaction.origin.trace, verb: verbOf(interaction) } as const; // a literal kind
  return resumed(
    () => left,
    () => processDelivery(deps, working, signal),
  );
}

/** It came from a backup. */
function isRestored({ createdAt }: Due): boolean {
  return createdAt.getTime() === RESTORED_AT.getTime();
}

/** Pauses before messages that reached nobody are sent again: Slack may be away for minutes. */
const SEND_AGAIN_AFTER_MS = [5_000, 20_000, 45_000, 90_000];

/**
 * Processes a delivery of this replica until its interaction is done, or is a stored Change that the database alone can
 * continue, and everybody was answered. Never rejects because of Slack.
 */
async function processDelivery(deps: WorkflowParts, working: Working, signal: AbortSignal): Promise<DueEnd> {
  const { interaction, due } = working;
  // They may have reached somebody since.
  const undelivered = isRestored(due) ? undefined : working.undelivered;
  const shown = workingFor(deps, working);
  const form = interaction.kind === "ask" ? interaction.form : undefined;
  const reply = withAccount(
    form === undefined
      ? createReply(deps.responder, interaction.origin, shown)
      : deps.responder.formReply(form, interaction.origin),
  );
  let isFinished = false;
  const onFinished = (): void => {
    isFinished = true;
  };
  try {
    if (undelivered === undefined) await perform(deps, { working, reply, onFinished }, signal);
    else for (const { post, how } of undelivered) await reply.send(post, how);
  } catch (error) {
    const isAgain = error instanceof StoreError;
    // Nobody waits for it.
    if (interaction.kind === "move") throw error;
    // Tells them of an unreachable database once. The next attempt sends what is missing.
    if (!isAgain || due.attempts === 1) await reply.send(await failure(deps, interaction, error), "refused");
    if (isAgain) throw error;
  } finally {
    await shown?.end();
  }
  const finish = async (): Promise<DueEnd> => {
    try {
      if (!isFinished) await deps.store.finishDelivery(due);
    } catch (err) {
      // Otherwise another replica would begin it and answer again, which still happens if this process ends first.
      deps.log.warn({ err }, "couldn't mark a delivery as finished yet");
      deps.dropped.add({ id: due.key, token: due.token });
    }
    return "ended";
  };
  refreshHome(deps, interaction);
  const missing = reply.undelivered();
  if (missing.length === 0) return finish();
  // Everything that is done again happens once.
  if (signal.aborted) return { ms: 0, isFailure: true };
  const sends = working.sends ?? 0;
  const ms = SEND_AGAIN_AFTER_MS[sends];
  if (ms === undefined) return finish();
  const left: Unfinished = { interaction, undelivered: missing, sends: sends + 1 };
  return { ms, payload: JSON.stringify(left) };
}

/** Shows “Working…” for interactions that read the workload API first. A form shows that itself. */
function workingFor(deps: WorkflowParts, { interaction, undelivered }: Working): WorkingMessage | undefined {
  const { kind } = interaction;
  const isSlow =
    kind === "decide" || kind === "redo" || kind === "watch" || (kind === "ask" && interaction.form === undefined);
  return isSlow && undelivered === undefined ? workingWhenSlow(deps, interaction.origin) : undefined;
}

type Performing = { readonly working: Working; readonly reply: Reply } & Pick<AskInteraction, "onFinished">;

async function perform(
  deps: WorkflowParts,
  { working, reply, onFinished }: Performing,
  signal: AbortSignal,
): Promise<void> {
  const { interaction, due } = working;
  const { key: deliveryId, createdAt } = due;
  const isRepeated = due.attempts > 1;
  const isLate = isRepeated && deps.clock.now().getTime() - createdAt.getTime() > BEGIN_WITHIN_MS;
  // A Run goes on after its delivery is finished.
  const run: RunEvents = {
    onFailed: async (error) => reply.send(await failure(deps, interaction, error), "refused"),
    onEnded: () => refreshHome(deps, interaction),
  };
  // These may run after a restore: a decision finds its request over, and the others are idempotent.
  const isOver = isRestored(due) && !["decide", "move", "take", "leave"].includes(interaction.kind);
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
      return takeAlert(deps, { ...interaction, at: createdAt, reply });
    case "leave":
      return leaveAlert(deps, { ...interaction, at: createdAt, reply });
    case "use":
      // The channel may have been bound to something else since.
      if (isLate) return reply.send(sentences.neverBegan("use"), "refused");
      return bindChannel(deps, { ...interaction, reply });
  }
}

function refreshHome({ responder }: WorkflowParts, { origin }: Interaction): void {
  if (origin.isHome === true) responder.refreshHome(origin);
}

async function failure(deps: WorkflowParts, interaction: Interaction, error: unknown): Promise<Message> {
  const verb = verbOf(interaction);
  const reference = newReference();
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
    await recordEvent(deps, originEvent(origin, who, { kind: "failed", verb, result: "internal error", reference }));
  } catch (err) {
    deps.log.warn({ err, reference }, "couldn't write an internal error to history");
  }
}

function verbOf(interaction: Interaction): string {
  if (interaction.kind === "ask" || interaction.kind === "watch") return interaction.ask.verb;
  if (interaction.kind === "decide") return interaction.decision;
  return interaction.kind === "redo" ? interaction.how : interaction.kind;
}
