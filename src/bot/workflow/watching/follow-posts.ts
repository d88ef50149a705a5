import { z } from "zod";
import { Ask } from "../../ask.ts";
import type { Card } from "../../changes/stored-change.ts";
import type { Context } from "../../commands/command.ts";
import { refusedRead } from "../../commands/lookup/authorize.ts";
import { followBegins, followEnded, followHead, followLines, followOver } from "../../commands/verbs/logs/following.ts";
import { logs } from "../../commands/verbs/logs/logs.ts";
import { SlackAway, UserError } from "../../errors.ts";
import { messageFor } from "../../views/kit/post.ts";
import { hasLeft } from "../access/approvers.ts";
import { contextFor } from "../access/context.ts";
import { isDirect } from "../origin.ts";
import type { NewPost, PostKind } from "../posts.ts";
import { inTime, over } from "../post/announcement.ts";
import type { WorkflowParts } from "../ports.ts";

// The messages of a followed log: the first one, with its Stop button, and those in its thread, which grow by lines.

export const FollowOrigin = z.object({
  userId: z.string(),
  teamId: z.string(),
  channelId: z.string(),
  threadTs: z.string().optional(),
  /** The username whose workload it is. */
  account: z.string().optional(),
});

type Reading = {
  readonly ask: Ask;
  readonly origin: z.infer<typeof FollowOrigin>;
  readonly requester: string;
  /** By now. */
  readonly channelId?: string;
};

type Reader =
  | { readonly kind: "may"; readonly context: Context }
  | { readonly kind: "mayNot"; readonly why: string }
  /** Slack can't say. */
  | { readonly kind: "unknown" };

/** Whether the requester may read the log there: asked before lines are read, and before each message with some is sent. */
export async function followReader(
  deps: WorkflowParts,
  { ask, origin: begun, requester, channelId = begun.channelId }: Reading,
  signal: AbortSignal,
): Promise<Reader> {
  const origin = { ...begun, channelId };
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    const isGone = context.asker.standing === "deactivated";
    if (isGone || (await refusedRead(logs, ask, context)) !== undefined) {
      return { kind: "mayNot", why: `${requester} may not read this log any more` };
    }
    if (!isDirect(channelId) && (await hasLeft(deps.people, channelId, origin.userId))) {
      return { kind: "mayNot", why: `${requester} left the channel` };
    }
    return { kind: "may", context };
  } catch (error) {
    if (error instanceof SlackAway) return { kind: "unknown" };
    // Without an account, and outside of a locked channel.
    if (!(error instanceof UserError)) throw error;
    return { kind: "mayNot", why: `${requester} can't read this log any more: ${error.message.replace(/\.$/u, "")}` };
  }
}

/** Then a message stays as it is. */
const DRAWN_WITHIN_MS = 7 * 24 * 60 * 60_000;

const Head = z.object({
  id: z.string(),
  ask: Ask,
  name: z.string(),
  requester: z.string(),
  forMs: z.number(),
  /** Found when that person is erased. */
  by: z.string(),
  account: z.string().optional(),
  /** Once it is over. */
  why: z.string().optional(),
  afterMs: z.number().default(0),
  shown: z.number().default(0),
  skipped: z.number().default(0),
});

/** The message that a follow begins with; its id is that of the follow. One that was deleted isn't posted again. */
export function headOf(teamId: string, card: Card, head: z.input<typeof Head>): NewPost {
  const { id } = head;
  const place = { place: card.channelId, fallback: undefined, card, posts: 2 };
  return { id, kind: "follow", key: id, teamId, payload: JSON.stringify(head), ...place };
}

/** Its end may say how the workload is, so the requester's right is asked again. */
export function followPost(deps: WorkflowParts, signal: AbortSignal): PostKind {
  return async ({ place, teamId, ...post }) => {
    const payload = inTime(deps, post, DRAWN_WITHIN_MS);
    if (payload === undefined) return over;
    const { account: username, why: ended, by, ...head } = Head.parse(JSON.parse(payload));
    const origin = { userId: by, teamId, channelId: place, account: username };
    const reader = ended === undefined ? undefined : await followReader(deps, { ...head, origin }, signal);
    if (reader?.kind === "unknown") return reader;
    const [why, account] = reader?.kind === "mayNot" ? [reader.why, undefined] : [ended, username];
    const drawn = why === undefined ? followHead(head) : followEnded({ ...head, why });
    return {
      kind: "shown",
      card: () => Promise.resolve(account === undefined || why === undefined ? drawn : messageFor(account, drawn)),
      kept: { lacks: () => [], reply: () => Promise.resolve(undefined), restMs: 0 },
      ...(why !== undefined && { isLast: true }),
    };
  };
}

const Lines = z.object({
  ask: Ask,
  name: z.string(),
  requester: z.string(),
  origin: FollowOrigin,
  /** Found when that person is erased. */
  by: z.string(),
  threadTs: z.string(),
  text: z.string(),
  /** Its last words, once the follow is over. */
  end: z.string().optional(),
  /** No more lines are added. */
  isLast: z.boolean(),
});

/** A message of the thread that grows. One that was deleted isn't posted again. */
export function linesOf(
  id: string,
  lines: z.input<typeof Lines>,
  { channelId, card }: { readonly channelId: string; readonly card: Card | undefined },
): NewPost {
  const place = { place: channelId, fallback: undefined, card, posts: card === undefined ? 1 : 2 };
  return { id, kind: "follow lines", key: id, teamId: lines.origin.teamId, payload: JSON.stringify(lines), ...place };
}

/** A new one is posted without its lines first: one whose confirmation is lost has none. */
export function followLinesPost(deps: WorkflowParts, signal: AbortSignal): PostKind {
  return async ({ place, ...post }) => {
    const payload = inTime(deps, post, DRAWN_WITHIN_MS);
    if (payload === undefined) return over;
    const { ask, name, requester, origin, threadTs, text, end, isLast } = Lines.parse(JSON.parse(payload));
    const reader = await followReader(deps, { ask, origin, requester, channelId: place }, signal);
    if (reader.kind !== "may") return reader.kind === "unknown" ? reader : over;
    return {
      kind: "shown",
      opening: () => followBegins(name),
      card: () => Promise.resolve(followLines(name, text, end)),
      threadTs,
      isOnlyInThread: true,
      isAwaited: true,
      // How much of it Slack shows.
      listed: [String(text.length)],
      kept: {
        // Where the message can't have its last words.
        lacks: ({ sentKeys, isShown }) => (isShown || end === undefined || sentKeys.includes("end") ? [] : ["end"]),
        reply: async () => (end === undefined ? undefined : followOver(name, end)),
        restMs: 0,
      },
      ...(isLast && { isLast: true }),
    };
  };
}
