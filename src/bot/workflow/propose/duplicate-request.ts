import { requestIdOf, type StoredChange, type Who } from "../../changes/stored-change.ts";
import type { Ask } from "../../ask.ts";
import { duplicateMessage, type DuplicateRequest, repeatMessage } from "../../views/messages/request-answers.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { cardChannel, eligibility, namesFor } from "../access/approvers.ts";
import { maySeeChange, viewerAt } from "../access/records.ts";
import type { Reply } from "../inbox/interaction.ts";
import type { Origin } from "../origin.ts";
import type { Proposed } from "./draft.ts";
import type { People, WorkflowParts } from "../ports.ts";
import { contentOf } from "../stored-request.ts";
import type { Change } from "../../changes/change.ts";
import { driftOf } from "../../changes/drift.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import type { Records } from "../../commands/command.ts";
import { UserError } from "../../errors.ts";

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

/** Enough rows to hold the last requests that ran and what they were. */
const ROWS = 60;

type Undoing = {
  readonly undone: StoredChange;
  readonly undo: Change;
  readonly records: Pick<Records, "history">;
  /** The id of the person who takes it back. */
  readonly userId: string;
};

type Since = { readonly lines: readonly string[]; readonly ofOthers: readonly string[] };

/**
 * What changed after the Change that is undone, a line each: "Omar Haddad set instances to 6 since then". The undo takes
 * this back too, and its own difference doesn't say so. Revisions aren't among them: the verb that goes back to one tells.
 */
export async function changedSince({ undone, undo, records, userId }: Undoing): Promise<Since> {
  const outcome = undone.ending?.kind === "run" ? undone.ending.outcome : undefined;
  const after = outcome?.kind === "done" ? outcome.after : undefined;
  if (after === undefined) return { lines: [], ofOthers: [] };
  const isRevised = undo.call.op === "updateService" && undo.call.body.revision !== undefined;
  const moved = isRevised ? [] : driftOf({ ...undo, before: after }, undo.before);
  if (moved.length === 0) return { lines: [], ofOthers: [] };
  const events = await eventsOf(undone, records);
  const described = moved.map(({ field, now }) => {
    const who = whoSet(now, events, undone);
    return { line: `${who?.name ?? "somebody"} set ${field} to ${now} since then`, who };
  });
  const others = described.filter(({ who }) => who?.userId !== userId);
  return { lines: described.map(({ line }) => line), ofOthers: others.map(({ line }) => line) };
}

/** Newest first. Without history, nobody is named. */
async function eventsOf(
  { workload: { name }, account: { username: account } }: StoredChange,
  records: Pick<Records, "history">,
): Promise<readonly HistoryEvent[]> {
  try {
    return (await records.history({ workload: { name, account }, limit: ROWS })).events;
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** Whose request last set the workload to this value, if one did after the Change that is undone. */
function whoSet(now: string, events: readonly HistoryEvent[], { id, workload }: StoredChange): Who | undefined {
  const { kind, region, name } = workload;
  const done = events.filter(
    (event) =>
      event.kind === "done" &&
      event.workload?.kind === kind &&
      event.workload.region === region &&
      event.workload.name === name,
  );
  for (const { changeId } of done) {
    if (changeId === requestIdOf(id)) return undefined;
    const requested = events.find((event) => event.kind === "requested" && event.changeId === changeId);
    const values = requested?.result.split("; ").map((line) => line.split(" → ").at(-1)) ?? [];
    if (values.includes(now)) return requested?.who;
  }
  return undefined;
}
