import { z } from "zod";
import { watchNewsMessage } from "../../commands/verbs/watch/watch-message.ts";
import type { WatchNews } from "../../watch/watch.ts";
import { type Due, type DueEnd, renew } from "../due.ts";
import type { WorkflowParts } from "../ports.ts";

export const WatchNewsJson: z.ZodType<WatchNews & { readonly isMaybePosted?: boolean }> = z.object({
  target: z.object({ kind: z.enum(["service", "job"]).optional(), names: z.string(), region: z.string() }),
  owner: z.object({ userId: z.string(), name: z.string() }),
  place: z.union([
    z.object({ kind: z.literal("dm") }),
    z.object({ kind: z.literal("channel"), channelId: z.string() }),
  ]),
  source: z.enum(["person", "file"]),
  why: z.string().optional(),
  /** Slack may have taken it. */
  isMaybePosted: z.boolean().optional(),
}) as z.ZodType<WatchNews & { readonly isMaybePosted?: boolean }>; // an absent `why` is undefined

const TELL_AGAIN_MS = 30_000;
/** Then the list of watches and history still say it. */
const TELL_FOR_MS = 48 * 60 * 60_000;

/** Posts that a watch ended or goes on: in its place, or to its owner where Gantry can't post. */
export async function tellWatchNews(
  { store, responder, clock }: Pick<WorkflowParts, "store" | "responder" | "clock">,
  due: Due,
): Promise<DueEnd> {
  const { payload, createdAt, attempts } = due;
  if (payload === undefined || clock.now().getTime() - createdAt.getTime() > TELL_FOR_MS) return "done";
  const news = WatchNewsJson.parse(JSON.parse(payload));
  // An older version counted its attempts only.
  const { isMaybePosted = attempts > 1, place, owner } = news;
  const message = watchNewsMessage(news, { isAgain: isMaybePosted });
  await renew(store, due, JSON.stringify({ ...news, isMaybePosted: true }));
  for (const to of place.kind === "dm" ? [owner.userId] : [place.channelId, owner.userId]) {
    const attempt = await responder.postOnce(to, message);
    if (attempt.kind === "posted") return "done";
    if (attempt.kind === "later") {
      const { ms = TELL_AGAIN_MS, isUnsure } = attempt;
      const unsure = JSON.stringify({ ...news, isMaybePosted: isMaybePosted || isUnsure });
      return { ms: Math.max(ms, TELL_AGAIN_MS), payload: unsure, isFailure: true };
    }
    // Where the bot can't post, the owner of the watch is told.
  }
  return "done";
}
