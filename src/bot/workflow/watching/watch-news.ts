import { z } from "zod";
import { watchNewsMessage } from "../../commands/verbs/watch/watch-message.ts";
import type { WatchNews } from "../../watch/watch.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import { TELL_FOR_MS } from "../post/announcement.ts";
import { mayBeNamed } from "../post/seen-there.ts";
import type { PostKind } from "../posts.ts";
import type { WorkflowParts } from "../ports.ts";

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
  return async ({ payload, teamId, place, createdAt }) => {
    const isLate = deps.clock.now().getTime() - createdAt.getTime() > TELL_FOR_MS;
    if (payload === undefined || isLate) return { kind: "nothing", isOver: true };
    const news = WatchNewsJson.parse(JSON.parse(payload));
    const { account, owner, target } = news;
    const isNamed = await mayBeNamed(deps, { teamId, userId: owner.userId, account, targets: [target] }, place);
    if (isNamed === undefined) return { kind: "unknown" };
    return {
      kind: "shown",
      card: async ({ isAgain }) => watchNewsMessage(news, { isAgain, isNamed }),
    };
  };
}
