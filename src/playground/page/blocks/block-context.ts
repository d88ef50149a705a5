import { type Json, type JsonObject, textOf } from "../../json.ts";
import { stateName } from "../../workspace/view-state.ts";

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
