import { checkChunks } from "../../check/chunks.ts";
import { checkContent } from "../../check/message.ts";
import { isObject, objectsOf, type JsonObject, textOf } from "../../json.ts";
import { limits } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import type { Channel, Message } from "../../workspace/state.ts";
import { appendChunks, beginStream, openStream } from "../../workspace/streams.ts";
import { withIds } from "../../workspace/ids.ts";
import { isBots, post, type World } from "../../world.ts";
import { messageJson } from "./message-json.ts";
import type { Methods } from "./method.ts";
import { joinedChannel, knownUser, publicMessage, threadOf } from "./arguments.ts";

/** A call's markdown_text and chunks, as chunks. */
function chunksOf(args: JsonObject, before: number): readonly JsonObject[] {
  const text = textOf(args["markdown_text"]);
  if (text.length > limits["stream.markdown-text"].max) {
    refuse("msg_too_long", "stream.markdown-text", `${text.length} characters`);
  }
  const chunks = checkChunks(args["chunks"], before);
  return text === "" ? chunks : [{ type: "markdown_text", text }, ...chunks];
}

/** In a channel, Slack requires the recipient: only they see the text grow. */
function checkRecipient(world: World, channel: Channel, args: JsonObject): void {
  if (channel.kind === "im") return;
  const [user, team] = [textOf(args["recipient_user_id"]), textOf(args["recipient_team_id"])];
  if (user === "") refuse("missing_recipient_user_id", "stream.recipient", "no recipient_user_id");
  if (team === "") refuse("missing_recipient_team_id", "stream.recipient", "no recipient_team_id");
  knownUser(world, user);
}

function start(world: World, args: JsonObject): JsonObject {
  const channel = joinedChannel(world, textOf(args["channel"]));
  const threadTs = threadOf(world, channel, textOf(args["thread_ts"]));
  if (threadTs === undefined) refuse("invalid_arguments", "stream.reply", "no thread_ts");
  checkRecipient(world, channel, args);
  const chunks = chunksOf(args, 0);
  const message = post(world, { channel: channel.id, user: world.state.bot.user, text: "", threadTs });
  beginStream(world, message);
  appendChunks(world, message, chunks);
  return { channel: channel.id, ts: message.ts };
}

function streamed(world: World, args: JsonObject): Message {
  const message = publicMessage(world, joinedChannel(world, textOf(args["channel"])), textOf(args["ts"]));
  if (!isBots(world, message))
    refuse("message_not_owned_by_app", "message.own", `message ${message.ts} is not the bot's`);
  return message;
}

function append(world: World, args: JsonObject): JsonObject {
  const message = streamed(world, args);
  const chunks = chunksOf(args, openStream(world, message).blocks);
  if (chunks.length === 0) refuse("no_text", "stream.content", "neither markdown_text nor chunks");
  appendChunks(world, message, chunks);
  return { channel: message.channel, ts: message.ts };
}

function stop(world: World, args: JsonObject): JsonObject {
  const message = streamed(world, args);
  const stream = openStream(world, message);
  const chunks = chunksOf(args, stream.blocks);
  const count = objectsOf(args["blocks"]).length;
  if (count > limits["stream.end-blocks"].max) {
    refuse("msg_blocks_too_many", "stream.end-blocks", `${count} blocks at the end`);
  }
  const last = checkContent(
    { blocks: args["blocks"] ?? [] },
    { textLimit: "message.text", summed: true, needsText: false },
  );
  appendChunks(world, message, chunks);
  message.blocks = [...message.blocks, ...withIds(last.blocks ?? [])];
  if (isObject(args["metadata"])) message.metadata = args["metadata"];
  stream.isStopped = true;
  return { channel: message.channel, ts: message.ts, message: messageJson(world, message) };
}

const scopes = ["chat:write"];

/** https://docs.slack.dev/messaging/sending-and-scheduling-messages#text-streaming */
export const streams: Methods = {
  "chat.startStream": {
    scopes,
    required: { channel: "text" },
    optional: {
      thread_ts: "text",
      markdown_text: "text",
      chunks: "json",
      recipient_user_id: "text",
      recipient_team_id: "text",
      task_display_mode: "text",
      icon_emoji: "text",
      icon_url: "text",
      username: "text",
    },
    run: start,
  },
  "chat.appendStream": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: { markdown_text: "text", chunks: "json" },
    run: append,
  },
  "chat.stopStream": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: { markdown_text: "text", chunks: "json", blocks: "json", metadata: "json" },
    run: stop,
  },
};
