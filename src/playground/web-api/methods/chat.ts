import { checkChunks, checkContent, type Content } from "../../check/message.ts";
import { isObject, type JsonObject, objectsOf, textOf } from "../../json.ts";
import { refuse } from "../../rules/refusal.ts";
import type { Channel, Message } from "../../workspace/state.ts";
import { type Draft, isBots, post, remove, touch, type World } from "../../world.ts";
import { withIds } from "../../workspace/ids.ts";
import { appendChunks, beginStream, isStreaming, openStream } from "../../workspace/streams.ts";
import { messageJson } from "./message-json.ts";
import { type Kind, type Methods, needScopes } from "./method.ts";
import {
  activeThread,
  joinedChannel,
  knownChannel,
  knownUser,
  ownMessage,
  postChannel,
  publicMessage,
  threadOf,
} from "./arguments.ts";
import { limits } from "../../rules/limits.ts";

const content: Readonly<Record<string, Kind>> = {
  text: "text",
  markdown_text: "text",
  blocks: "json",
  attachments: "json",
  parse: "text",
  link_names: "flag",
  as_user: "flag",
  metadata: "json",
};
const looks: Readonly<Record<string, Kind>> = { username: "text", icon_emoji: "text", icon_url: "text" };

function checkLooks(world: World, args: JsonObject): void {
  if (Object.keys(looks).some((name) => args[name] !== undefined)) needScopes(world, ["chat:write.customize"]);
}

function draftOf(checked: Content): Pick<Draft, "text" | "blocks" | "attachments" | "isMrkdwn" | "parsesNames"> {
  return {
    text: checked.text,
    blocks: checked.blocks ?? [],
    attachments: checked.attachments ?? [],
    isMrkdwn: checked.mrkdwn,
    parsesNames: checked.parsesNames,
  };
}

function postMessage(world: World, args: JsonObject): JsonObject {
  const channel = postChannel(world, textOf(args["channel"]));
  checkLooks(world, args);
  const checked = checkContent(args, { textLimit: "message.text", summed: true, needsText: true });
  const message = post(world, {
    ...draftOf(checked),
    channel: channel.id,
    user: world.state.bot.user,
    threadTs: threadOf(world, channel, textOf(args["thread_ts"])),
    isBroadcast: args["reply_broadcast"] === true && args["thread_ts"] !== undefined,
    metadata: isObject(args["metadata"]) ? args["metadata"] : undefined,
  });
  return { channel: channel.id, ts: message.ts, message: messageJson(world, message) };
}

function postEphemeral(world: World, args: JsonObject): JsonObject {
  const channel = joinedChannel(world, textOf(args["channel"]));
  checkLooks(world, args);
  const user = textOf(args["user"]);
  if (!channel.members.has(user) || world.state.users.get(user)?.isDeactivated === true)
    refuse("user_not_in_channel", "user.in-channel", `${user} is not in #${channel.name}`);
  const checked = checkContent(args, { textLimit: "message.text", summed: true, needsText: true });
  const threadTs = activeThread(world, channel, textOf(args["thread_ts"]));
  const message = post(world, {
    ...draftOf(checked),
    channel: channel.id,
    user: world.state.bot.user,
    threadTs,
    ephemeralTo: user,
  });
  return { message_ts: message.ts };
}

/** Changes a message. Omitted blocks and attachments stay; an empty list removes them. */
export function change(world: World, message: Message, checked: Content): void {
  message.text = checked.text;
  if (checked.blocks !== undefined) message.blocks = withIds(checked.blocks);
  if (checked.attachments !== undefined) message.attachments = checked.attachments;
  message.isMrkdwn = checked.mrkdwn;
  message.parsesNames = checked.parsesNames;
  message.editedTs = world.clock.ts();
  touch(world, message);
}

function update(world: World, args: JsonObject): JsonObject {
  const message = ownMessage(world, args, "cant_update_message");
  if (isStreaming(world, message)) {
    refuse("streaming_state_conflict", "stream.finished", `message ${message.ts} is still streamed`);
  }
  const checked = checkContent(args, { textLimit: "update.text", summed: true, needsText: true });
  if (isObject(args["metadata"])) message.metadata = args["metadata"];
  change(world, message, checked);
  return { channel: message.channel, ts: message.ts, text: message.text, message: messageJson(world, message) };
}

const scopes = ["chat:write"];

export const chat: Methods = {
  "chat.postMessage": {
    scopes,
    required: { channel: "text" },
    optional: {
      ...content,
      ...looks,
      mrkdwn: "flag",
      thread_ts: "text",
      reply_broadcast: "flag",
      unfurl_links: "flag",
      unfurl_media: "flag",
    },
    run: postMessage,
  },
  "chat.postEphemeral": {
    scopes,
    required: { channel: "text", user: "text" },
    optional: { ...content, ...looks, thread_ts: "text" },
    run: postEphemeral,
  },
  "chat.update": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: { ...content, reply_broadcast: "flag" },
    run: update,
  },
  "chat.delete": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: { as_user: "flag" },
    run(world, args) {
      const message = ownMessage(world, args, "cant_delete_message");
      remove(world, message);
      return { channel: message.channel, ts: message.ts };
    },
  },
  "chat.getPermalink": {
    scopes: [],
    required: { channel: "text", message_ts: "text" },
    optional: {},
    run(world, args) {
      const channel = knownChannel(world, textOf(args["channel"]));
      const { ts } = publicMessage(world, channel, textOf(args["message_ts"]));
      return { channel: channel.id, permalink: `${world.url()}/archives/${channel.id}/p${ts.replace(".", "")}` };
    },
  },
};

/** A call's markdown_text or chunks, as chunks. */
function chunksOf(args: JsonObject, before: number): readonly JsonObject[] {
  const text = textOf(args["markdown_text"]);
  if (text !== "" && args["chunks"] !== undefined) {
    refuse("invalid_arguments", "stream.one-content", "both markdown_text and chunks");
  }
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
  if (world.faults.refusesStreams) {
    refuse("channel_type_not_supported", "stream.allowed", "the workspace lets no app stream");
  }
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
  touch(world, message);
  return { channel: message.channel, ts: message.ts, message: messageJson(world, message) };
}

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
