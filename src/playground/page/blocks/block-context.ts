import type { JsonObject } from "../../json.ts";

/** What every block is given. */
export type BlockProps = { readonly block: JsonObject; readonly context: BlockContext };

/** What a person did with an element, or what an element holds. `none` is a field emptied again. */
export type ActionValue =
  /** A button. */
  | { readonly kind: "click" }
  | { readonly kind: "none" }
  /** plain_text_input, number_input, email_text_input, url_text_input */
  | { readonly kind: "text"; readonly text: string }
  /** rich_text_input: a rich_text block */
  | { readonly kind: "rich-text"; readonly block: JsonObject }
  /** static_select, external_select, radio_buttons, overflow: the option object, whole */
  | { readonly kind: "option"; readonly option: JsonObject }
  /** multi_static_select, multi_external_select, checkboxes */
  | { readonly kind: "options"; readonly options: readonly JsonObject[] }
  /** users_select, channels_select, conversations_select */
  | { readonly kind: "id"; readonly id: string }
  /** multi_users_select, multi_channels_select, multi_conversations_select */
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  /** datepicker: 2026-11-20 */
  | { readonly kind: "date"; readonly date: string }
  /** timepicker: 23:59 */
  | { readonly kind: "time"; readonly time: string }
  /** datetimepicker: seconds since 1970 */
  | { readonly kind: "date-time"; readonly seconds: number };

/** An element in its block. */
export type ElementRef = { readonly blockId: string; readonly actionId: string };

/** Somebody or something that can be picked by name. */
export type Listed = {
  readonly id: string;
  readonly name: string;
  /** Of a conversation. */
  readonly kind?: "public" | "private" | "im";
  readonly isWithBot?: boolean;
};

/** All that blocks need from the page around them. */
export type BlockContext = {
  readonly surface: "message" | "modal" | "home";
  /** Names for mentions, without @ and #; an unknown id comes back as it is. */
  user(id: string): string;
  channel(id: string): string;
  usergroup(id: string): string;
  /** Whom users_select, channels_select and conversations_select offer, with @ or # in their names. */
  listed(what: "users" | "channels" | "conversations"): readonly Listed[];
  /** An element was used and the bot should hear of it; resolves when the bot has acked, rejects when it did not. */
  act(event: ElementRef & { readonly element: JsonObject; readonly value: ActionValue }): Promise<void>;
  /** Typeahead of an external select: options, or groups of them. */
  suggest(event: ElementRef & { readonly query: string }): Promise<readonly JsonObject[]>;
  /** What is wrong with input fields, by block_id. */
  readonly errors: Readonly<Record<string, string>>;
  /** What elements hold now, by `valueKey`; one that is not here holds its first value. */
  readonly values: Readonly<Record<string, ActionValue>>;
  /** An element holds something else now; told before `act`, and for elements that the bot does not hear of. */
  onInput(event: ElementRef & { readonly value: ActionValue }): void;
  /** The characters of an emoji by Slack's name for it. */
  emoji(name: string): string | undefined;
  /** Milliseconds since 1970, for "today" and "3 minutes ago". */
  readonly now: number;
  openFile(id: string): void;
  /** Where to load a picture from, when not from its own address. */
  image?(url: string): string;
};

/** Under which name `BlockContext.values` keeps what an element holds. */
export function valueKey(ref: ElementRef): string {
  return `${ref.blockId}/${ref.actionId}`;
}
