import { type JsonObject, textOf } from "../json.ts";
import type { Surface } from "../delivery/payloads.ts";
import type { Channel, User } from "../workspace/state.ts";
import { elementsOf, holdsMany, stateName } from "../workspace/view-state.ts";
import { directChannel, directId, findChannel, findUser } from "../workspace/workspace.ts";
import type { World } from "../world.ts";
import { blocksAt } from "./interactions.ts";
import type { Found } from "./find-element.ts";
import { visibleMessages } from "./visible-messages.ts";

function partnerOf(world: World, name: string): string | undefined {
  if (!name.startsWith("@")) return undefined;
  return name === "@bot" || name === `@${world.app.botDisplayName}`
    ? world.state.bot.user
    : findUser(world.state, name)?.id;
}

/** A channel by name or id, "ops" by default; throws if it is unknown or the person is not in it. */
export function channelOf(world: World, user: User, name = "ops"): Channel {
  const partner = partnerOf(world, name);
  const channel = partner === undefined ? findChannel(world.state, name) : directChannel(world.state, user.id, partner);
  if (channel === undefined)
    throw new Error(`There's no channel "${name}". Channels: ops, general, incidents. Direct messages: @name.`);
  if (!channel.members.has(user.id)) throw new Error(`${user.name} isn't in #${channel.name}.`);
  return channel;
}

/** A reference to a message or view by ids, as the page sends it. */
type SurfaceRef =
  | { readonly in: "message"; readonly channel: string; readonly ts: string }
  | { readonly in: "view"; readonly id: string };

/** A channel by id; creates a direct conversation if necessary. Throws a sentence for the page. */
export function channelAt(world: World, user: User, id: string): Channel {
  const partner = [...world.state.users.keys()].find((each) => each !== user.id && directId(user.id, each) === id);
  return partner === undefined ? channelOf(world, user, id) : directChannel(world.state, user.id, partner);
}

/** The referenced message or view; throws a sentence if the person can't see it any more. */
export function surfaceAt(world: World, user: User, pointer: SurfaceRef): Surface {
  if (pointer.in === "view") {
    const views = [world.state.modals.get(user.id), world.state.homes.get(user.id)];
    const view = views.find((each) => each?.id === pointer.id);
    if (view === undefined) throw new Error("This form is closed.");
    return { in: "view", view };
  }
  const channel = channelAt(world, user, pointer.channel);
  const message = visibleMessages(world.state, channel, user.id).find((each) => each.ts === pointer.ts);
  if (message === undefined) throw new Error("This message was deleted.");
  return { in: "message", channel, message };
}

/** The element with these ids; throws a sentence if the bot has replaced it. */
export function elementAt(surface: Surface, ids: { readonly blockId: string; readonly actionId: string }): Found {
  for (const block of blocksAt(surface)) {
    if (block["block_id"] !== ids.blockId) continue;
    const element = elementsOf(block).find((each) => each["action_id"] === ids.actionId);
    if (element !== undefined) return { block, element };
  }
  throw new Error("This button or field no longer exists: the message has changed.");
}

/** Validates a value for this type of element and returns it as payloads carry it. Throws a sentence for the page. */
export function checkedValue(found: Found, value: JsonObject): JsonObject {
  const type = textOf(found.element["type"]);
  const name = type === "overflow" ? "selected_option" : stateName(type);
  if (name === undefined) return {};
  const held = value[name];
  if (held === undefined) throw new Error(`A ${type} holds ${name}; the page sent ${Object.keys(value).join(", ")}.`);
  if (holdsMany(type) !== Array.isArray(held)) throw new Error(`The value of a ${type} has another form than ${name}.`);
  return type === "overflow" ? { [name]: held } : { type, [name]: held };
}

/** The direct conversation of a person with the app. */
export function appChannel(world: World, user: User): Channel {
  return directChannel(world.state, user.id, world.state.bot.user);
}
