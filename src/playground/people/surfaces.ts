import { type JsonObject, objectsOf, textOf } from "../json.ts";
import type { Surface } from "../delivery/payloads.ts";
import type { Channel, Message, State, User } from "../workspace/state.ts";
import { elementsOf, holdsMany, stateName, wordsOf } from "../block-kit.ts";
import { directChannel, directId, findChannel, findUser } from "../workspace/workspace.ts";
import type { World } from "../world.ts";
import { drawBlocks, drawMrkdwn, newPen } from "../draw/draw.ts";

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

/** The element with these ids; undefined if the bot has replaced it. */
export function elementAt(
  surface: Surface,
  ids: { readonly blockId: string; readonly actionId: string },
): Found | undefined {
  for (const block of blocksAt(surface)) {
    if (block["block_id"] !== ids.blockId) continue;
    const element = elementsOf(block).find((each) => each["action_id"] === ids.actionId);
    if (element !== undefined) return { block, element };
  }
  return undefined;
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

/** An element in its block, and the chosen option. */
export type Found = { readonly block: JsonObject; readonly element: JsonObject; readonly option?: JsonObject };

/** The button, or the option of an overflow menu, with this text or action_id. */
export function findClickable(blocks: readonly JsonObject[], label: string): Found | undefined {
  for (const block of blocks) {
    for (const element of elementsOf(block)) {
      const isNamed = wordsOf(element) === label || element["action_id"] === label;
      if (element["type"] === "button" && isNamed) return { block, element };
      if (element["type"] !== "overflow") continue;
      const option = objectsOf(element["options"]).find((each) => wordsOf(each) === label || each["value"] === label);
      if (option !== undefined) return { block, element, option };
    }
  }
  return undefined;
}

/** The menu or field with this action_id, block_id, label or placeholder, in capitals or not. */
export function findField(blocks: readonly JsonObject[], name: string): Found | undefined {
  const wanted = name.toLowerCase();
  for (const block of blocks) {
    for (const element of elementsOf(block)) {
      if (element["type"] === "button") continue;
      const names = [element["action_id"], block["block_id"], wordsOf(block, "label"), wordsOf(element, "placeholder")];
      if (names.some((each) => typeof each === "string" && each.toLowerCase() === wanted)) return { block, element };
    }
  }
  return undefined;
}

/** The labels of everything clickable, for error messages. */
export function clickables(blocks: readonly JsonObject[]): readonly string[] {
  return blocks.flatMap((block) =>
    elementsOf(block).flatMap((element) => {
      if (element["type"] === "button") return [wordsOf(element)];
      return element["type"] === "overflow" ? objectsOf(element["options"]).map((option) => wordsOf(option)) : [];
    }),
  );
}

/** The options of an element, or of an answer to block_suggestion, which may group them. */
export function optionsOf(offering: JsonObject): readonly JsonObject[] {
  const grouped = objectsOf(offering["option_groups"]).flatMap((group) => objectsOf(group["options"]));
  return [...objectsOf(offering["options"]), ...grouped];
}

export function optionNamed(options: readonly JsonObject[], name: string): JsonObject | undefined {
  return options.find((option) => wordsOf(option) === name || option["value"] === name);
}

export function blocksAt(surface: Surface): readonly JsonObject[] {
  return surface.in === "view" ? objectsOf(surface.view.content["blocks"]) : surface.message.blocks;
}

type SeenFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly size: number;
  readonly content: string;
};

/** One message as one person sees it. */
export type Seen = {
  readonly ts: string;
  readonly threadTs: string | undefined;
  /** A reply that the channel shows, too. */
  readonly isBroadcast: boolean;
  /** The author's name. */
  readonly author: string;
  /** The drawn blocks, or the text if there are none. */
  readonly text: string;
  /** The drawn top-level text: used by notifications and screen readers. */
  readonly notification: string;
  readonly blocks: readonly JsonObject[];
  readonly isEphemeral: boolean;
  readonly isEdited: boolean;
  readonly files: readonly SeenFile[];
  /** Live mentions in the blocks or the top-level text: "@channel", "@dana". */
  readonly mentions: readonly string[];
  /** Live links: URLs, and "#ops" for a channel. */
  readonly links: readonly string[];
  readonly revision: number;
};

export function drawMessage(state: State, message: Message): Seen {
  const pen = newPen(state);
  const notification = drawMrkdwn(pen, message.text);
  const body = message.blocks.length === 0 ? notification : drawBlocks(pen, message.blocks);
  return {
    ts: message.ts,
    threadTs: message.threadTs,
    isBroadcast: message.isBroadcast === true,
    author: state.users.get(message.user)?.name ?? message.user,
    text: body,
    notification,
    blocks: message.blocks,
    isEphemeral: message.ephemeralTo !== undefined,
    isEdited: message.editedTs !== undefined,
    files: message.files.map(({ id, name, title, bytes }) => {
      return { id, name, title, size: bytes.byteLength, content: new TextDecoder().decode(bytes) };
    }),
    mentions: [...new Set(pen.mentions)],
    links: [...new Set(pen.links)],
    revision: message.revision,
  };
}

/** The messages of a channel that a person sees, oldest first; none when they are not in it. */
export function visibleMessages(state: State, channel: Channel, user: string): readonly Message[] {
  if (!channel.members.has(user)) return [];
  return state.messages.filter(
    (message) => message.channel === channel.id && (message.ephemeralTo === undefined || message.ephemeralTo === user),
  );
}
