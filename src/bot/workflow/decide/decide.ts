import { within } from "../../../platform/waiting.ts";
import { requestIdOf, type Card, type StoredChange, type Who } from "../../changes/stored-change.ts";
import type { Post } from "../../views/kit/post.ts";
import { retiredCard } from "../../views/cards/change-card.ts";
import { decisionAnswer, type DecisionAnswer } from "../../views/messages/decision-answer.ts";
import { approversNow, cardChannel, type Eligibility, eligibility } from "../access/approvers.ts";
import { clearToRun } from "../access/clear-to-run.ts";
import { findVisibleChange } from "../access/records.ts";
import { advance, changeEvent, logEvent, recordEvent } from "../history.ts";
import type { Interaction, Reply } from "../inbox/interaction.ts";
import { step } from "../lifecycle.ts";
import { freshness, type WorkflowParts } from "../ports.ts";
import { carryOnLater, type RunEvents } from "../run/run.ts";

/** Real time: a person waits. By then a run has usually begun or was refused. */
const ANSWER_WITHIN_MS = 900;

export type DecideInteraction = Extract<Interaction, { kind: "decide" }> & {
  readonly reply: Reply;
  readonly run: RunEvents;
};

/** Shown to one person, beside the card. Never rejects. */
export async function decisionPost({ settings, store, log }: WorkflowParts, answer: DecisionAnswer): Promise<Post> {
  const waits = "change" in answer ? store.waitsFor(answer.change) : undefined;
  const waitsFor = await waits?.catch((err: unknown) => {
    log.warn({ err }, "couldn't read which request another one waits for");
    return undefined;
  });
  return decisionAnswer({ answer, defaultRegion: settings.region, waitsFor });
}

/**
 * An approval, a rejection or a cancellation. Rights are read now, not when the card was drawn. Each is counted by one
 * UPDATE, so repeating it changes nothing, and each is answered. Throws `UserError`, `StoreError`.
 */
export async function decide(deps: WorkflowParts, interaction: DecideInteraction): Promise<void> {
  const sinceMs = deps.clock.now().getTime();
  const { decision } = interaction;
  const answer = async (what: DecisionAnswer): Promise<void> =>
    interaction.reply.send(await decisionPost(deps, what), "done");
  const known = await findVisibleChange(deps, interaction);
  if ("missing" in known) return answer(known.missing);
  const { change } = known;
  const isOutdated = await retireOutdated(deps, change, interaction.card);
  // The rejection form may be older than the current card: its reason still counts.
  if (isOutdated && decision !== "reject") return answer({ kind: "retired", change });
  if (decision === "cancel") return cancel(deps, { change, interaction, answer });
  // A vote that was counted before, by a process that died before its answer, is answered now.
  const hasVoted = decision === "approve" && change.votes.some(({ userId }) => userId === interaction.origin.userId);
  if (change.state !== "pending" && hasVoted) return answer({ kind: "approved", change });
  if (change.state !== "pending") return answer({ kind: "late", change, wanted: decision });
  const may = await eligible(deps, change, interaction);
  const { userId, name } = may.profile;
  const who = { userId, name };
  if (may.kind !== "may") {
    // For history alone: the thread of the card shows only what counted.
    const refusal = { kind: "vote-refused", who, result: reasons[may.kind] } as const; // a literal kind
    await recordEvent(deps, changeEvent(deps, { ...change, id: undefined }, refusal));
    return answer(await whyNot(deps, { change, may, wanted: decision }));
  }
  const deciding = { change, interaction, answer, who };
  return decision === "approve" ? approve(deps, { ...deciding, sinceMs }) : reject(deps, deciding);
}

type Deciding = {
  readonly change: StoredChange;
  readonly interaction: DecideInteraction;
  readonly answer: (what: DecisionAnswer) => Promise<void>;
};
type By = Deciding & { readonly who: Who };

type May = Eligibility | { readonly kind: "unchecked"; readonly profile: Who };

/** People who may approve may reject; requesters may cancel instead. */
async function eligible(deps: WorkflowParts, change: StoredChange, { origin }: DecideInteraction): Promise<May> {
  const { terms, requester } = change;
  if (terms === undefined) throw new Error("a pending change without terms");
  const approver = { userId: origin.userId, requesterId: requester.userId, channelId: cardChannel(change) };
  try {
    return await eligibility(deps.people, terms, approver);
  } catch (err) {
    deps.log.warn({ err, changeId: change.id }, "a vote could not be checked, and does not count");
    return { kind: "unchecked", profile: { userId: origin.userId, name: origin.userId } };
  }
}

type Why = {
  readonly change: StoredChange;
  readonly may: Exclude<May, { readonly kind: "may" }>;
  readonly wanted: DecideInteraction["decision"];
};

async function whyNot({ people }: WorkflowParts, { change, may, wanted }: Why): Promise<DecisionAnswer> {
  if (may.kind === "unchecked") return { kind: "check-failed" };
  if (may.kind === "standing") return { kind: "standing", change, standing: may.standing };
  if (may.kind === "own" || wanted === "cancel" || change.terms === undefined) return { kind: "own", change };
  const { from } = change.terms;
  const without = change.requester.userId;
  const could = await approversNow(people, { from, channelId: cardChannel(change), without }).catch(() => undefined);
  return { kind: "foreign", change, wanted, ...(could && { could }) };
}

const reasons: Readonly<Record<Exclude<May["kind"], "may">, string>> = {
  own: "own request",
  foreign: "not an approver",
  standing: "not a full member",
  unchecked: "Slack didn't confirm who they are",
};

type Approving = By & { readonly sinceMs: number };

async function approve(deps: WorkflowParts, { change, interaction, answer, who, sinceMs }: Approving): Promise<void> {
  const last = changeEvent(deps, change, { kind: "approved", result: "has the approvals it needs" });
  const approval = { ...step("approve", { by: who, last }), who, result: "approved it" };
  const result = await advance(deps, change, approval);
  if (result.kind === "twice") return answer(result);
  if (result.kind !== "moved") {
    const now = result.kind === "late" ? result.change : undefined;
    return answer(
      now === undefined
        ? { kind: "missing", id: change.id, nearest: [] }
        : { kind: "late", change: now, wanted: "approve" },
    );
  }
  const { change: approved, due } = result;
  if (approved.state !== "approved") {
    const isShown = await deps.deliver(change, change.teamId);
    return isShown && interaction.card !== undefined ? undefined : answer({ kind: "counted", change: approved });
  }
  logEvent(deps, last);
  if (due === undefined) {
    return answerNow(deps, approved, { interaction, answer });
  }
  const clearance = await clearToRun(deps, approved, { due, sinceMs }).catch((error: unknown) => {
    carryOnLater(deps, { change: approved, due });
    throw error;
  });
  let answered: Promise<void> | undefined;
  let hasFailed = false;
  // What its failure says is all that they have to read.
  const answerOnce = async (): Promise<void> =>
    hasFailed ? undefined : (answered ??= answerNow(deps, approved, { interaction, answer }));
  const begun = Promise.withResolvers<void>();
  const onBegun = async (): Promise<void> => {
    begun.resolve();
    if (clearance.kind === "run") await answerOnce();
  };
  const onFailed = async (error: unknown): Promise<void> => {
    hasFailed = true;
    begun.resolve();
    await interaction.run.onFailed(error);
  };
  carryOnLater(
    deps,
    { change: approved, due, clearance },
    { ...interaction.run, onFailed, onClaimed: begun.resolve, onBegun },
  );
  // It has the approvals its card asked for, but the current policy may require more.
  if (clearance.kind === "pending") return answer({ kind: "not-enough", change: clearance.change });
  if (clearance.kind === "refused") return answer({ kind: "not-run", change, why: clearance.outcome.why });
  await within(ANSWER_WITHIN_MS, begun.promise, () => undefined, deps.clock);
  return answerOnce();
}

/**
 * Answers with the current state, because the run may have been refused. A click on the card gets no message while it runs:
 * the card says so. Never rejects.
 */
async function answerNow(
  { store, log, deliver }: WorkflowParts,
  approved: StoredChange,
  { interaction, answer }: Pick<By, "interaction" | "answer">,
): Promise<void> {
  const now = await store.find({ id: approved.id }).catch((err: unknown) => {
    log.warn({ err, changeId: approved.id }, "couldn't read what became of an approved request");
    return undefined;
  });
  const runs = now?.state === "claimed" || now?.state === "done";
  if (runs && interaction.card !== undefined && (await deliver(now, now.teamId))) return;
  await answer({ kind: "approved", change: now ?? approved });
}

async function reject(deps: WorkflowParts, deciding: By): Promise<void> {
  const { change, interaction, answer, who } = deciding;
  const { reason } = interaction;
  const rejection = { ...step("reject", { by: who, reason }), who, result: reason ?? "without a reason" };
  const rejected = await advance(deps, change, rejection);
  if (rejected.kind !== "moved") return late(deps, deciding);
  await drawBoth(deps, change);
  return answer({ kind: "rejected", change: rejected.change });
}

async function cancel(deps: WorkflowParts, deciding: Deciding): Promise<void> {
  const { change, interaction, answer } = deciding;
  const { userId } = interaction.origin;
  if (userId !== change.requester.userId) return answer({ kind: "not-yours", change });
  const { name } = await deps.people.profile(userId, freshness.deciding);
  const who = { userId, name };
  const cancelled = await advance(deps, change, { ...step("cancel", { by: who }), who, result: "by who asked" });
  if (cancelled.kind !== "moved") return late(deps, deciding);
  await drawBoth(deps, change);
  return answer({ kind: "cancelled", change: cancelled.change });
}

/** A rejected or cancelled Undo puts the Undo button back on the original card. */
async function drawBoth({ deliver }: WorkflowParts, { id, undoOf, teamId }: StoredChange): Promise<void> {
  await deliver({ id }, teamId);
  if (undoOf !== undefined) await deliver({ id: requestIdOf(undoOf) }, teamId);
}

async function late({ store }: WorkflowParts, { change, answer, interaction }: Deciding): Promise<void> {
  const now = (await store.find({ id: change.id })) ?? change;
  return answer({ kind: "late", change: now, wanted: interaction.decision });
}

/** Handles a click on an outdated card: removes its buttons. Resolves to whether the clicked card was outdated. */
export async function retireOutdated(
  { sender, settings }: WorkflowParts,
  change: StoredChange,
  clicked: Card | undefined,
): Promise<boolean> {
  const { card } = change;
  if (clicked === undefined || card === undefined) return false;
  if (clicked.channelId === card.channelId && clicked.ts === card.ts) return false;
  await sender.update(clicked, retiredCard({ change, defaultRegion: settings.region }));
  return true;
}
