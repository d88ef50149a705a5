import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { Message, Post, TextFile } from "../../views/kit/message.ts";
import type { Clients } from "./clients.ts";
import { isDirect } from "../../workflow/origin.ts";
import { closedPlaces, codeOf, refusedContent, uninvited } from "./slack-error.ts";

type ThreadParts = { readonly clients: Clients; readonly log: Logger; readonly newReference: () => string };

/**
 * - `complete`: all of it stands in the channel
 * - `incomplete`: it begins there, and Slack did not take the rest; why stands in the log
 * - `nowhere`: nothing was posted
 */
export type ThreadResult =
  | { readonly kind: "complete" }
  | { readonly kind: "incomplete"; readonly reference: string }
  | { readonly kind: "nowhere"; readonly canInvite: boolean };

/** Posts a head, then its replies and files below it, in order; all of it into a thread that exists. Never rejects. */
export async function postThread(parts: ThreadParts, message: Message, into: PostPlace): Promise<ThreadResult> {
  const { log } = parts;
  const { channel } = into;
  const head = await posted(parts, message, into);
  if ("error" in head) {
    const isExpected = uninvited.has(head.error) || closedPlaces.has(head.error);
    if (!isExpected)
      log.warn({ slackError: head.error, channelId: channel }, "Slack did not take the head of a thread");
    // A conversation of two people cannot be joined by a bot: https://docs.slack.dev/apis/web-api/using-the-conversations-api
    return { kind: "nowhere", canInvite: uninvited.has(head.error) && !isDirect(channel) };
  }
  // Of a person's id, Slack makes the conversation with them; only its own id takes files.
  const place = { channel: head.channel, thread_ts: into.thread_ts ?? head.ts };
  const failed = (await failedReply(parts, message, place)) ?? (await failedFile(parts, message, place));
  if (failed === undefined) return { kind: "complete" };
  const reference = parts.newReference();
  log.error({ reference, slackError: failed, channelId: channel }, "a thread could not be completed");
  return { kind: "incomplete", reference };
}

type ThreadPlace = { readonly channel: string; readonly thread_ts: string };

async function failedReply(parts: ThreadParts, { thread }: Message, place: ThreadPlace): Promise<string | undefined> {
  for (const reply of thread?.replies ?? []) {
    const result = await posted(parts, reply, place);
    if ("error" in result) return result.error;
  }
  return undefined;
}

async function failedFile(parts: ThreadParts, { thread }: Message, place: ThreadPlace): Promise<string | undefined> {
  for (const file of thread?.files ?? []) {
    const error = await uploadError(parts.clients.background, file, place);
    if (error !== undefined) return error;
  }
  return undefined;
}

type Posted = { readonly ts: string; readonly channel: string } | { readonly error: string };
type PostPlace = { readonly channel: string; readonly thread_ts?: string };

async function posted(parts: ThreadParts, post: Post, place: PostPlace): Promise<Posted> {
  const first = await postOnce(parts.clients.background, post, place);
  if (!("error" in first) || !refusedContent.has(first.error)) return first;
  const reference = parts.newReference();
  const blockTypes = post.blocks.map(({ type }) => type);
  parts.log.error({ reference, slackError: first.error, blockTypes }, "Slack refused our blocks");
  const text = `${post.text}\n(shown without its layout; reference ${reference})`;
  return postOnce(parts.clients.background, { text, blocks: [] }, place);
}

async function postOnce(client: WebClient, { text, blocks }: Post, place: PostPlace): Promise<Posted> {
  try {
    const { ts, channel = place.channel } = await client.chat.postMessage({
      ...place,
      text,
      ...(blocks.length > 0 && { blocks: [...blocks] }),
      unfurl_links: false,
      unfurl_media: false,
    });
    return ts === undefined ? { error: "no_ts" } : { ts, channel };
  } catch (error) {
    return { error: codeOf(error) };
  }
}

async function uploadError(client: WebClient, file: TextFile, place: ThreadPlace): Promise<string | undefined> {
  try {
    await client.files.uploadV2({
      channel_id: place.channel,
      thread_ts: place.thread_ts,
      filename: file.name,
      title: file.title,
      content: file.content,
    });
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}
