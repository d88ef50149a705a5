import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import { followEndPost } from "../log-follow-end.ts";
import type { WorkflowParts } from "../ports.ts";
import { alertPost } from "../watching/alert-post.ts";
import { digestPost } from "../watching/digest.ts";
import { watchNewsPost } from "../watching/watch-news.ts";
import { announcementPost } from "./announcement.ts";
import { changePost } from "./change-card.ts";
import { deliver } from "./deliver.ts";
import type { TakenCard } from "./post.ts";
import { requesterPost } from "./requester-news.ts";

/** Delivers the message that is due, of which something is known if this replica posts it first. */
export function deliverPost(deps: WorkflowParts, due: Due, signal: AbortSignal, taken?: TakenCard): Promise<DueEnd> {
  const kinds = {
    alert: alertPost(deps),
    announcement: announcementPost(deps),
    change: changePost(deps, taken),
    digest: digestPost(deps, signal),
    "follow end": followEndPost(deps),
    requester: requesterPost(deps),
    "watch news": watchNewsPost(deps),
  };
  return deliver(deps, kinds, due, taken?.post);
}
