import type { StoredChange } from "../../changes/stored-change.ts";
import type { Settings } from "../../commands/command.ts";
import { duplicateMessage, type DuplicateRequest } from "../../views/messages/duplicate-message.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { namesFor } from "../access/approver-names.ts";
import { cardChannel, eligibility } from "../access/approvers.ts";
import { type FindDeps, viewerAt } from "../access/find-visible-change.ts";
import { maySeeChange } from "../access/records.ts";
import type { Reply } from "../inbox/reply.ts";
import type { Origin } from "../origin.ts";
import type { Cards, People } from "../ports.ts";

export type DuplicateDeps = FindDeps & {
  readonly cards: Pick<Cards, "draw" | "link">;
  readonly settings: Pick<Settings, "region">;
};

type Asked = { readonly origin: Origin; readonly undoOf?: string | undefined; readonly reply: Reply };

/**
 * Answers a duplicate request or Undo by linking the earlier one's card, instead of creating another. People who may not
 * see the earlier request learn only that there is one.
 */
export async function pointAtEarlierRequest(
  deps: DuplicateDeps,
  { origin, undoOf, reply }: Asked,
  earlier: StoredChange,
): Promise<void> {
  const { cards, people, settings } = deps;
  // Of two simultaneous requests, this one may get here before the other's card is posted.
  if (earlier.card === undefined) await cards.draw(earlier.id);
  if (undoOf !== undefined) await cards.draw(undoOf);
  const current = (await deps.store.find({ id: earlier.id })) ?? earlier;
  const kind = undoOf !== undefined && current.undoOf === undoOf ? "undo" : "waiting";
  // People who may make a request may not always see who else made it, and where.
  const seesCard = current.card?.channelId === origin.channelId;
  if (!seesCard && !(await maySeeChange(deps, await viewerAt(deps, origin), current))) {
    return reply.send(sentences.askedAlready(kind), "done");
  }
  const message = duplicateMessage({
    change: current,
    kind,
    viewer: await viewerOf(people, current, origin),
    link: await cards.link(current),
    defaultRegion: settings.region,
    names: await namesFor(people, current),
  });
  return reply.send(message, "done");
}

async function viewerOf(people: People, change: StoredChange, { userId }: Origin): Promise<DuplicateRequest["viewer"]> {
  const { state, terms, requester } = change;
  if (state !== "pending" || terms === undefined) return "other";
  const approver = { userId, requesterId: requester.userId, channelId: cardChannel(change) };
  const may = await eligibility(people, terms, approver).catch(() => undefined);
  if (may?.kind === "may") return "approver";
  return userId === requester.userId ? "requester" : "other";
}
