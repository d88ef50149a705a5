import type {
  ActionsBlockElement,
  Button,
  KnownBlock,
  Overflow,
  PlainTextOption,
  PlanBlock,
  RichTextSection,
  StaticSelect,
  TaskCardBlock,
} from "@slack/types";
import type { Ask } from "../../ask.ts";
import { type Action, encodeAction } from "./action-id.ts";
import type { Inline } from "./inline.ts";
import { sentence, strong, words } from "./inline.ts";
import { plain, readable, type Shown, truncate, truncateMiddle, visible, visibleLines } from "./text.ts";

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
  /** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
  buttons: 25,
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

export type Task = { readonly title: string; readonly status: TaskCardBlock["status"] };

/** What is done one after the other, while it is under way. The caller keeps to `limits.planTasks`. */
export function plan(title: Shown, tasks: readonly Task[]): PlanBlock {
  return {
    type: "plan",
    title: taskText(title),
    tasks: tasks.map((task, at): TaskCardBlock => ({
      type: "task_card",
      task_id: String(at + 1),
      title: taskText(task.title),
      status: task.status,
    })),
  };
}

/** Slack's documents call it plain text, and don't say whether it is escaped as a text object is. */
function taskText(text: Shown): string {
  const shown = readable(text, limits.taskTitle).trim();
  return shown.replaceAll("<", "‹").replaceAll(">", "›");
}

const taskMarks: Readonly<Record<Task["status"], string>> = {
  pending: "⏳",
  in_progress: "🟡",
  complete: "🟢",
  error: "🔴",
};

/** A line for each task. */
export function planLines({ tasks = [] }: PlanBlock): string[] {
  return tasks.map((task) => {
    const { title, status } = task as TaskCardBlock; // made by `plan`
    return `${taskMarks[status]} ${title}`;
  });
}

/** The same blocks with plans as lines, for where Slack refuses plans. */
export function withoutPlans(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) =>
    block.type === "plan" ? listed(planLines(block).map((line) => [words(line)])) : [block],
  );
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
  readonly style?: "primary" | "danger" | undefined;
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

/** A row of buttons and menus; no block without any. */
export function actions(...elements: readonly (ActionsBlockElement | undefined)[]): Block[] {
  const drawn = elements.filter((each) => each !== undefined).slice(0, limits.buttons);
  return drawn.length === 0 ? [] : [{ type: "actions", elements: drawn }];
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
