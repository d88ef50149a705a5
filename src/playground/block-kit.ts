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
