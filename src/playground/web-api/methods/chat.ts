import { checkContent, type Content } from "../../check/message.ts";
import { isObject, type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/refusal.ts";
import type { Message } from "../../workspace/state.ts";
import { type Draft, post, remove, touch, type World } from "../../world.ts";
import { withIds } from "../../workspace/ids.ts";
import { isStreaming } from "../../workspace/streams.ts";
import { messageJson } from "./message-json.ts";
import { type Kind, type Methods, needScopes } from "./method.ts";
import {
  activeThread,
  joinedChannel,
  knownChannel,
  ownMessage,
  postChannel,
  publicMessage,
  threadOf,
} from "./arguments.ts";

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

function drafted(checked: Content): Pick<Draft, "text" | "blocks" | "attachments" | "isMrkdwn" | "parsesNames"> {
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
    ...drafted(checked),
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
    ...drafted(checked),
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

function erase(world: World, args: JsonObject): JsonObject {
  const message = ownMessage(world, args, "cant_delete_message");
  remove(world, message);
  return { channel: message.channel, ts: message.ts };
}

function getPermalink(world: World, args: JsonObject): JsonObject {
  const channel = knownChannel(world, textOf(args["channel"]));
  const message = publicMessage(world, channel, textOf(args["message_ts"]));
  return { channel: channel.id, permalink: `${world.url()}/archives/${channel.id}/p${message.ts.replace(".", "")}` };
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
  "chat.delete": { scopes, required: { channel: "text", ts: "text" }, optional: { as_user: "flag" }, run: erase },
  "chat.getPermalink": {
    scopes: [],
    required: { channel: "text", message_ts: "text" },
    optional: {},
    run: getPermalink,
  },
};
