import { commandRequest } from "../delivery/bot-request.ts";
import { deliver, type Delivery } from "../delivery/deliver.ts";
import { composedText, escapeNames, escapeText } from "../workspace/escape.ts";
import { deliverEvent } from "../delivery/deliver-event.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { teamsOf } from "../web-api/methods/message-json.ts";
import { commandPayload } from "../delivery/payloads.ts";
import { respond } from "../web-api/response-url.ts";
import type { Channel, Message, User } from "../workspace/state.ts";
import { installOf, notice, post, touch, type World } from "../world.ts";
import { findUser } from "../workspace/workspace.ts";
import { enterChannel } from "./enter-channel.ts";

export const channelTypes = { public: "channel", private: "group", im: "im" } as const;

/** Throws: nobody writes in an archived channel. */
export function checkNotArchived({ name, isArchived }: Channel): void {
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
export function eventsOf(world: World, channel: Channel, text: string): readonly string[] {
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
