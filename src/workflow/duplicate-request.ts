import type { StoredChange } from "../changes/stored-change.ts";
import { duplicateMessage, type DuplicateRequest } from "../views/messages/duplicate-message.ts";
import { eligibility } from "./access/approvers.ts";
import { draw } from "../slack/cards/draw.ts";
import { viewerAt } from "./access/find-visible-change.ts";
import { namesFor } from "./access/approver-names.ts";
import type { Origin } from "./origin.ts";
import { maySeeChange } from "./access/records.ts";
import { sentences } from "../views/messages/sentences.ts";
import type { Shell } from "./shell.ts";
import type { Reply } from "./inbox/reply.ts";

type Asked = { readonly origin: Origin; readonly undoOf?: string | undefined; readonly reply: Reply };

/**
 * Answers a duplicate request or Undo by linking the earlier one's card, instead of creating another. People who may not
 * see the earlier request learn only that there is one.
 */
export async function pointAtEarlierRequest(
  shell: Shell,
  { origin, undoOf, reply }: Asked,
  earlier: StoredChange,
): Promise<void> {
  // Of two simultaneous requests, this one may get here before the other's card is posted.
  if (earlier.card === undefined) await draw(shell, earlier.id);
  if (undoOf !== undefined) await draw(shell, undoOf);
  const current = (await shell.store.findChange(earlier.id)) ?? earlier;
  const kind = undoOf !== undefined && current.undoOf === undoOf ? "undo" : "waiting";
  // People who may make a request may not always see who else made it, and where.
  const seesCard = current.card?.channelId === origin.channelId;
  if (!seesCard && !(await maySeeChange(shell, await viewerAt(shell, origin), current))) {
    return reply.send(sentences.askedAlready(kind), "done");
  }
  const { command, region: defaultRegion } = shell.settings;
  const message = duplicateMessage({
    change: current,
    kind,
    viewer: await viewerOf(shell, current, origin),
    link: await shell.cards.link(current),
    command,
    defaultRegion,
    names: await namesFor(shell, current),
  });
  return reply.send(message, "done");
}

async function viewerOf(
  { people }: Shell,
  { state, terms, requester, channelId, card }: StoredChange,
  { userId }: Origin,
): Promise<DuplicateRequest["viewer"]> {
  if (state !== "pending" || terms === undefined) return "other";
  const voter = { userId, requesterId: requester.userId, channelId: card?.channelId ?? terms.cardIn ?? channelId };
  const may = await eligibility(people, terms, voter).catch(() => undefined);
  if (may?.kind === "may") return "approver";
  return userId === requester.userId ? "requester" : "other";
}
