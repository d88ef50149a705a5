import type { Due, DueEnd } from "../due.ts";
import { followEndPost } from "../log-follow-end.ts";
import type { WorkflowParts } from "../ports.ts";
import { alertPost } from "../watching/alert-post.ts";
import { digestPost } from "../watching/digest.ts";
import { watchNewsPost } from "../watching/watch-news.ts";
import { announcementPost } from "./announcement.ts";
import { deliver } from "./deliver.ts";

/** Delivers the message that is due. */
export function deliverPost(deps: WorkflowParts, due: Due, signal: AbortSignal): Promise<DueEnd> {
  const kinds = {
    alert: alertPost(deps),
    announcement: announcementPost(deps),
    digest: digestPost(deps, signal),
    "follow end": followEndPost(deps),
    "watch news": watchNewsPost(deps),
  };
  return deliver(deps, kinds, due);
}
