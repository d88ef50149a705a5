import type { Due } from "../workflow/due-kinds.ts";
import type { DueEnd } from "../workflow/due.ts";
import { followLinesPost, followPost } from "../workflow/watching/follow-posts.ts";
import type { WorkflowParts } from "../workflow/ports.ts";
import { alertPost } from "../workflow/watching/alert-post.ts";
import { digestPost } from "../workflow/watching/digest.ts";
import { watchNewsPost } from "../workflow/watching/watch-news.ts";
import { announcementPost } from "../workflow/post/announcement.ts";
import { changePost } from "../workflow/post/change-card.ts";
import { deliver } from "../workflow/post/deliver.ts";
import type { TakenCard } from "../workflow/posts.ts";
import { requesterPost } from "../workflow/post/requester-news.ts";

/** Delivers the message that is due, of which something is known if this replica posts it first. */
export function deliverPost(deps: WorkflowParts, due: Due, signal: AbortSignal, taken?: TakenCard): Promise<DueEnd> {
  const kinds = {
    alert: alertPost(deps),
    announcement: announcementPost(deps),
    change: changePost(deps, taken),
    digest: digestPost(deps, signal),
    follow: followPost(deps),
    "follow end": followPost(deps),
    "follow lines": followLinesPost(deps, signal),
    requester: requesterPost(deps),
    "watch news": watchNewsPost(deps),
  };
  return deliver(deps, kinds, due, taken?.post);
}
