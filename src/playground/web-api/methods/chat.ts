import { checkContent, type Content } from "../../check/blocks.ts";
import { type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/refusal.ts";
import type { Message } from "../../workspace/state.ts";
import { withIds } from "../../workspace/workspace.ts";
import { post, remove, touch, type World } from "../../world.ts";
import { messageJson } from "./message-json.ts";
import {
  activeThread,
  joinedChannel,
  type Kind,
  knownChannel,
  type Methods,
  ownMessage,
  publicMessage,
  threadOf,
} from "./method.ts";

const content: Readonly<Record<string, Kind>> = { text: "text", blocks: "json" };

function postMessage(world: World, args: JsonObject): JsonObject {
  const channel = joinedChannel(world, textOf(args["channel"]));
  const message = post(world, {
    ...checkContent(args, { textLimit: "message.text", summed: true }),
    channel: channel.id,
    user: world.state.bot.user,
    threadTs: threadOf(world, channel, textOf(args["thread_ts"])),
  });
  return { channel: channel.id, ts: message.ts, message: messageJson(world, message) };
}

function postEphemeral(world: World, args: JsonObject): JsonObject {
  const channel = joinedChannel(world, textOf(args["channel"]));
  const user = textOf(args["user"]);
  if (!channel.members.has(user) || world.state.users.get(user)?.isDeactivated === true)
    refuse("user_not_in_channel", "user.in-channel", `${user} is not in #${channel.name}`);
  const checked = checkContent(args, { textLimit: "message.text", summed: true });
  const message = post(world, {
    ...checked,
    channel: channel.id,
    user: world.state.bot.user,
    threadTs: activeThread(world, channel, textOf(args["thread_ts"])),
    ephemeralTo: user,
  });
  return { message_ts: message.ts };
}

/** Changes a message. Omitted blocks stay; an empty list removes them. */
export function change(world: World, message: Message, checked: Content): void {
  message.text = checked.text;
  if (checked.blocks !== undefined) message.blocks = withIds(checked.blocks);
  message.editedTs = world.clock.ts();
  touch(world, message);
}

function update(world: World, args: JsonObject): JsonObject {
  const message = ownMessage(world, args, "cant_update_message");
  change(world, message, checkContent(args, { textLimit: "update.text", summed: true }));
  return { channel: message.channel, ts: message.ts, text: message.text, message: messageJson(world, message) };
}

const scopes = ["chat:write"];

export const chat: Methods = {
  "chat.postMessage": {
    scopes,
    required: { channel: "text" },
    optional: {
      ...content,
      thread_ts: "text",
      unfurl_links: "flag",
      unfurl_media: "flag",
    },
    run: postMessage,
  },
  "chat.postEphemeral": {
    scopes,
    required: { channel: "text", user: "text" },
    optional: { ...content, thread_ts: "text" },
    run: postEphemeral,
  },
  "chat.update": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: content,
    run: update,
  },
  "chat.delete": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: {},
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
