import type { Delivery } from "../delivery/deliver.ts";
import { type JsonObject, textOf } from "../json.ts";
import type { Surface } from "../delivery/payloads.ts";
import type { Channel, User, View } from "../workspace/state.ts";
import { holdsMany } from "../block-kit.ts";
import { checkSignedIn, personNamed } from "../workspace/workspace.ts";
import type { World } from "../world.ts";
import {
  act,
  type Actor,
  isSilent,
  remember,
  suggest,
  useGlobalShortcut,
  useMessageShortcut,
  valueFor,
} from "./interactions.ts";
import {
  blocksAt,
  channelOf,
  clickables,
  drawMessage,
  findClickable,
  findField,
  type Found,
  type Seen,
  visibleMessages,
} from "./surfaces.ts";
import { deleteMessage, editMessage, sayText } from "./messages.ts";
import { closeView, noSuchField, noSuchFormButton, openForm, openHome, pressFormButton, submitView } from "./views.ts";

/** The conversation for an action. A channel by name or id; "@alex" is the direct conversation with alex. */
type Where = { readonly channel?: string; readonly thread?: string; readonly home?: boolean };

/** A message by its ts and its channel. */
type OnMessage = { readonly ts: string; readonly channel?: string };

export type Person = ReturnType<typeof createPerson>;

function messageSurfaces(world: World, user: User, where: Where): readonly Surface[] {
  const channel = channelOf(world, user, where.channel);
  const messages = visibleMessages(world.state, channel, user.id).filter(
    (message) => where.thread === undefined || message.threadTs === where.thread || message.ts === where.thread,
  );
  return messages.toReversed().map((message) => ({ in: "message", channel, message }));
}

/** The surfaces to search for an element, nearest first: a modal covers the channel. */
function surfaces(world: World, user: User, where: Where): readonly Surface[] {
  const view = where.home === true ? world.state.homes.get(user.id) : openForm(world, user);
  if (view !== undefined) return [{ in: "view", view }];
  return where.home === true ? [] : messageSurfaces(world, user, where);
}

type Target = { readonly actor: Actor; readonly found: Found };

function findTarget(
  world: World,
  user: User,
  asked: { where: Where; find: (blocks: readonly JsonObject[]) => Found | undefined },
): Target | undefined {
  for (const surface of surfaces(world, user, asked.where)) {
    const found = asked.find(blocksAt(surface));
    if (found !== undefined) return { actor: { user, surface }, found };
  }
  return undefined;
}

function field(world: World, user: User, asked: { where: Where; name: string }): Target {
  const target = findTarget(world, user, { where: asked.where, find: (blocks) => findField(blocks, asked.name) });
  if (target !== undefined) return target;
  const view = asked.where.home === true ? undefined : openForm(world, user);
  if (view !== undefined) throw noSuchField(view, asked.name);
  throw new Error(`${user.name} sees no field "${asked.name}".`);
}

type Click = { readonly label: string; readonly where: Where };

/** The error for a label that nothing clickable has. */
function nothingToClick(world: World, user: User, { label, where }: Click): Error {
  const view = where.home === true ? undefined : openForm(world, user);
  if (view !== undefined) {
    const behind = messageSurfaces(world, user, where);
    return noSuchFormButton(view, { label, isBehind: behind.some((each) => findClickable(blocksAt(each), label)) });
  }
  const all = surfaces(world, user, where).flatMap((surface) => clickables(blocksAt(surface)));
  const there = [...new Set(all)].join(", ") || "none";
  return new Error(`${user.name} sees no button "${label}" here. There are: ${there}.`);
}

async function click(world: World, user: User, asked: Click): Promise<Delivery> {
  const target = findTarget(world, user, { where: asked.where, find: (blocks) => findClickable(blocks, asked.label) });
  if (target === undefined) {
    const view = asked.where.home === true ? undefined : openForm(world, user);
    const pressed = view === undefined ? undefined : pressFormButton(world, user, { view, label: asked.label });
    if (pressed === undefined) throw nothingToClick(world, user, asked);
    return pressed;
  }
  const value = target.found.option === undefined ? {} : { selected_option: target.found.option };
  return act(world, target.actor, { found: target.found, value });
}

async function pick(world: World, target: Target, choice: string | readonly string[]): Promise<Delivery> {
  const choices = typeof choice === "string" ? [choice] : choice;
  const value = await valueFor(world, target.actor, { found: target.found, choices });
  remember(world, target.actor, { found: target.found, value });
  if (isSilent(target.found)) return { kind: "block_actions", acked: true, status: undefined, ms: 0 };
  return act(world, target.actor, { found: target.found, value });
}

function openModal(world: World, user: User): View {
  const view = openForm(world, user);
  if (view === undefined) throw new Error(`${user.name} has no form open.`);
  return view;
}

async function useShortcut(
  world: World,
  user: User,
  used: { readonly callbackId: string; readonly on: OnMessage | undefined },
): Promise<Delivery> {
  const { callbackId, on } = used;
  if (on === undefined) return useGlobalShortcut(world, user, callbackId);
  const channel = channelOf(world, user, on.channel);
  const message = visibleMessages(world.state, channel, user.id).find((each) => each.ts === on.ts);
  if (message === undefined) throw new Error(`${user.name} sees no message ${on.ts}`);
  return useMessageShortcut(world, { user, channel, message }, callbackId);
}

/**
 * One person's actions and view of the workspace. After Slack has signed them out, every action rejects with a
 * sentence.
 */
export function createPerson(world: World, nameOrId: string) {
  const user = personNamed(world.state, nameOrId);
  const acting = async <Done>(act: () => Promise<Done>): Promise<Done> => {
    checkSignedIn(user);
    return act();
  };
  const channelIn = (where: Where): Channel => channelOf(world, user, where.channel);
  return {
    id: user.id,
    name: user.name,
    /** Types text and sends it; resolves with the bot's ack or its failure. */
    says: (text: string, where: Where = {}) =>
      acting(async () => sayText(world, { user, channel: channelIn(where), thread: where.thread }, text)),
    /** Edits one of their messages; resolves when the bot has acked the event. */
    edits: (ts: string, text: string, where: Where = {}) =>
      acting(async () => editMessage(world, { user, channel: channelIn(where), ts }, text)),
    /** Deletes one of their messages. */
    deletes: (ts: string, where: Where = {}) =>
      acting(async () => deleteMessage(world, { user, channel: channelIn(where), ts })),
    /**
     * Clicks the newest button or overflow option with this text or action_id: in the open modal, else in the channel. A
     * modal's submit and close buttons count as well.
     */
    clicks: (label: string, where: Where = {}) => acting(() => click(world, user, { label, where })),
    /** Picks in the menu, or fills the field, with this action_id, block_id, label or placeholder. */
    selects: (name: string, choice: string | readonly string[], where: Where = {}) =>
      acting(async () => pick(world, field(world, user, { where, name }), choice)),
    /** The same with everything as text, as typed in a terminal: "a, b" for several choices, "" for none. */
    fills: (name: string, text: string, where: Where = {}) =>
      acting(async () => {
        const target = field(world, user, { where, name });
        const isMany = holdsMany(textOf(target.found.element["type"]));
        const choices = isMany ? text.split(",").map((each) => each.trim()) : [text];
        return pick(world, target, text === "" ? [] : choices);
      }),
    /** Types into an external select; returns the bot's options. */
    searches: (name: string, query: string, where: Where = {}) =>
      acting(async () => {
        const { actor, found } = field(world, user, { where, name });
        return suggest(world, actor, { found, query });
      }),
    /** Fills in fields of the open modal and submits it. */
    submits: (values: Readonly<Record<string, string | readonly string[]>> = {}) =>
      acting(async () => {
        const view = openModal(world, user);
        for (const [name, choice] of Object.entries(values)) {
          await pick(world, field(world, user, { where: {}, name }), choice);
        }
        return submitView(world, user, view);
      }),
    closes: () => acting(async () => closeView(world, openModal(world, user))),
    /** Opens the app's Home tab, or its messages. */
    opensHome: (tab: "home" | "messages" = "home") => acting(() => openHome(world, user, tab)),
    /** Uses a shortcut by its callback_id: on a message, or from the composer. */
    uses: (callbackId: string, on?: OnMessage) => acting(() => useShortcut(world, user, { callbackId, on })),
    /** The messages this person sees in a channel, oldest first, with replies and their own ephemeral messages. */
    sees: (channel?: string): readonly Seen[] =>
      visibleMessages(world.state, channelOf(world, user, channel), user.id).map((message) =>
        drawMessage(world.state, message),
      ),
    /** A channel's id; throws if it is unknown or the person is not in it. */
    channelId: (channel?: string) => channelOf(world, user, channel).id,
    modal: () => openForm(world, user),
    home: () => world.state.homes.get(user.id),
  };
}
