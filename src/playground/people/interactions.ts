import { interactionRequest } from "../delivery/bot-request.ts";
import { deliver, type Delivery, notDelivered } from "../delivery/deliver.ts";
import { isObject, type Json, type JsonObject, objectOf, textOf } from "../json.ts";
import { holdsMany, stateName, wordsOf } from "../block-kit.ts";
import { query } from "../rules/limits.ts";
import {
  actionsPayload,
  globalShortcutPayload,
  messageShortcutPayload,
  suggestionPayload,
  type Surface,
} from "../delivery/payloads.ts";
import { refuse, Refused } from "../rules/rules.ts";
import type { Channel, Message, User } from "../workspace/state.ts";
import { findUser } from "../workspace/workspace.ts";
import { notice, type Shortcut, touch, type World } from "../world.ts";
import { newSite } from "../check/shape.ts";
import { suggestion } from "../check/elements.ts";
import { type Found, optionNamed, optionsOf } from "./surfaces.ts";

export type Actor = { readonly user: User; readonly surface: Surface };

function actionOf(found: Found, value: JsonObject): JsonObject {
  const { element, block } = found;
  const kept = Object.fromEntries(
    ["text", "value", "style", "url", "placeholder"].flatMap((name) => {
      const each = element[name];
      return each === undefined ? [] : [[name, each]];
    }),
  );
  return {
    type: textOf(element["type"]),
    action_id: textOf(element["action_id"]),
    block_id: textOf(block["block_id"]),
    ...kept,
    ...value,
  };
}

/** Sends block_actions for one element and its new value. */
export async function act(world: World, actor: Actor, found: { found: Found; value: JsonObject }): Promise<Delivery> {
  const payload = actionsPayload(world, actor, actionOf(found.found, found.value));
  const delivery = await deliver(world, {
    ...interactionRequest("block_actions", payload),
    onAck(answer) {
      if (answer !== undefined) refuse("unexpected_body", "ack.body", "the answer has a body");
    },
  });
  if (delivery.error !== undefined && actor.surface.in === "message") {
    notice(
      world,
      { user: actor.user.id, channel: actor.surface.channel.id, thread: actor.surface.message.threadTs },
      `This app did not respond: ${delivery.error}`,
    );
  }
  return delivery;
}

/** Over HTTP, Slack sends block_suggestion to its own URL, and not at all if the manifest has none. */
async function askOptions(world: World, payload: JsonObject): Promise<Delivery> {
  const kind = "block_suggestion";
  if (world.app.hasOptionsUrl !== false || world.app.usesSocketMode === true) {
    return deliver(world, { ...interactionRequest(kind, payload), onAck: checkSuggestion });
  }
  const message = "the manifest has no settings.interactivity.message_menu_options_url";
  return notDelivered(world, { kind, payload }, { error: "no_options_url", rule: "options.address", message });
}

/** The number of typed characters from which Slack asks for options. */
function neededLength(element: JsonObject): number {
  return Number(element["min_query_length"] ?? query.min);
}

/** Asks the bot for the options, or option groups, of an external select. `answer` is unchanged. */
export async function suggestions(
  world: World,
  actor: Actor,
  asked: { found: Found; query: string },
): Promise<{ readonly delivery: Delivery; readonly answer: JsonObject }> {
  const { element, block } = asked.found;
  if (asked.query.length < neededLength(element)) {
    return { delivery: { kind: "block_suggestion", acked: true, status: undefined, ms: 0 }, answer: { options: [] } };
  }
  const payload = suggestionPayload(world, actor, {
    action_id: textOf(element["action_id"]),
    block_id: textOf(block["block_id"]),
    value: asked.query,
  });
  const delivery = await askOptions(world, payload);
  return { delivery, answer: objectOf(delivery.answer) };
}

/** The options the bot offers for what was typed into an external select. */
export async function suggest(
  world: World,
  actor: Actor,
  asked: { found: Found; query: string },
): Promise<readonly JsonObject[]> {
  return optionsOf((await suggestions(world, actor, asked)).answer);
}

function checkSuggestion(answer: Json | undefined): void {
  if (!isObject(answer)) refuse("invalid_options", "options.answer", "the answer is not a JSON object");
  const site = newSite("modal");
  suggestion(answer, "", site);
  if (site.problems.length > 0) throw new Refused("invalid_options", site.problems);
}

async function chooseOption(world: World, actor: Actor, asked: { found: Found; choice: string }): Promise<JsonObject> {
  const { found, choice } = asked;
  const isExternal = textOf(found.element["type"]).endsWith("external_select");
  const needed = neededLength(found.element);
  if (isExternal && choice.length < needed)
    throw new Error(`Type at least ${needed} characters to search. "${choice}" is too short.`);
  const options = isExternal ? await suggest(world, actor, { found, query: choice }) : optionsOf(found.element);
  const option = optionNamed(options, choice) ?? (isExternal && options.length === 1 ? options[0] : undefined);
  if (option === undefined) {
    const names = options.map((each) => wordsOf(each)).join(", ");
    throw new Error(`"${choice}" isn't an option. Options: ${names || "none"}.`);
  }
  return option;
}

/** The payload value for entering or picking `choices` in the element. */
export async function valueFor(
  world: World,
  actor: Actor,
  asked: { found: Found; choices: readonly string[] },
): Promise<JsonObject> {
  const { found, choices } = asked;
  const type = textOf(found.element["type"]);
  const name = stateName(type);
  if (name === undefined) throw new Error(`A ${type} has nothing to choose.`);
  const values: Json[] = [];
  for (const choice of choices) {
    if (name.startsWith("selected_option")) values.push(await chooseOption(world, actor, { found, choice }));
    else
      values.push(name === "selected_user" && choice !== "" ? (findUser(world.state, choice)?.id ?? choice) : choice);
  }
  if (holdsMany(type)) return { type, [name]: values };
  const [value = null] = values;
  return { type, [name]: value === "" ? null : value };
}

/** Stores an entered value in the view's state. */
export function remember(world: World, actor: Actor, entered: { found: Found; value: JsonObject }): void {
  if (actor.surface.in !== "view") return;
  const { view } = actor.surface;
  const blockId = textOf(entered.found.block["block_id"]);
  const actions = { ...view.state[blockId], [textOf(entered.found.element["action_id"])]: entered.value };
  view.state = { ...view.state, [blockId]: actions };
  touch(world, view);
}

/** Elements in input blocks send actions only with dispatch_action. */
export function isSilent(found: Found): boolean {
  return found.block["type"] === "input" && found.block["dispatch_action"] !== true;
}

function shortcutOf(world: World, type: Shortcut["type"], callbackId: string): Shortcut {
  const found = world.app.shortcuts?.find((each) => each.type === type && each.callbackId === callbackId);
  if (found === undefined) throw new Error(`${world.app.name} has no ${type} shortcut "${callbackId}".`);
  return found;
}

/** Runs a global shortcut. */
export async function useGlobalShortcut(world: World, user: User, callbackId: string): Promise<Delivery> {
  shortcutOf(world, "global", callbackId);
  return deliver(world, interactionRequest("shortcut", globalShortcutPayload(world, user, callbackId)));
}

/** Runs a message shortcut. Ephemeral messages have none. */
export async function useMessageShortcut(
  world: World,
  at: { readonly user: User; readonly channel: Channel; readonly message: Message },
  callbackId: string,
): Promise<Delivery> {
  const { name } = shortcutOf(world, "message", callbackId);
  if (at.message.ephemeralTo !== undefined) throw new Error("Messages only visible to you have no shortcuts.");
  const delivery = await deliver(
    world,
    interactionRequest("message_action", messageShortcutPayload(world, at, callbackId)),
  );
  if (delivery.error !== undefined) {
    const to = { user: at.user.id, channel: at.channel.id, thread: at.message.threadTs };
    notice(world, to, `"${name}" failed with the error "${delivery.error}"`);
  }
  return delivery;
}
