import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Announcement } from "../../changes/history-event.ts";
import type { Block } from "../../views/kit/blocks.ts";
import { type Post, sentAgain } from "../../views/kit/post.ts";
import type { WorkflowParts } from "../ports.ts";
import type { PostKind } from "../posts.ts";

/** What is told once is told within this time. Later, history and the list of watches say it. */
export const TELL_FOR_MS = 48 * 60 * 60_000;

const AnnouncementJson = z.object({
  text: z.string(),
  blocks: z.custom<Block[]>((value) => Array.isArray(value)),
  /** Found when that person is erased. */
  by: z.string(),
});

/** A message for everybody in a channel, to be stored with what it tells. */
export function announcement(channelId: string, by: string, { text, blocks }: Post): Announcement {
  return { id: randomUUID(), channelId, payload: JSON.stringify({ text, blocks, by }) };
}

/** Whoever did it was just allowed to do it there. */
export function announcementPost({ clock }: Pick<WorkflowParts, "clock">): PostKind {
  return async ({ payload, createdAt }) => {
    const isLate = clock.now().getTime() - createdAt.getTime() > TELL_FOR_MS;
    if (payload === undefined || isLate) return { kind: "nothing", isOver: true };
    const { text, blocks } = AnnouncementJson.parse(JSON.parse(payload));
    return { kind: "shown", card: async ({ isAgain }) => (isAgain ? sentAgain({ text, blocks }) : { text, blocks }) };
  };
}
