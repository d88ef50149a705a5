import { type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/refusal.ts";
import type { Channel, Message, User } from "../../workspace/state.ts";
import { directChannel, findChannel } from "../../workspace/workspace.ts";
import { isBots, type World } from "../../world.ts";

/** The channel of an argument, if the bot may see it. A user's id means the direct conversation with the bot. */
export function knownChannel(world: World, name: string): Channel {
  const { users, bot } = world.state;
  const user = users.get(name);
  const channel = user === undefined ? findChannel(world.state, name) : directChannel(world.state, user.id, bot.user);
  if (channel === undefined) refuse("channel_not_found", "channel.known", `no channel ${name}`);
  if (channel.kind !== "public" && !channel.members.has(bot.user)) {
    refuse("channel_not_found", "channel.known", `the bot is not in ${name}, and only members know of it`);
  }
  return channel;
}

export function checkOpen(channel: Channel, error = "is_archived"): void {
  if (channel.isArchived) refuse(error, "channel.archived", `#${channel.name} is archived`);
}

/** The channel of an argument, if the bot is a member and it is not archived. */
export function joinedChannel(world: World, name: string): Channel {
  const channel = knownChannel(world, name);
  checkOpen(channel);
  if (!channel.members.has(world.state.bot.user))
    refuse("not_in_channel", "channel.member", `the bot is not in #${channel.name}`);
  return channel;
}

export function knownUser(world: World, id: string): User {
  const user = world.state.users.get(id);
  if (user === undefined) refuse("user_not_found", "user.known", `no user ${id}`);
  return user;
}

function findMessage(world: World, channel: Channel, ts: string): Message | undefined {
  return world.state.messages.find((message) => message.channel === channel.id && message.ts === ts);
}

/** A message that everybody in the channel sees, so not an ephemeral one. */
export function publicMessage(world: World, channel: Channel, ts: string): Message {
  const message = findMessage(world, channel, ts);
  if (message === undefined) refuse("message_not_found", "message.known", `no message ${ts} in ${channel.id}`);
  if (message.ephemeralTo !== undefined) {
    refuse("message_not_found", "message.ephemeral", `message ${ts} is ephemeral`);
  }
  return message;
}

export function ownMessage(world: World, args: JsonObject, error: string): Message {
  const channel = knownChannel(world, textOf(args["channel"]));
  const message = publicMessage(world, channel, textOf(args["ts"]));
  if (!isBots(world, message)) refuse(error, "message.own", `message ${message.ts} is not the bot's`);
  // chat.update has its own error code for it: https://docs.slack.dev/reference/methods/chat.update#errors
  checkOpen(channel, "is_inactive");
  return message;
}

/** The thread of an argument; undefined if there is none, or if its first message was deleted. */
export function threadOf(world: World, channel: Channel, ts: string): string | undefined {
  if (ts === "") return undefined;
  if (!/^\d{10}\.\d{6}$/u.test(ts)) refuse("invalid_thread_ts", "thread.parent", `${ts} is no ts`);
  const parent = findMessage(world, channel, ts);
  const wasDeleted = world.state.deletions.some((each) => each.channel === channel.id && each.ts === ts);
  if (parent === undefined && wasDeleted) return undefined;
  if (parent === undefined) refuse("thread_not_found", "thread.parent", `no message ${ts} in ${channel.id}`);
  if (parent.ephemeralTo !== undefined)
    refuse("cannot_reply_to_message", "thread.parent", `message ${ts} is ephemeral`);
  if (parent.threadTs !== undefined)
    refuse("cannot_reply_to_message", "thread.parent", `message ${ts} is a reply itself`);
  return ts;
}

/** The thread of an ephemeral message. It must have replies; otherwise nobody would see the message. */
export function activeThread(world: World, channel: Channel, ts: string): string | undefined {
  const thread = threadOf(world, channel, ts);
  const isReply = (message: Message): boolean =>
    message.channel === channel.id && message.threadTs === thread && message.ephemeralTo === undefined;
  if (thread !== undefined && !world.state.messages.some(isReply)) {
    refuse("cannot_reply_to_message", "ephemeral.thread", `message ${ts} has no reply yet`);
  }
  return thread;
}
