import { isObject, type Json, type JsonObject, objectsOf, textOf } from "../../json.ts";
import { initialState, stateName } from "../../workspace/view-state.ts";

export type BlockProps = { readonly block: JsonObject; readonly context: BlockContext };

/** A person's action, or the value of an element. `none` is a cleared field. */
export type ActionValue =
  /** A button. */
  | { readonly kind: "click" }
  | { readonly kind: "none" }
  /** plain_text_input, number_input */
  | { readonly kind: "text"; readonly text: string }
  /** static_select, external_select, radio_buttons, overflow: the option object, whole */
  | { readonly kind: "option"; readonly option: JsonObject }
  /** multi_static_select, checkboxes */
  | { readonly kind: "options"; readonly options: readonly JsonObject[] }
  /** users_select, conversations_select */
  | { readonly kind: "id"; readonly id: string }
  /** datepicker: 2026-11-20 */
  | { readonly kind: "date"; readonly date: string };

export type ElementRef = { readonly blockId: string; readonly actionId: string };

/** A person or channel that can be picked by name. */
export type Listed = {
  readonly id: string;
  readonly name: string;
  /** For conversations only. */
  readonly kind?: "public" | "private" | "im";
  readonly isWithBot?: boolean;
};

/** The page's services for blocks. */
export type BlockContext = {
  readonly surface: "message" | "modal" | "home";
  /** Names for mentions, without @ and #; an unknown id is returned unchanged. */
  user(id: string): string;
  channel(id: string): string;
  usergroup(id: string): string;
  /** Choices of users_select and conversations_select, with @ or # in their names. */
  listed(what: "users" | "conversations"): readonly Listed[];
  /** Sends an action to the bot; resolves on its ack, rejects without one. */
  act(event: ElementRef & { readonly element: JsonObject; readonly value: ActionValue }): Promise<void>;
  /** Typeahead of an external select: options, or groups of them. */
  suggest(event: ElementRef & { readonly query: string }): Promise<readonly JsonObject[]>;
  /** Errors of input fields, by block_id. */
  readonly errors: Readonly<Record<string, string>>;
  /** Current values by `valueKey`; an element without an entry has its initial value. */
  readonly values: Readonly<Record<string, ActionValue>>;
  /** Called when a value changes: before `act`, and also for elements that send nothing to the bot. */
  onInput(event: ElementRef & { readonly value: ActionValue }): void;
  /** The characters of an emoji by Slack's name for it. */
  emoji(name: string): string | undefined;
  /** Milliseconds since 1970, for "today" and "3 minutes ago". */
  readonly now: number;
};

/** The key of an element in `BlockContext.values`. */
export function valueKey(ref: ElementRef): string {
  return `${ref.blockId}/${ref.actionId}`;
}

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
