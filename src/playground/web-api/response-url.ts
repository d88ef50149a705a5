import { checkContent } from "../check/blocks.ts";
import type { Channel, Message, ResponseUrl } from "../workspace/state.ts";
import { findChannel, newId } from "../workspace/workspace.ts";
import { isObject, type Json, type JsonObject, textOf } from "../json.ts";
import { limits, times } from "../rules/limits.ts";
import { change } from "./methods/messages.ts";
import { checkOpen, readArguments, threadOf } from "./methods/method.ts";
import { refuse } from "../rules/rules.ts";
import { post, type World } from "../world.ts";

export type Origin = { readonly user: string; readonly channel: string; readonly original?: Message | undefined };

/** A response_url for an interaction: 5 uses within 30 minutes, whether or not the bot is a member of the channel. */
export function newResponseUrl(world: World, origin: Origin): string {
  const id = newId("R");
  const { user, channel, original } = origin;
  world.state.responseUrls.set(id, { user, channel, original, madeMs: world.clock.nowMs(), uses: 0 });
  return `${world.url()}/response/${id}`;
}

const fields = {
  text: "text",
  blocks: "json",
  response_type: "text",
  replace_original: "flag",
  thread_ts: "text",
} as const; // literal kinds

/** The thread of an answer: only for public answers that don't replace the original. */
function threadFor(world: World, channel: Channel, body: JsonObject): string | undefined {
  const thread = threadOf(world, channel, textOf(body["thread_ts"]));
  if (thread === undefined) return undefined;
  if (body["response_type"] !== "in_channel" || body["replace_original"] !== false) {
    const message = "thread_ts without response_type in_channel and replace_original false";
    refuse("invalid_arguments", "response-url.thread", message);
  }
  return thread;
}

/** Answers an interaction, by its response_url or in the body of its ack. Throws Refused. */
export function respond(world: World, origin: Origin, body: Json | undefined): void {
  if (!isObject(body)) refuse("invalid_payload", "method.arguments", "the body is not a JSON object");
  const sent = readArguments({ required: {}, optional: fields }, body);
  const type = sent["response_type"] ?? "ephemeral";
  if (type !== "ephemeral" && type !== "in_channel") {
    refuse("invalid_arguments", "method.arguments", "response_type must be ephemeral or in_channel");
  }
  const content = checkContent(sent, { textLimit: "message.text", summed: false });
  const isPublic = type === "in_channel";
  if (sent["replace_original"] === true && origin.original !== undefined) {
    if (isPublic && origin.original.ephemeralTo !== undefined) {
      refuse("invalid_response_type", "response-url.public", "replaces an ephemeral message with an in_channel one");
    }
    // The whole message is replaced; only chat.update keeps blocks that it does not mention.
    const { text, blocks = [] } = content;
    return change(world, checkNotDeleted(world, origin.original), { text, blocks });
  }
  const channel = findChannel(world.state, origin.channel);
  if (channel === undefined) refuse("channel_not_found", "channel.known", `no channel ${origin.channel}`);
  checkOpen(channel);
  post(world, {
    channel: channel.id,
    user: world.state.bot.user,
    ...content,
    threadTs: threadFor(world, channel, sent),
    ephemeralTo: isPublic ? undefined : origin.user,
  });
}

function checkNotDeleted(world: World, message: Message): Message {
  if (!world.state.messages.includes(message))
    refuse("message_not_found", "message.known", `message ${message.ts} was deleted`);
  return message;
}

/** Counts one use of a response_url; throws Refused if it is unknown, expired or used up. */
export function useResponseUrl(world: World, id: string): ResponseUrl {
  const url = world.state.responseUrls.get(id);
  if (url === undefined) refuse("invalid_url", "response-url.known", "no such response_url");
  const age = world.clock.nowMs() - url.madeMs;
  if (age > times.responseUrl.ms)
    refuse("expired_url", "response-url.fresh", `it is ${Math.round(age / 60_000)} minutes old`);
  if (url.uses >= limits["response-url.uses"].max)
    refuse("used_url", "response-url.uses", `it was used ${url.uses} times`);
  url.uses += 1;
  return url;
}
