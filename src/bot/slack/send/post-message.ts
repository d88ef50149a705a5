import type { WebClient } from "@slack/web-api";
import type { Card } from "../../changes/stored-change.ts";
import type { Post } from "../../views/kit/message.ts";
import type { Conversation } from "./messenger.ts";
import { type GoneThreads, ThreadGone } from "./thread-gone.ts";

export type Body = { text: string; blocks?: Post["blocks"][number][] };

/** Slack loads a preview of every link in a message unless told not to. */
const unfurl = { unfurl_links: false, unfurl_media: false } as const;

/** Throws `ThreadGone`, and takes its message back, when the thread's first message was deleted. */
export async function postMessage(
  client: WebClient,
  { channel, threadTs, goneThreads }: Conversation & { readonly goneThreads: GoneThreads },
  body: Body,
): Promise<Card> {
  if (threadTs === undefined) return sent(channel, await client.chat.postMessage({ channel, ...body, ...unfurl }));
  const thread = { channel, threadTs };
  if (goneThreads.has(thread)) throw new ThreadGone();
  const answer = await client.chat.postMessage({ channel, thread_ts: threadTs, ...body, ...unfurl });
  const posted = sent(channel, answer);
  if (answer.message === undefined || answer.message.thread_ts !== undefined) return posted;
  goneThreads.add(thread);
  // Without its thread it answers nothing, and it may not be for everybody in the channel.
  await client.chat.delete({ channel: posted.channelId, ts: posted.ts }).catch(() => undefined);
  throw new ThreadGone();
}

function sent(channel: string, { channel: id, ts }: { channel?: string; ts?: string }): Card {
  if (ts === undefined) throw new Error("Slack's answer holds no ts");
  return { channelId: id ?? channel, ts };
}
