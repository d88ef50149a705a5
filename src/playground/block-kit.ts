import { isList, isObject, type Json, type JsonObject, objectOf, objectsOf, textOf } from "./json.ts";
import type { ViewState } from "./workspace/state.ts";

// What the bot sends of Block Kit. The checks, the page and the terminal each have an entry for every type here, and
// everything else is refused by name. https://docs.slack.dev/reference/block-kit

export type BlockType = "actions" | "context" | "divider" | "header" | "input" | "plan" | "rich_text" | "section";

export type RichPartType = "rich_text_list" | "rich_text_preformatted" | "rich_text_section";

/** The elements of a line of rich text. */
export type InlineType = "channel" | "date" | "link" | "text" | "user" | "usergroup";

/** Elements with a value, in input blocks and elsewhere. */
export type ValueType =
  | "checkboxes"
  | "conversations_select"
  | "datepicker"
  | "external_select"
  | "multi_static_select"
  | "radio_buttons"
  | "static_select"
  | "users_select"
  | TypedType;

/** Text fields, in input blocks only. */
export type TypedType = "number_input" | "plain_text_input";

export type ElementType = "button" | "overflow" | ValueType;

/** The text of the text object under `name`: of a button, an option, an input block, a view. */
export function wordsOf(holder: JsonObject, name = "text"): string {
  return textOf(objectOf(holder[name])["text"]);
}

/** By element type: the property of its value in state.values, and of its initial value. */
const valueNames: Readonly<Record<string, readonly [state: string, initial: string]>> = {
  plain_text_input: ["value", "initial_value"],
  number_input: ["value", "initial_value"],
  static_select: ["selected_option", "initial_option"],
  external_select: ["selected_option", "initial_option"],
  radio_buttons: ["selected_option", "initial_option"],
  multi_static_select: ["selected_options", "initial_options"],
  checkboxes: ["selected_options", "initial_options"],
  users_select: ["selected_user", "initial_user"],
  conversations_select: ["selected_conversation", "initial_conversation"],
  datepicker: ["selected_date", "initial_date"],
} satisfies Record<ValueType, readonly [string, string]>;

/** The property of a chosen value in payloads; undefined for elements without a value. */
export function stateName(type: string): string | undefined {
  return valueNames[type]?.[0];
}

export function holdsMany(type: string): boolean {
  return stateName(type) === "selected_options";
}

/** The interactive elements of a block. */
export function elementsOf(block: JsonObject): readonly JsonObject[] {
  const { elements, element, accessory } = block;
  return [...objectsOf(elements), ...[element, accessory].filter(isObject)];
}

/** An element's value in state.values at first, {type, selected_option: …}; undefined for elements without a value. */
export function initialValue(element: JsonObject): JsonObject | undefined {
  const type = textOf(element["type"]);
  const names = valueNames[type];
  return names && { type, [names[0]]: element[names[1]] ?? (holdsMany(type) ? [] : null) };
}

/** state.values of a new view. */
export function initialState(blocks: readonly JsonObject[]): ViewState {
  const state: Record<string, Record<string, JsonObject>> = {};
  for (const block of blocks) {
    for (const element of elementsOf(block)) {
      const value = initialValue(element);
      if (value === undefined) continue;
      state[textOf(block["block_id"])] = {
        ...state[textOf(block["block_id"])],
        [textOf(element["action_id"])]: value,
      };
    }
  }
  return state;
}

/** state.values after an update: values stay under the same block_id and action_id. */
export function keptState(blocks: readonly JsonObject[], before: ViewState): ViewState {
  const fresh = initialState(blocks);
  return Object.fromEntries(
    Object.entries(fresh).map(([blockId, actions]) => [
      blockId,
      Object.fromEntries(
        Object.entries(actions).map(([actionId, value]) => {
          const old = before[blockId]?.[actionId];
          return [actionId, old !== undefined && old["type"] === value["type"] ? old : value];
        }),
      ),
    ]),
  );
}

function withValue(element: Json | undefined, values: ViewState[string] | undefined): Json {
  const shown = objectOf(element);
  const names = valueNames[textOf(shown["type"])];
  const value = values?.[textOf(shown["action_id"])];
  return names === undefined || value === undefined ? shown : { ...shown, [names[1]]: value[names[0]] ?? null };
}

/** A view's blocks with the entered values in place of the initial ones. */
export function withEnteredValues(blocks: readonly JsonObject[], state: ViewState): readonly JsonObject[] {
  return blocks.map((block) => {
    const values = state[textOf(block["block_id"])];
    if (values === undefined) return block;
    const { element, accessory, elements } = block;
    return {
      ...block,
      ...(element !== undefined && { element: withValue(element, values) }),
      ...(accessory !== undefined && { accessory: withValue(accessory, values) }),
      ...(isList(elements) && { elements: elements.map((each) => withValue(each, values)) }),
    };
  });
}
