import { deliverEvent } from "../delivery/deliver-event.ts";
import { newId } from "../workspace/ids.ts";
import type { Channel, State, User } from "../workspace/state.ts";
import { addMember } from "../workspace/workspace.ts";
import { touch, type World } from "../world.ts";
import { unawaited } from "../../platform/waiting.ts";

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
