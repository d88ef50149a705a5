import type { ActionsBlockElement, Button, RichTextBlock, RichTextSection, TableBlock } from "@slack/types";
import type { Ask } from "../../commands/ask.ts";
import type { Inline } from "./inline.ts";
import { sentence, strong, words } from "./inline.ts";
import type { Block } from "./message.ts";
import { type Shown, truncate, visible, visibleLines } from "./text.ts";

/** Every number that Slack imposes on what Gantry draws. Characters are UTF-16 units. */
export const limits = {
  /** https://docs.slack.dev/reference/block-kit/blocks */
  blocks: 50,
  /**
   * JSON of all blocks but tables. Not documented; Slack refuses somewhere above 13,000, and this leaves room for what it
   * adds itself. https://github.com/slackapi/bolt-js/issues/2867
   */
  blocksJson: 12_000,
  /** https://docs.slack.dev/reference/methods/chat.update: 4,000 there, more elsewhere. */
  text: 4_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/header-block */
  header: 150,
  /** https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
  plainText: 3_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
  buttons: 25,
  /** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
  buttonText: 75,
  buttonValue: 2_000,
  buttonUrl: 3_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/table-block */
  tableRows: 100,
  tableColumns: 20,
  tableText: 10_000,
  /**
   * One preformatted text. Slack names no limit for it; twice as much JSON (quotes and backslashes double) is still
   * within `blocksJson`, and clients fold longer messages.
   */
  preformatted: 4_000,
  /** https://docs.slack.dev/reference/views */
  viewBlocks: 100,
  viewTitle: 24,
  viewSubmit: 24,
  viewClose: 24,
  viewMetadata: 3_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/input-block */
  inputLabel: 2_000,
  inputHint: 2_000,
  /** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
  inputLength: 3_000,
  /** https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
  options: 100,
  placeholder: 150,
  /** https://docs.slack.dev/reference/block-kit/block-elements/radio-button-group-element */
  radioOptions: 10,
  /** https://docs.slack.dev/reference/block-kit/composition-objects/option-object: 150 there, 75 in Slack's own types. */
  optionText: 75,
  optionValue: 75,
  optionDescription: 75,
  /** https://docs.slack.dev/reference/block-kit/composition-objects/option-group-object */
  groupLabel: 75,
} as const;

/** The builders are total: whatever comes in, what goes out is within the limits, and nothing in it is parsed. */
export function header(text: Shown): Block {
  const shown = truncate(visible(text).trim(), limits.header) || "–";
  return { type: "header", text: { type: "plain_text", text: shown, emoji: false } };
}

/** A sentence, in which only what stands between backticks is drawn otherwise, or pieces. */
export type Line = string | readonly Inline[];

function line(content: Line): RichTextSection {
  const pieces = typeof content === "string" ? sentence(content) : content;
  return { type: "rich_text_section", elements: pieces.length === 0 ? [words("–")] : [...pieces] };
}

/** Lines of text below each other. */
export function section(...lines: readonly [Line, ...Line[]]): Block {
  return { type: "rich_text", elements: lines.map(line) };
}

export function bullets(items: readonly [Line, ...Line[]]): Block {
  return { type: "rich_text", elements: [{ type: "rich_text_list", style: "bullet", elements: items.map(line) }] };
}

export type Field = { readonly label: string; readonly value: readonly Inline[] };

/** Label and value, one a line; a field without a value is left out. */
export function fields(all: readonly Field[]): Block[] {
  const [first, ...rest] = all
    .filter(({ value }) => value.length > 0)
    .map(({ label, value }): Line => [strong(label), words("  "), ...value]);
  return first === undefined ? [] : [section(first, ...rest)];
}

export const divider: Block = { type: "divider" };

/** Small grey text. */
export function context(text: Shown): Block {
  const shown = truncate(visible(text), limits.plainText) || "–";
  return { type: "context", elements: [{ type: "plain_text", text: shown, emoji: false }] };
}

/** Text as it is, in a fixed width; what is longer than `limits.preformatted` has been split by who calls. */
export function preformatted(text: string): Block {
  const shown = truncate(visibleLines(text), limits.preformatted) || "–";
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: shown }] }],
  };
}

export type Cell = { readonly text: string; readonly link?: Inline | undefined };
export type Column = { readonly title: string; readonly align?: "right" };

function cell({ text, link }: Cell, max: number): TableBlock["rows"][number][number] {
  if (link?.type === "link" && link.url.length <= max) {
    return { type: "rich_text", elements: [line([link])] } satisfies RichTextBlock;
  }
  return { type: "raw_text", text: truncate(visible(text), max) || "–" };
}

/** A table whose first row is its head. Rows and columns beyond Slack's limits are left out: who calls pages. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): Block {
  const kept = columns.slice(0, limits.tableColumns);
  const body = [kept.map(({ title }) => ({ text: title })), ...rows].slice(0, limits.tableRows);
  // Every cell gets its share, so that the sum is within the limit however long each one is.
  const share = Math.floor(limits.tableText / (body.length * Math.max(1, kept.length)));
  return {
    type: "table",
    column_settings: kept.map(({ align }) => ({ align: align ?? "left", is_wrapped: false })),
    rows: body.map((row) => kept.map((_, at) => cell(row[at] ?? { text: "" }, Math.min(share, 160)))),
  };
}

type ButtonInput = {
  readonly label: string;
  readonly ask: Ask;
  readonly style?: "primary" | "danger";
};

type ActionButtonInput = {
  readonly label: string;
  /** What the click does, `change:approve`; once in a row of buttons. */
  readonly act: string;
  readonly value: string;
  readonly style?: "primary" | "danger" | undefined;
};

/** A button that does one thing to what its value names; undefined where the value does not fit: better none than a broken one. */
export function actionButton({ label, act, value, style }: ActionButtonInput): Button | undefined {
  if (value === "" || value.length > limits.buttonValue) return undefined;
  const text = truncate(visible(label), limits.buttonText) || "–";
  return {
    type: "button",
    action_id: act,
    text: { type: "plain_text", text, emoji: false },
    value,
    ...(style && { style }),
  };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/button-element: a click opens it, and is sent to the bot too. */
export function linkButton(label: string, url: string | undefined): Button | undefined {
  if (url === undefined || url.length > limits.buttonUrl || !/^https?:/u.test(url)) return undefined;
  const text = truncate(visible(label), limits.buttonText) || "–";
  return { type: "button", action_id: "link", text: { type: "plain_text", text, emoji: false }, url };
}

/** A button that carries a whole Ask; undefined where that is too long for one. `post` numbers the action_ids of a message. */
export function button({ label, ask, style }: ButtonInput): Button | undefined {
  return actionButton({ label, act: "ask", value: JSON.stringify(ask), style });
}

export function askButton(label: string, ask: Ask): Button | undefined {
  return button({ label, ask });
}

/** Buttons and menus in a row; nothing where there are none. */
export function actions(...elements: readonly (ActionsBlockElement | undefined)[]): Block[] {
  const drawn = elements.filter((each) => each !== undefined).slice(0, limits.buttons);
  return drawn.length === 0 ? [] : [{ type: "actions", elements: drawn }];
}
