import { type Json, type JsonObject, textOf, isList, isObject, objectsOf } from "../../json.ts";
import { stateName, wordsOf, holdsMany } from "../../block-kit.ts";

export type BlockProps = { readonly block: JsonObject; readonly context: BlockContext };

export type ElementRef = { readonly blockId: string; readonly actionId: string };

/** A person or channel that can be picked by name. */
export type Listed = { readonly id: string; readonly name: string };

/** The page's services for blocks. */
export type BlockContext = {
  /** Names for mentions, without @ and #; an unknown id is returned unchanged. */
  user(id: string): string;
  channel(id: string): string;
  usergroup(id: string): string;
  /** Choices of users_select and conversations_select, with @ or # in their names. */
  listed(what: "users" | "conversations"): readonly Listed[];
  /** Sends an action to the bot; resolves on its ack, rejects without one. */
  act(event: ElementRef & { readonly value: JsonObject }): Promise<void>;
  /** Typeahead of an external select: options, or groups of them. */
  suggest(event: ElementRef & { readonly query: string }): Promise<readonly JsonObject[]>;
  /** Errors of input fields, by block_id. */
  readonly errors: Readonly<Record<string, string>>;
  /** Current values by `valueKey`, as `stateOf` makes them; an element without an entry has its initial value. */
  readonly values: Readonly<Record<string, JsonObject>>;
  /** Called when a value changes: before `act`, and also for elements that send nothing to the bot. */
  onInput(event: ElementRef & { readonly value: JsonObject }): void;
  /** Milliseconds since 1970, for "today" and "3 minutes ago". */
  readonly now: number;
};

/** The key of an element in `BlockContext.values`. */
export function valueKey(ref: ElementRef): string {
  return `${ref.blockId}/${ref.actionId}`;
}

/** The value in a view's state: the text, the chosen option or options, an id, a date; null for none. */
export function heldIn(state: JsonObject | undefined): Json {
  return state?.[stateName(textOf(state["type"])) ?? ""] ?? null;
}

/**
 * A value as block_actions and a view's state carry it: {type, selected_option: …}. A button has only its type, an
 * overflow menu its option.
 */
export function stateOf(type: string, held: Json): JsonObject {
  const name = type === "overflow" ? "selected_option" : stateName(type);
  return name === undefined ? { type } : { type, [name]: held === "" ? null : held };
}

/** One line of a select's list: an option, or a person or conversation by id. */
export type Choice = {
  readonly key: string;
  readonly words: string;
  readonly more: string;
  readonly option?: JsonObject;
};

export type ChoiceGroup = { readonly label: string; readonly choices: readonly Choice[] };

export function optionChoice(option: JsonObject): Choice {
  return { key: textOf(option["value"]), words: wordsOf(option), more: wordsOf(option, "description"), option };
}

/** Options or option groups, of a static select or an answer to block_suggestion. */
export function groupsOf(offered: readonly JsonObject[]): readonly ChoiceGroup[] {
  if (!offered.some((each) => isList(each["options"]))) return [{ label: "", choices: offered.map(optionChoice) }];
  return offered.map((group) => ({
    label: wordsOf(group, "label"),
    choices: objectsOf(group["options"]).map(optionChoice),
  }));
}

const listings: Readonly<Record<string, "users" | "conversations">> = {
  users_select: "users",
  conversations_select: "conversations",
};

/** Every choice of a select that doesn't ask the bot. */
export function ownGroups(context: BlockContext, element: JsonObject): readonly ChoiceGroup[] {
  const listing = listings[textOf(element["type"])];
  if (listing !== undefined) {
    const choices = context.listed(listing).map(({ id, name }) => ({ key: id, words: name, more: "" }));
    return [{ label: "", choices }];
  }
  return groupsOf(objectsOf(element["options"]));
}

/** The choices that match the query, without empty groups. */
export function matching(groups: readonly ChoiceGroup[], query: string): readonly ChoiceGroup[] {
  const asked = query.trim().toLowerCase();
  return groups
    .map(({ label, choices }) => ({
      label,
      choices: choices.filter((choice) => choice.words.toLowerCase().includes(asked)),
    }))
    .filter(({ choices }) => choices.length > 0);
}

/** An element's value as choices. */
export function heldChoices(context: BlockContext, element: JsonObject, value: Json): readonly Choice[] {
  if (typeof value !== "string") return [value].flat().filter(isObject).map(optionChoice);
  const known = ownGroups(context, element).flatMap(({ choices }) => choices);
  return [known.find(({ key }) => key === value) ?? { key: value, words: value, more: "" }];
}

/** The element's new value for the chosen lines. */
export function valueOfChoices(element: JsonObject, chosen: readonly Choice[]): Json {
  const values = chosen.map(({ option, key }) => option ?? key);
  return holdsMany(textOf(element["type"])) ? values : (values[0] ?? null);
}

const harmless = new Set(["http:", "https:", "mailto:", "tel:"]);

/** An address that is safe to open; undefined for others (javascript:, data:). */
export function safeLink(url: string): string | undefined {
  return URL.canParse(url) && harmless.has(new URL(url).protocol) ? url : undefined;
}
