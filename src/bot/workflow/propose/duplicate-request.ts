import type { StoredChange } from "../../changes/stored-change.ts";
import type { Ask } from "../../ask.ts";
import { duplicateMessage, type DuplicateRequest, repeatMessage } from "../../views/messages/request-answers.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { cardChannel, eligibility, namesFor } from "../access/approvers.ts";
import { viewerAt, maySeeChange } from "../access/records.ts";
import type { Reply } from "../inbox/interaction.ts";
import type { Origin } from "../origin.ts";
import type { Proposed } from "./draft.ts";
import type { People, WorkflowParts } from "../ports.ts";
import { contentOf } from "../stored-request.ts";

type RepeatedRequest = { readonly origin: Origin; readonly undone?: StoredChange | undefined; readonly reply: Reply };

/**
 * Answers a duplicate request or Undo by linking the earlier one's card, instead of creating another. People who may not
 * see the earlier request learn only that there is one.
 */
export async function pointAtEarlierRequest(
  deps: WorkflowParts,
  { origin, undone, reply }: RepeatedRequest,
  earlier: StoredChange,
): Promise<void> {
  const { deliver, people, sender, settings } = deps;
  // Of two simultaneous requests, this one may get here before the other's card is posted.
  if (earlier.card === undefined) await deliver(earlier, earlier.teamId);
  if (undone !== undefined) await deliver(undone, undone.teamId);
  const current = (await deps.store.find({ id: earlier.id })) ?? earlier;
  const kind = undone !== undefined && current.undoOf === undone.id ? "undo" : "waiting";
  // People who may make a request may not always see who else made it, and where.
  const seesCard = current.card?.channelId === origin.channelId;
  if (!seesCard && !(await maySeeChange(deps, await viewerAt(deps, origin), current))) {
    return reply.send(sentences.askedAlready(kind), "done");
  }
  const message = duplicateMessage({
    change: current,
    kind,
    viewer: await viewerOf(people, current, origin),
    link: current.card && (await sender.link(current.card)),
    defaultRegion: settings.region,
    waitsFor: await deps.store.waitsFor(current),
    names: await namesFor(people, current),
  });
  return reply.send(message, "done");
}

/** Whoever hears nothing for so long repeats a request. */
export const REPEATED_WITHIN_MS = 5 * 60_000;

/** Whether an earlier request for the same operation and workload would have sent the same, or was in the same words. */
export function isSameRequest(
  { sealer }: WorkflowParts,
  { ask, change, several }: Proposed,
  earlier: StoredChange,
): boolean {
  const content = contentOf(sealer, earlier);
  if (content === undefined) return false;
  if (JSON.stringify(content.ask.args) === JSON.stringify(ask.args)) return true;
  return several === undefined && JSON.stringify(content.change?.call) === JSON.stringify(change.call);
}

type Repeated = { readonly ask: Ask; readonly earlier: StoredChange };

/** The earlier request got no answer: shows its state, and a button to run it again. */
export async function askWhetherAgain(
  { settings, clock, store }: WorkflowParts,
  { reply }: Pick<RepeatedRequest, "reply">,
  { ask, earlier }: Repeated,
): Promise<void> {
  const agoMs = Math.max(0, clock.now().getTime() - earlier.createdAt.getTime());
  const waitsFor = await store.waitsFor(earlier);
  return reply.send(repeatMessage({ change: earlier, ask, agoMs, defaultRegion: settings.region, waitsFor }), "done");
}

async function viewerOf(people: People, change: StoredChange, { userId }: Origin): Promise<DuplicateRequest["viewer"]> {
  const { state, terms, requester } = change;
  if (state !== "pending" || terms === undefined) return "other";
  const approver = { userId, requesterId: requester.userId, channelId: cardChannel(change) };
  const may = await eligibility(people, terms, approver).catch(() => undefined);
  if (may?.kind === "may") return "approver";
  return userId === requester.userId ? "requester" : "other";
}
