import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  KnownBlock,
  Overflow,
  PlainTextOption,
  RichTextSection,
  StaticSelect,
} from "@slack/types";
import type { Ask } from "../../ask.ts";
import { type Action, encodeAction } from "./action-id.ts";
import type { Inline } from "./inline.ts";
import { menuOptions } from "./menu-options.ts";
import { sentence, strong, words } from "./inline.ts";
import { plain, type Shown, truncate, truncateMiddle, visible, visibleLines } from "./text.ts";

export type Block = KnownBlock;

/** Slack's limits. Characters are UTF-16 units. */
export const limits = {
  /** https://docs.slack.dev/reference/block-kit/blocks */
  blocks: 50,
  /**
   * JSON of all blocks. Not documented; Slack refuses somewhere above 13,000, and this leaves room for its
   * own additions. https://github.com/slackapi/bolt-js/issues/2867
   */
  blocksJson: 12_000,
  /** https://docs.slack.dev/reference/methods/chat.update: 4,000 there, more elsewhere. */
  text: 4_000,
  /** https://docs.slack.dev/reference/block-kit/blocks */
  blockId: 255,
  /** https://docs.slack.dev/reference/block-kit/blocks/header-block */
  header: 150,
  /** https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
  plainText: 3_000,
  /** https://docs.slack.dev/reference/block-kit/blocks/plan-block and task-card-block: no limits there; these are ours. */
  planTasks: 30,
  taskTitle: 300,
  /**
   * Buttons of a row, which fit beside each other on a phone; the rest is in its menu. Ours: Slack takes 25.
   * https://docs.slack.dev/reference/block-kit/blocks/actions-block
   */
  buttons: 3,
  /** JSON of the buttons of a row, each of which may hold a long filter, and of its ⋯ menu. Ours: it leaves room for what the message says. */
  rowJson: 3_000,
  /** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
  buttonText: 75,
  buttonValue: 2_000,
  buttonUrl: 3_000,
  /**
   * One preformatted text. Slack documents no limit; twice as much JSON (quotes and backslashes double) leaves room for a
   * log's buttons within `blocksJson`, and clients fold longer messages.
   */
  preformatted: 3_600,
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
  /** https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element */
  overflowOptions: 5,
  /** https://docs.slack.dev/reference/block-kit/block-elements/radio-button-group-element */
  radioOptions: 10,
  /** https://docs.slack.dev/reference/block-kit/composition-objects/option-object: 150 there, 75 in Slack's own types. */
  optionText: 75,
  optionValue: 75,
  optionDescription: 75,
  /** https://docs.slack.dev/reference/block-kit/composition-objects/option-group-object */
  groupLabel: 75,
} as const;

/** The builders accept any input: their output is always within the limits, and Slack parses nothing in it. */
export function header(text: Shown): Block {
  return { type: "header", text: plain(visible(text).trim(), limits.header) };
}

/** A sentence in which backticks mark code, or pieces. */
export type Line = string | readonly Inline[];

function richLine(content: Line): RichTextSection {
  const pieces = typeof content === "string" ? sentence(content) : content;
  return { type: "rich_text_section", elements: pieces.length === 0 ? [words("–")] : [...pieces] };
}

export function section(...lines: readonly [Line, ...Line[]]): Block {
  return { type: "rich_text", elements: lines.map(richLine) };
}

/** Lines below a title, and how many are left out; no block without any. */
export function listed(
  lines: readonly Line[],
  { title, left = 0 }: { readonly title?: Line; readonly left?: number } = {},
): Block[] {
  if (lines.length === 0) return [];
  const all = [...(title === undefined ? [] : [title]), ...lines, ...rest(left)];
  return [{ type: "rich_text", elements: all.map(richLine) }];
}

/** The same as a list. */
export function bullets(items: readonly Line[], left = 0): Block[] {
  const elements = [...items, ...rest(left)].map(richLine);
  if (items.length === 0) return [];
  return [{ type: "rich_text", elements: [{ type: "rich_text_list", style: "bullet", elements }] }];
}

function rest(left: number): Line[] {
  return left > 0 ? [`and ${left} more`] : [];
}

export type Field = { readonly label: string; readonly value: readonly Inline[] };

/** One line per label and value. Fields without a value are left out. */
export function fields(all: readonly Field[]): Block[] {
  const shown = all.filter(({ value }) => value.length > 0);
  return listed(shown.map(({ label, value }) => [strong(label), words("  "), ...value]));
}

export const divider: Block = { type: "divider" };

/** Small grey text. */
export function context(text: Shown): Block {
  return { type: "context", elements: [plain(text, limits.plainText)] };
}

/** Fixed-width text. The caller splits text longer than `limits.preformatted`. */
export function preformatted(text: string): Block {
  const shown = truncate(visibleLines(text), limits.preformatted) || "–";
  return {
    type: "rich_text",
    elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: shown }] }],
  };
}

type ActionButtonInput = {
  readonly label: string;
  /** Unique in a row of buttons. */
  readonly action: Action;
  readonly value: string;
  /** Red, for what deletes. `suggesting` fills a button. */
  readonly style?: "danger" | undefined;
};

/** Undefined when the value doesn't fit, because a truncated one would be wrong. */
export function actionButton({ label, action, value, style }: ActionButtonInput): Button | undefined {
  if (value === "" || value.length > limits.buttonValue) return undefined;
  return {
    type: "button",
    action_id: encodeAction(action),
    text: plain(label, limits.buttonText),
    value,
    ...(style && { style }),
  };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/button-element: a click opens the URL and is also sent to the bot. */
export function linkButton(label: string, url: string | undefined): Button | undefined {
  if (url === undefined || url.length > limits.buttonUrl) return undefined;
  // Slack refuses a whole message for one button whose URL it can't read.
  if (!/^https?:/u.test(url) || !URL.canParse(url)) return undefined;
  return { type: "button", action_id: encodeAction({ kind: "link" }), text: plain(label, limits.buttonText), url };
}

/** A button with an Ask as its value; undefined when that is too long. `post` numbers the action_ids. */
export function askButton(label: string, ask: Ask): Button | undefined {
  return actionButton({ label, action: { kind: "read", at: 0 }, value: JSON.stringify(ask) });
}

/**
 * The actions of a message: at most three buttons, and a ⋯ menu with those that follow, as many as Slack takes. Other
 * menus stay where they are. No block without any.
 */
export function actions(...elements: readonly (ActionsBlockElement | undefined)[]): Block[] {
  let drawn = elements.filter((each) => each !== undefined);
  while (drawn.length > 0) {
    const row = rowOf(drawn);
    const last = drawn.findLast(isButton);
    // The options of other menus don't grow with a filter.
    const own = row.elements.filter((each) => !elements.includes(each) || isButton(each));
    if (last === undefined || JSON.stringify(own).length <= limits.rowJson) return [row];
    drawn = drawn.filter((each) => each !== last);
  }
  return [];
}

/** The same with one step that the message suggests: it comes first and is filled. */
export function suggesting(step: Button | undefined, ...others: readonly (ActionsBlockElement | undefined)[]): Block[] {
  return actions(step && { ...step, style: step.style ?? "primary" }, ...others);
}

function rowOf(elements: readonly ActionsBlockElement[]): ActionsBlock {
  const inMenu = elements.filter(isButton).slice(limits.buttons);
  const { blockId, options } = menuOptions(inMenu);
  const more = overflow({ action: { kind: "more" }, options });
  const shown = elements.filter((each) => !(isButton(each) && inMenu.includes(each)));
  if (more === undefined) return { type: "actions", elements: shown };
  return { type: "actions", elements: [...shown, more], ...(blockId !== undefined && { block_id: blockId }) };
}

function isButton(element: ActionsBlockElement): element is Button {
  return element.type === "button";
}

/** Blocks that a click can be told by; an id is unique in a message, so this is for one block. */
export function withBlockId(blocks: readonly Block[], id: string | undefined): Block[] {
  return id === undefined ? [...blocks] : blocks.map((block) => ({ ...block, block_id: id }));
}

export type Menu = {
  readonly action: Action;
  readonly placeholder: string;
  readonly options: readonly OptionInput[];
  /** The selected value. */
  readonly chosen?: string | undefined;
};

/** Undefined without options, because Slack refuses an empty menu. */
export function menu({ action, placeholder, options, chosen }: Menu): StaticSelect | undefined {
  const all = optionsOf(options);
  if (all.length === 0) return undefined;
  const initial = all.find(({ value }) => value === chosen);
  return {
    type: "static_select",
    action_id: encodeAction(action),
    placeholder: plain(placeholder, limits.placeholder),
    options: all,
    ...(initial !== undefined && { initial_option: initial }),
  };
}

/** A "…" menu; undefined without options. */
export function overflow({ action, options }: Pick<Menu, "action" | "options">): Overflow | undefined {
  const all = optionsOf(options, limits.overflowOptions);
  return all.length === 0 ? undefined : { type: "overflow", action_id: encodeAction(action), options: all };
}

export type OptionInput = {
  readonly value: string;
  readonly text: string;
  readonly description?: string | undefined;
};

/** The value of an option that is only a message: choosing it chooses nothing. */
export const NONE = "!none";

/** Undefined when the value doesn't fit, because truncating would change its meaning. */
export function option({ value, text, description = "" }: OptionInput): PlainTextOption | undefined {
  if (value === "" || value.length > limits.optionValue || !value.isWellFormed()) return undefined;
  return {
    text: plain(truncateMiddle(text, limits.optionText), limits.optionText),
    value,
    ...(description.trim() !== "" && { description: plain(description, limits.optionDescription) }),
  };
}

/** The options that fit, without repeated values. */
export function optionsOf(all: readonly OptionInput[], max: number = limits.options): PlainTextOption[] {
  const drawn = new Map<string, PlainTextOption>();
  for (const each of all) {
    const one = drawn.size < max && !drawn.has(each.value) ? option(each) : undefined;
    if (one !== undefined) drawn.set(each.value, one);
  }
  return [...drawn.values()];
}
