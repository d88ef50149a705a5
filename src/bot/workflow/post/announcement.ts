import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Announcement } from "../../changes/history-event.ts";
import type { Block } from "../../views/kit/blocks.ts";
import { type Post, sentAgain } from "../../views/kit/post.ts";
import type { WorkflowParts } from "../ports.ts";
import type { PostKind, StoredPost } from "../posts.ts";
import { mayBeNamed, type Named } from "./seen-there.ts";
import { watchNewsMessage } from "../../commands/verbs/watch/watch-message.ts";
import type { WatchNews } from "../../watch/watch.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";

/** A message that is sent once is dropped after this time: history and the list of watches still have it. */
const TELL_FOR_MS = 48 * 60 * 60_000;

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

/** It isn't told any more. */
export const over = { kind: "nothing", isOver: true } as const; // a literal kind

/** What a message says; undefined once it is too old to be told, or can't be opened. */
export function inTime(
  { clock }: Pick<WorkflowParts, "clock">,
  { payload, createdAt }: Pick<StoredPost, "payload" | "createdAt">,
  withinMs = TELL_FOR_MS,
): string | undefined {
  return clock.now().getTime() - createdAt.getTime() > withinMs ? undefined : payload;
}

/** Says what somebody did, even if they have left since. Names that policy hides there by now are left out. */
export function announcementPost(deps: WorkflowParts): PostKind {
  return async ({ teamId, place, ...post }) => {
    const payload = inTime(deps, post);
    if (payload === undefined) return over;
    const { text, blocks, by: userId, names } = AnnouncementJson.parse(JSON.parse(payload));
    const isNamed = names === "no workload" || (await mayBeNamed(deps, { teamId, userId, ...names }, place));
    if (isNamed === undefined) return { kind: "unknown" };
    const shown = isNamed ? { text, blocks } : names.unnamed;
    if (shown === undefined) return { kind: "nothing" };
    return { kind: "shown", card: async ({ isAgain }) => (isAgain ? sentAgain(shown) : shown) };
  };
}

type StoredNews = WatchNews & {
  /** Of an earlier version: Slack may have taken it. */
  readonly isMaybePosted?: boolean;
};

export const WatchNewsJson: z.ZodType<StoredNews> = z.object({
  target: z.object({ kind: z.enum(["service", "job"]).optional(), names: z.string(), region: z.string() }),
  owner: z.object({ userId: z.string(), name: z.string() }),
  place: z.union([
    z.object({ kind: z.literal("dm") }),
    z.object({ kind: z.literal("channel"), channelId: z.string() }),
  ]),
  source: z.enum(["person", "file"]),
  why: z.string().optional(),
  account: z.string().optional(),
  isMaybePosted: z.boolean().optional(),
}) as z.ZodType<StoredNews>; // an absent `why` or `account` is undefined

/** Schedules the message that a watch ended or goes on: for its place, and for its owner where Gantry can't post. */
export async function tellWatchNews({ store }: WorkflowParts, due: Due): Promise<DueEnd> {
  const { key, teamId, payload } = due;
  if (payload === undefined) return "done";
  const { place, owner, isMaybePosted } = WatchNewsJson.parse(JSON.parse(payload));
  const to = place.kind === "dm" ? owner.userId : place.channelId;
  const posts = isMaybePosted === true ? 1 : 0;
  await store.postDue(due, { kind: "watch news", key, teamId, payload, place: to, fallback: owner.userId, posts });
  return "ended";
}

/** The message that a watch ended or goes on; without the name of what was watched where policy hides it by now. */
export function watchNewsPost(deps: WorkflowParts): PostKind {
  return async ({ teamId, place, ...post }) => {
    const payload = inTime(deps, post);
    if (payload === undefined) return over;
    const news = WatchNewsJson.parse(JSON.parse(payload));
    const { account, owner, target } = news;
    const isNamed = await mayBeNamed(deps, { teamId, userId: owner.userId, account, targets: [target] }, place);
    if (isNamed === undefined) return { kind: "unknown" };
    return { kind: "shown", card: async ({ isAgain }) => watchNewsMessage(news, { isAgain, isNamed }) };
  };
}
