import type { JsonObject } from "../../json.ts";

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
