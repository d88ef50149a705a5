import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Announcement } from "../../changes/history-event.ts";
import type { Block } from "../../views/kit/blocks.ts";
import { type Post, sentAgain } from "../../views/kit/post.ts";
import type { WorkflowParts } from "../ports.ts";
import type { PostKind } from "../posts.ts";
import { mayBeNamed, type Named } from "./seen-there.ts";

/** A message that is sent once is dropped after this time: history and the list of watches still have it. */
export const TELL_FOR_MS = 48 * 60 * 60_000;

const BlocksJson = z.custom<Block[]>((value) => Array.isArray(value));

const NamesJson = z.object({
  account: z.string(),
  targets: z.array(z.object({ kind: z.enum(["service", "job"]).optional(), names: z.string(), region: z.string() })),
  /** An earlier version stored none. */
  unnamed: z.object({ text: z.string(), blocks: BlocksJson }).optional(),
});

const AnnouncementJson = z.object({
  text: z.string(),
  blocks: BlocksJson,
  /** Found when that person is erased. */
  by: z.string(),
  /** An earlier version stored none, and told all of it. */
  names: z.union([z.literal("no workload"), NamesJson]).default("no workload"),
});

type Told = {
  /** Who did it. */
  readonly by: string;
  /** What it names, and the message without that: policy may hide it from the place before Slack takes the message. */
  readonly names: "no workload" | (Pick<Named, "account" | "targets"> & { readonly unnamed: Post });
  readonly post: Post;
};

/** A message for everybody in a channel, to be stored with what it tells. */
export function announcement(channelId: string, { by, names, post: { text, blocks } }: Told): Announcement {
  return { id: randomUUID(), channelId, payload: JSON.stringify({ text, blocks, by, names }) };
}

/** Says what somebody did, even if they have left since. Names that policy hides there by now are left out. */
export function announcementPost(deps: WorkflowParts): PostKind {
  return async ({ payload, teamId, place, createdAt }) => {
    const isLate = deps.clock.now().getTime() - createdAt.getTime() > TELL_FOR_MS;
    if (payload === undefined || isLate) return { kind: "nothing", isOver: true };
    const { text, blocks, by: userId, names } = AnnouncementJson.parse(JSON.parse(payload));
    const isNamed = names === "no workload" || (await mayBeNamed(deps, { teamId, userId, ...names }, place));
    if (isNamed === undefined) return { kind: "unknown" };
    const post = isNamed ? { text, blocks } : names.unnamed;
    if (post === undefined) return { kind: "nothing" };
    return { kind: "shown", card: async ({ isAgain }) => (isAgain ? sentAgain(post) : post) };
  };
}
