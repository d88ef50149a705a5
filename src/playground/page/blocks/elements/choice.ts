import { isList, isObject, type Json, type JsonObject, objectsOf, textOf } from "../../../json.ts";
import type { BlockContext } from "../block-context.ts";
import { wordsOf } from "../plain-text.ts";

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

export function isMany(element: JsonObject): boolean {
  return element["type"] === "multi_static_select";
}

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
  return isMany(element) ? values : (values[0] ?? null);
}
