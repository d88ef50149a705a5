import { z } from "zod";
import { Ask } from "../../ask.ts";
import type { Card } from "../../changes/stored-change.ts";
import { type FollowEnd, followEnded } from "../../commands/verbs/logs/follow-messages.ts";
import { messageFor } from "../../views/kit/post.ts";
import type { NewPost, PostKind } from "../posts.ts";
import type { WorkflowParts } from "../ports.ts";

/** Then its message stays as it was. */
const DRAWN_WITHIN_MS = 7 * 24 * 60 * 60_000;

const EndJson = z.object({
  id: z.string(),
  ask: Ask,
  name: z.string(),
  requester: z.string(),
  forMs: z.number(),
  why: z.string(),
  afterMs: z.number(),
  shown: z.number(),
  skipped: z.number(),
  /** The username whose workload it is. */
  account: z.string().optional(),
});

type Ended = {
  readonly end: FollowEnd;
  /** Found when that person is erased. */
  readonly by: string;
  readonly account: string | undefined;
  readonly head: Card;
};

/** The message that a follow began with, which is to say that it is over. One that was deleted isn't posted again. */
export function endedHead(teamId: string, { end, by, account, head }: Ended): NewPost {
  const payload = JSON.stringify({ ...end, by, account });
  const place = { place: head.channelId, fallback: undefined, card: head, posts: 2 };
  return { kind: "follow end", key: end.id, teamId, payload, ...place };
}

/** It says nothing of the log. */
export function followEndPost({ clock }: Pick<WorkflowParts, "clock">): PostKind {
  return async ({ payload, createdAt }) => {
    const isLate = clock.now().getTime() - createdAt.getTime() > DRAWN_WITHIN_MS;
    if (payload === undefined || isLate) return { kind: "nothing", isOver: true };
    const { account, ...end } = EndJson.parse(JSON.parse(payload));
    const ended = followEnded(end);
    const card = account === undefined ? ended : messageFor(account, ended);
    return {
      kind: "shown",
      card: () => Promise.resolve(card),
      kept: { lacks: () => [], reply: () => Promise.resolve(undefined), restMs: 0 },
      isLast: true,
    };
  };
}
