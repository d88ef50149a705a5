import { isObject, type Json, type JsonObject, objectsOf, textOf } from "../../../json.ts";
import { initialState, stateName } from "../../../workspace/view-state.ts";
import type { ActionValue } from "../block-context.ts";

const none: ActionValue = { kind: "none" };

type Read = (held: Json) => ActionValue;

const readId: Read = (held) => ({ kind: "id", id: textOf(held) });

/** The property of each value in payloads: https://docs.slack.dev/reference/views#view-state */
const readers: Readonly<Record<string, Read>> = {
  value: (held) => ({ kind: "text", text: textOf(held) }),
  selected_option: (held) => (isObject(held) ? { kind: "option", option: held } : none),
  selected_options: (held) => ({ kind: "options", options: objectsOf(held) }),
  selected_user: readId,
  selected_conversation: readId,
  selected_date: (held) => ({ kind: "date", date: textOf(held) }),
};

/** An element's value from its entry in a view's state: {type, selected_option: …}. */
export function valueOf(state: JsonObject): ActionValue {
  const name = stateName(textOf(state["type"])) ?? "";
  const held = state[name];
  return held === undefined || held === null ? none : (readers[name]?.(held) ?? none);
}

/** An element's initial value. */
export function firstValue(element: JsonObject): ActionValue {
  const block = { block_id: "block", element: { ...element, action_id: "action" } };
  const state = initialState([block])["block"]?.["action"];
  return state === undefined ? none : valueOf(state);
}

function heldOf(value: ActionValue): Json {
  switch (value.kind) {
    case "text":
      return value.text === "" ? null : value.text;
    case "option":
      return value.option;
    case "options":
      return value.options;
    case "id":
      return value.id;
    case "date":
      return value.date;
    default:
      return null;
  }
}

/**
 * A value as block_actions and a view's state carry it: {type, selected_option: …}. A button has only its type, an
 * overflow menu its option.
 */
export function stateOf(type: string, value: ActionValue): JsonObject {
  const name = stateName(type) ?? (value.kind === "option" ? "selected_option" : undefined);
  return name === undefined ? { type } : { type, [name]: heldOf(value) };
}
