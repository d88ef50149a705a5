import type { Due } from "../workflow/due-kinds.ts";
import type { DueEnd } from "../workflow/due.ts";
import { followLinesPost, followPost } from "../workflow/watching/follow-posts.ts";
import type { WorkflowParts } from "../workflow/ports.ts";
import { alertPost } from "../workflow/watching/alert-post.ts";
import { digestPost } from "../workflow/watching/digest.ts";
import { announcementPost, watchNewsPost } from "../workflow/post/announcement.ts";
import { changePost } from "../workflow/post/change-card.ts";
import { deliver } from "../workflow/post/deliver.ts";
import type { PostKind, PostKindName, TakenCard } from "../workflow/posts.ts";
import { requesterPost } from "../workflow/post/requester-news.ts";

type Given = { readonly deps: WorkflowParts; readonly signal: AbortSignal; readonly taken: TakenCard | undefined };

const kinds: Readonly<Record<PostKindName, (given: Given) => PostKind>> = {
  alert: ({ deps }) => alertPost(deps),
  announcement: ({ deps }) => announcementPost(deps),
  change: ({ deps, taken }) => changePost(deps, taken),
  digest: ({ deps, signal }) => digestPost(deps, signal),
  follow: ({ deps, signal }) => followPost(deps, signal),
  "follow end": ({ deps, signal }) => followPost(deps, signal),
  "follow lines": ({ deps, signal }) => followLinesPost(deps, signal),
  requester: ({ deps }) => requesterPost(deps),
  "watch news": ({ deps }) => watchNewsPost(deps),
};

/** Delivers the message that is due, of which something is known if this replica posts it first. */
export function deliverPost(deps: WorkflowParts, due: Due, signal: AbortSignal, taken?: TakenCard): Promise<DueEnd> {
  return deliver(deps, (kind) => kinds[kind]({ deps, signal, taken }), due, taken?.post);
}
