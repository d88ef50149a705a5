import type { Delivery } from "../delivery/deliver.ts";
import { composedText } from "../workspace/escape.ts";
import { deliverEvent } from "../delivery/deliver-event.ts";
import type { JsonObject } from "../json.ts";
import { messageJson } from "../web-api/methods/message-json.ts";
import type { Channel, Message, User } from "../workspace/state.ts";
import { remove, touch, type World } from "../world.ts";
import { channelTypes, checkNotArchived, eventsOf } from "./messages.ts";

export type OwnMessage = { readonly user: User; readonly channel: Channel; readonly ts: string };

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
