import type { StoredChange, Who } from "../changes/stored-change.ts";
import type { Standing } from "../policy/question.ts";
import type { DecisionAnswer } from "../views/messages/decision-answer.ts";
import { decisionPost } from "./answer-decision.ts";
import { eligibility, findApprovers } from "./access/approvers.ts";
import { carryOnLater, type RunEvents } from "./run.ts";
import { type Clearance, clearToRun } from "./access/clear-to-run.ts";
import type { Interaction } from "./inbox/interaction.ts";
import { draw } from "../slack/cards/draw.ts";
import { eventOf, logEvent } from "./history.ts";
import { findVisibleChange } from "./access/find-visible-change.ts";
import { freshness } from "../slack/directory/people.ts";
import { retire } from "../slack/cards/retire.ts";
import type { Shell } from "./shell.ts";
import type { Reply } from "./inbox/reply.ts";

export type DecideInteraction = Extract<Interaction, { kind: "decide" }> & {
  readonly reply: Reply;
  readonly run: RunEvents;
};

/**
 * A vote, a rejection or a cancellation, after its ack. Rights are read now, not when the card was drawn; each is
 * counted by one UPDATE, so that doing it again changes nothing. Every one is answered. Throws `UserError`, `StoreError`.
 */
export async function decide(shell: Shell, interaction: DecideInteraction): Promise<void> {
  const sinceMs = shell.now().getTime();
  const answer = (what: DecisionAnswer): Promise<void> => interaction.reply.send(decisionPost(shell, what), "done");
  const known = await findVisibleChange(shell, interaction);
  if ("missing" in known) return answer(known.missing);
  const { change } = known;
  const isSuperseded = await retire(shell, change, interaction);
  // A form with a reason may have been opened before the newer card stood there: what was written in it is not lost.
  if (isSuperseded && interaction.decision !== "reject") return answer({ kind: "retired", change });
  if (interaction.decision === "cancel") return cancel(shell, { change, interaction, answer });
  if (change.state !== "pending") return answer({ kind: "late", change, wanted: interaction.decision });
  const may = await eligible(shell, change, interaction);
  if (may.kind !== "may") {
    await noteRefusal(shell, { change, who: may.who, why: may.kind });
    return answer(await whyNot(shell, { change, may, wanted: interaction.decision }));
  }
  return interaction.decision === "approve"
    ? approve(shell, { change, interaction, answer, who: may.who, sinceMs })
    : reject(shell, { change, interaction, answer, who: may.who });
}

type Deciding = {
  readonly change: StoredChange;
  readonly interaction: DecideInteraction;
  readonly answer: (what: DecisionAnswer) => Promise<void>;
};
type By = Deciding & { readonly who: Who };

type May =
  | { readonly kind: "may"; readonly who: Who }
  | { readonly kind: "own" | "foreign"; readonly who: Who }
  | { readonly kind: "standing"; readonly who: Who; readonly standing: Exclude<Standing, "member"> }
  | { readonly kind: "unchecked"; readonly who: Who };

/** Whoever may approve may reject; whoever asked may cancel instead. */
async function eligible(shell: Shell, change: StoredChange, { origin }: DecideInteraction): Promise<May> {
  const { terms, requester } = change;
  if (terms === undefined) throw new Error("a pending change without terms");
  const voter = { userId: origin.userId, requesterId: requester.userId, channelId: cardChannel(change) };
  try {
    const { kind, profile } = await eligibility(shell.people, terms, voter);
    const who = { userId: profile.userId, name: profile.name };
    if (kind !== "standing") return { kind, who };
    return profile.standing === "member" ? { kind: "foreign", who } : { kind, who, standing: profile.standing };
  } catch (err) {
    shell.log.warn({ err, changeId: change.id }, "a vote could not be checked, and does not count");
    return { kind: "unchecked", who: { userId: origin.userId, name: origin.userId } };
  }
}

function cardChannel({ card, terms, channelId }: StoredChange): string {
  return card?.channelId ?? terms?.cardIn ?? channelId;
}

/** How many are named of those who could. */
const NAMED = 5;

type Why = {
  readonly change: StoredChange;
  readonly may: Exclude<May, { kind: "may" }>;
  readonly wanted: DecideInteraction["decision"];
};

async function whyNot(shell: Shell, { change, may, wanted }: Why): Promise<DecisionAnswer> {
  if (may.kind === "unchecked") return { kind: "check-failed" };
  if (may.kind === "standing") return { kind: "standing", change, standing: may.standing };
  if (may.kind === "own" || wanted === "cancel" || change.terms === undefined) return { kind: "own", change };
  const { people, identity } = shell;
  const found = await findApprovers(
    { people, botUserId: identity.botUserId },
    { from: change.terms.from, channelId: cardChannel(change), without: change.requester.userId, enough: NAMED },
  ).catch(() => undefined);
  if (found === undefined) return { kind: "foreign", change, wanted };
  const could = { names: found.profiles.map(({ name }) => name), count: found.count };
  return { kind: "foreign", change, wanted, could };
}

type NotMay = { readonly change: StoredChange; readonly who: Who; readonly why: Exclude<May["kind"], "may"> };

const refusals: Readonly<Record<NotMay["why"], string>> = {
  own: "own request",
  foreign: "not among those who may approve",
  standing: "not a full member",
  unchecked: "Slack did not tell who they are",
};

async function noteRefusal(shell: Shell, { change, who, why }: NotMay): Promise<void> {
  // The thread tells the story of what counted; this is for history alone, so it hangs on no card.
  const event = eventOf(shell, { ...change, id: undefined }, { kind: "vote-refused", who, result: refusals[why] });
  await shell.store.addEvent(event);
  logEvent(shell, event);
}

type Approving = By & { readonly sinceMs: number };

async function approve(shell: Shell, { change, interaction, answer, who, sinceMs }: Approving): Promise<void> {
  const events = {
    voted: eventOf(shell, change, { kind: "voted", who, result: "approved it" }),
    approved: eventOf(shell, change, { kind: "approved", result: "has the votes it needs" }),
  };
  const result = await shell.store.vote(change.id, who, events);
  if (result.kind === "twice") return answer(result);
  if (result.kind === "late") return answer({ ...result, wanted: "approve" });
  if (result.kind === "missing") return answer({ kind: "missing", id: change.id, nearest: [] });
  logEvent(shell, events.voted);
  if (result.change.state !== "approved") {
    await draw(shell, change.id);
    return answer({ kind: "counted", change: result.change });
  }
  logEvent(shell, events.approved);
  const clearance = await clearToRun(shell, result.change, sinceMs);
  carryOnLater(shell, { change: result.change, isFresh: false, clearance }, interaction.run);
  return answer(lastVoteAnswer(result.change, clearance));
}

/** It has the approvals its card asked for, but the current policy may require more. */
function lastVoteAnswer(change: StoredChange, clearance: Clearance): DecisionAnswer {
  if (clearance.kind === "pending") return { kind: "not-enough", change: clearance.change };
  if (clearance.kind === "refused") return { kind: "not-run", change, why: clearance.outcome.why };
  return { kind: "approved", change };
}

async function reject(shell: Shell, { change, interaction, answer, who }: By): Promise<void> {
  const { reason } = interaction;
  const event = eventOf(shell, change, { kind: "rejected", who, result: reason ?? "without a reason" });
  const rejected = await shell.store.reject(change.id, { who, reason }, event);
  if (rejected === undefined) return late(shell, { change, answer, interaction });
  logEvent(shell, event);
  await drawBoth(shell, change);
  return answer({ kind: "rejected", change: rejected });
}

async function cancel(shell: Shell, { change, interaction, answer }: Deciding): Promise<void> {
  const { userId } = interaction.origin;
  if (userId !== change.requester.userId) return answer({ kind: "not-yours", change });
  const { name } = await shell.people.profile(userId, freshness.deciding);
  const event = eventOf(shell, change, { kind: "cancelled", who: { userId, name }, result: "by who asked" });
  const cancelled = await shell.store.cancel(change.id, { userId, name }, event);
  if (cancelled === undefined) return late(shell, { change, answer, interaction });
  logEvent(shell, event);
  await drawBoth(shell, change);
  return answer({ kind: "cancelled", change: cancelled });
}

/** A rejected or cancelled Undo leaves the Undo button on the original card. */
async function drawBoth(shell: Shell, { id, undoOf }: StoredChange): Promise<void> {
  await draw(shell, id);
  if (undoOf !== undefined) await draw(shell, undoOf);
}

async function late(shell: Shell, { change, answer, interaction }: Deciding): Promise<void> {
  const now = (await shell.store.findChange(change.id)) ?? change;
  return answer({ kind: "late", change: now, wanted: interaction.decision });
}
