import { commandRequest } from "../delivery/bot-request.ts";
import { deliver, deliverEvent, type Delivery } from "../delivery/deliver.ts";
import { addMember, composedText, escapeNames, escapeText, findUser, newId } from "../workspace/workspace.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { messageJson, teamsOf } from "../web-api/methods/messages.ts";
import { commandPayload } from "../delivery/payloads.ts";
import { respond } from "../web-api/response-url.ts";
import type { Channel, Message, State, User } from "../workspace/state.ts";
import { installOf, notice, post, remove, touch, type World } from "../world.ts";
import { unawaited } from "../../platform/waiting.ts";

const channelTypes = { public: "channel", private: "group", im: "im" } as const;

/** Throws: nobody writes in an archived channel. https://docs.slack.dev/reference/methods/conversations.archive */
function checkNotArchived({ name, isArchived }: Channel): void {
  if (isArchived) throw new Error(`#${name} is archived, so nobody can post there.`);
}

type Speaker = { readonly user: User; readonly channel: Channel; readonly thread: string | undefined };

/** Shows the ack of a command to its user or to all. Plain text is allowed. */
function showAnswer(world: World, from: Speaker, answer: Json | undefined): void {
  if (answer === undefined) return;
  const body = isObject(answer) ? answer : { text: typeof answer === "string" ? answer : JSON.stringify(answer) };
  respond(world, { user: from.user.id, channel: from.channel.id }, body);
}

function notSent(kind: string, error: string): Delivery {
  return { kind, acked: false, status: undefined, ms: 0, error };
}

async function runCommand(world: World, from: Speaker, text: string): Promise<Delivery> {
  const [, command = "", words = ""] = /^(\S+)\s*([^]*)$/.exec(text) ?? [];
  const to = { user: from.user.id, channel: from.channel.id, thread: from.thread };
  if (runSlackCommand(world, from, text)) return { kind: "builtin_command", acked: true, status: undefined, ms: 0 };
  // https://docs.slack.dev/interactivity/implementing-slash-commands: apps' commands do not work in threads.
  if (from.thread !== undefined) {
    notice(world, to, `${command} is not supported in threads. Sorry!`);
    return notSent("slash_command", "not_supported_in_threads");
  }
  if (installOf(world) === undefined || !world.app.commands.includes(command)) {
    notice(world, to, `${command} is not a valid command.`);
    return notSent("slash_command", "invalid_command");
  }
  // https://docs.slack.dev/interactivity/implementing-slash-commands: "Escape channels, users, and links sent to your app".
  const typed = world.app.escapesNames === false ? escapeText(words) : escapeNames(world.state, words);
  const payload = commandPayload(world, from, { command, text: typed });
  const delivery = await deliver(world, {
    ...commandRequest(payload),
    onAck: (answer) => showAnswer(world, from, answer),
  });
  if (delivery.error !== undefined) notice(world, to, `${command} failed with the error "${delivery.error}"`);
  return delivery;
}

type Posted = { readonly message: Message; readonly channel: Channel };

/** The app's subscribed events for a message in a channel, as named in the manifest. */
function eventsOf(world: World, channel: Channel, text: string): readonly string[] {
  // An app only gets events of channels its bot is in.
  const { bot } = world.state;
  if (!channel.members.has(bot.user)) return [];
  const kind =
    channel.kind === "im" ? "message.im" : channel.kind === "private" ? "message.groups" : "message.channels";
  const mentioned = text.includes(`<@${bot.user}>`) && channel.kind !== "im" ? ["app_mention"] : [];
  return [...mentioned, kind].filter((event) => world.app.events.includes(event));
}

function eventOf(world: World, name: string, { message, channel }: Posted): JsonObject {
  const { ts, user, text } = message;
  const shared = { user, ...teamsOf(world, message), text, ts, event_ts: ts, channel: channel.id };
  const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs };
  if (name === "app_mention") return { type: "app_mention", ...shared, ...thread };
  return { type: "message", channel_type: channelTypes[channel.kind], ...shared, ...thread };
}

/** Slack tells people who mention an app in a channel without it. */
function noticeAbsence(world: World, from: Speaker, text: string): void {
  const { bot } = world.state;
  if (from.channel.kind === "im" || from.channel.members.has(bot.user) || !text.includes(`<@${bot.user}>`)) return;
  const to = { user: from.user.id, channel: from.channel.id, thread: from.thread };
  const name = world.app.botDisplayName;
  notice(world, to, `@${name} is not in this channel and does not hear you. To let it in, type /invite @${name}`);
}

async function sayWords(world: World, from: Speaker, text: string): Promise<Delivery> {
  const composed = composedText(world.state, text);
  const message = post(world, { channel: from.channel.id, user: from.user.id, text: composed, threadTs: from.thread });
  noticeAbsence(world, from, composed);
  const events = eventsOf(world, from.channel, composed);
  const deliveries = await Promise.all(
    events.map((name) => deliverEvent(world, eventOf(world, name, { message, channel: from.channel }))),
  );
  const posted: Delivery = { kind: "message", acked: true, status: undefined, ms: 0 };
  return { ...(deliveries[0] ?? posted), ts: message.ts };
}

/** Sends typed text: a command if it starts with a slash, otherwise a message. */
export async function sayText(world: World, from: Speaker, text: string): Promise<Delivery> {
  checkNotArchived(from.channel);
  return text.startsWith("/") ? runCommand(world, from, text.trim()) : sayWords(world, from, text);
}

/**
 * The two built-in commands that bots ask people to type:
 * https://slack.com/help/articles/201259356-Slash-commands-in-Slack
 */
const slackCommands = {
  "/invite": { verb: "invited", says: "is now in", change: enterChannel },
  "/remove": {
    verb: "removed",
    says: "left",
    change: (_world: World, { members }: Channel, { id }: User) => void members.delete(id),
  },
} as const;

/** Runs a built-in command such as "/invite @gantry"; false if it is none. */
function runSlackCommand(world: World, from: Speaker, text: string): boolean {
  const [, command = "", name = ""] = /^(\S+)\s*(\S*)/.exec(text) ?? [];
  const builtIn = Object.entries(slackCommands).find(([each]) => each === command)?.[1];
  if (builtIn === undefined) return false;
  const { channel } = from;
  const user = name === "" ? undefined : findUser(world.state, name);
  const to = { user: from.user.id, channel: channel.id, thread: from.thread };
  if (user === undefined || channel.kind === "im") {
    notice(world, to, `Nobody was ${builtIn.verb}. Type ${command} @name in a channel.`);
    return true;
  }
  builtIn.change(world, channel, user);
  touch(world);
  notice(world, to, `@${user.name} ${builtIn.says} #${channel.name}.`);
  return true;
}

/** Keys that name a channel, as in "user channel" and "user channel/thread". */
function renameKeys<Value>(map: Map<string, Value>, from: string, to: string): void {
  const named = [...map].filter(([key]) => key.includes(from));
  for (const [key, value] of named) {
    map.delete(key);
    map.set(key.replace(from, to), value);
  }
}

/** Everything in the channel goes with it, and its place in lists stays. */
function withId(state: State, channel: Channel, id: string): void {
  const all = [...state.channels.values()].map((each) => (each === channel ? { ...channel, id } : each));
  state.channels.clear();
  for (const each of all) state.channels.set(each.id, each);
  for (const [key, url] of state.responseUrls) {
    if (url.channel === channel.id) state.responseUrls.set(key, { ...url, channel: id });
  }
  renameKeys(state.reads, channel.id, id);
}

/** https://docs.slack.dev/reference/events/channel_id_changed goes to apps in the channel. */
function changeId(world: World, channel: Channel): void {
  const { state } = world;
  const id = newId("C");
  withId(state, channel, id);
  for (const message of state.messages.filter((each) => each.channel === channel.id)) {
    message.channel = id;
    touch(world, message);
  }
  if (!channel.members.has(state.bot.user) || !world.app.events.includes("channel_id_changed")) return;
  const ids = { old_channel_id: channel.id, new_channel_id: id };
  unawaited(deliverEvent(world, { type: "channel_id_changed", ...ids, event_ts: world.clock.ts() }));
}

/** Adds somebody to a channel. The first person of another organization in a private one gives it a new id. */
export function enterChannel(world: World, channel: Channel, user: User): void {
  const wasShared = channel.sharedWith.size > 0;
  addMember(world.state, channel, user);
  if (channel.kind === "private" && !wasShared && channel.sharedWith.size > 0) changeId(world, channel);
  touch(world);
}

type OwnMessage = { readonly user: User; readonly channel: Channel; readonly ts: string };

/** The person's own message; throws if it is somebody else's or gone. */
function ownMessage(world: World, { user, channel, ts }: OwnMessage): Message {
  checkNotArchived(channel);
  const message = world.state.messages.find((each) => each.channel === channel.id && each.ts === ts);
  if (message === undefined) throw new Error(`There is no message ${ts} in #${channel.name}.`);
  if (message.user !== user.id) throw new Error(`You can edit and delete only your own messages.`);
  return message;
}

/** A message as events carry it: a parent has its own thread_ts once it has replies. */
function inEvents(world: World, message: Message): JsonObject {
  const { state } = world;
  const isThread = state.messages.some((each) => each.channel === message.channel && each.threadTs === message.ts);
  return { ...messageJson(world, message), ...(isThread && { thread_ts: message.ts }) };
}

/** https://docs.slack.dev/reference/events/message/message_changed */
function changeEvent(world: World, channel: Channel, what: JsonObject): JsonObject {
  const ts = world.clock.ts();
  const inChannel = { channel: channel.id, channel_type: channelTypes[channel.kind] };
  return { type: "message", hidden: true, ...inChannel, ts, event_ts: ts, ...what };
}

async function deliverAll(world: World, events: readonly JsonObject[], ts: string): Promise<Delivery> {
  const deliveries = await Promise.all(events.map((event) => deliverEvent(world, event)));
  const silent: Delivery = { kind: "message", acked: true, status: undefined, ms: 0 };
  return { ...(deliveries[0] ?? silent), ts };
}

/**
 * Slack reports an edit that mentions the app as another `app_mention`, with a new event_id, the same ts, and
 * `edited`.
 */
export async function editMessage(world: World, own: OwnMessage, text: string): Promise<Delivery> {
  const { channel } = own;
  const message = ownMessage(world, own);
  const before = inEvents(world, message);
  message.text = composedText(world.state, text);
  message.editedTs = world.clock.ts();
  touch(world, message);
  const now = inEvents(world, message);
  const events = eventsOf(world, channel, message.text).map((name) =>
    name === "app_mention"
      ? { ...now, type: name, channel: channel.id, event_ts: message.editedTs ?? message.ts }
      : changeEvent(world, channel, { subtype: "message_changed", message: now, previous_message: before }),
  );
  return deliverAll(world, events, message.ts);
}

export async function deleteMessage(world: World, own: OwnMessage): Promise<Delivery> {
  const { channel } = own;
  const message = ownMessage(world, own);
  const before = inEvents(world, message);
  remove(world, message);
  const tombstone = world.state.messages.find((each) => each.channel === channel.id && each.ts === message.ts);
  // Slack sends no event for a deleted mention.
  const subscribed = eventsOf(world, channel, message.text).filter((name) => name !== "app_mention");
  const what =
    tombstone === undefined
      ? { subtype: "message_deleted", deleted_ts: message.ts, previous_message: before }
      : { subtype: "message_changed", message: inEvents(world, tombstone), previous_message: before };
  return deliverAll(
    world,
    subscribed.map(() => changeEvent(world, channel, what)),
    message.ts,
  );
}
