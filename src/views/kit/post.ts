import { context, limits } from "./blocks.ts";
import type { Block, Post, Message } from "./message.ts";
import { escapeWithin, visibleLines, visible } from "./text.ts";
import type { RichTextBlock } from "@slack/types";
import type { Inline } from "./inline.ts";

/**
 * Slack refuses two equal action_ids in a block, and a click names its own: the buttons that carry an Ask become `ask:0`,
 * `ask:1`, … in one message. Others say by their action_id what they do, and keep it.
 */
export function numbered(blocks: readonly Block[]): Block[] {
  let next = 0;
  return blocks.map((block) =>
    block.type === "actions"
      ? {
          ...block,
          elements: block.elements.map((each) =>
            each.action_id === "ask" ? { ...each, action_id: `ask:${next++}` } : each,
          ),
        }
      : block,
  );
}

const rest = context("There is more than fits into one message of Slack.");

/** The first blocks that fit into one message. Views stay below this by themselves; it is the net under them. */
function fitting(blocks: readonly Block[]): Block[] {
  const sizes = blocks.map((block) => (block.type === "table" ? 0 : JSON.stringify(block).length + 1));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= limits.blocksJson && blocks.length <= limits.blocks) return [...blocks];
  const kept: Block[] = [];
  let room = limits.blocksJson - JSON.stringify(rest).length - 1;
  for (const [at, block] of blocks.entries()) {
    room -= sizes[at] ?? 0;
    if (room < 0 || kept.length >= limits.blocks - 1) break;
    kept.push(block);
  }
  return [...kept, rest];
}

/** A message of Slack: `text` is what notifications and screen readers get, and Slack parses it, so it is escaped. */
export function post(text: string, blocks: readonly Block[]): Post {
  const plainTextOf = escapeWithin(visibleLines(text), limits.text).trim();
  return { text: plainTextOf === "" ? "Gantry" : plainTextOf, blocks: fitting(numbered(blocks)) };
}

/** Real names of people and handles of user groups by Slack id, for what is read out instead of being drawn. */
export type Names = Readonly<Record<string, string>>;

/** The name behind an id; without one, the id itself. */
export function nameOf(names: Names, id: string): string {
  return (Object.hasOwn(names, id) ? names[id] : undefined) ?? id;
}

/** The handle of a user group; without one, what it is and its id, by which one finds it in Slack. */
export function groupName(names: Names, id: string): string {
  const name = nameOf(names, id);
  return name === id ? `the user group ${id}` : name;
}

function plainTextOfInline(inline: Inline, names: Names): string {
  switch (inline.type) {
    case "text":
      // What stands between a label and its value.
      return inline.text === "  " ? ": " : inline.text;
    case "user":
      return nameOf(names, inline.user_id);
    case "usergroup":
      return groupName(names, inline.usergroup_id);
    case "channel":
      return nameOf(names, inline.channel_id);
    case "date":
      return inline.fallback ?? "";
    case "link":
      return inline.text ?? inline.url;
    default:
      return "";
  }
}

function plainTextOfRichText({ elements }: RichTextBlock, names: Names): string[] {
  return elements.flatMap((part) =>
    part.type === "rich_text_list"
      ? part.elements.map((each) => `- ${each.elements.map((inline) => plainTextOfInline(inline, names)).join("")}`)
      : [part.elements.map((inline) => plainTextOfInline(inline, names)).join("")],
  );
}

/** What blocks say, line by line, without their buttons. */
export function spoken(blocks: readonly Block[], names: Names = {}): string {
  return blocks
    .flatMap((block) => {
      if (block.type === "rich_text") return plainTextOfRichText(block, names);
      if (block.type === "header") return [block.text.text];
      if (block.type === "context") return block.elements.map((each) => ("text" in each ? each.text : ""));
      return [];
    })
    .filter((line) => line !== "")
    .join("\n");
}

/** A post whose text, which notifications show and screen readers read, tells all that its blocks draw. */
export function postOf(blocks: readonly Block[], names: Names = {}): Post {
  return post(spoken(blocks, names), blocks);
}

/** The same answer with a small line under it, wherever it ends up: at the head of its thread, and for one person alone. */
export function withContextLine(message: Message, line: string): Message {
  const { thread } = message;
  if (thread === undefined) return withLine(message, line);
  return { ...withLine(message, line), thread: { ...thread, alone: withLine(thread.alone, line) } };
}

/** A message that is full goes without it: what it says stands in its text. */
function withLine({ text, blocks }: Post, line: string): Post {
  const block = context(line);
  const size = [...blocks, block].reduce((sum, each) => sum + sizeOf(each), 0);
  const isFull = blocks.length === 0 || blocks.length >= limits.blocks || size > limits.blocksJson;
  const said = `${text}\n${escapeWithin(visible(line), limits.text)}`;
  return { text: said.length > limits.text ? text : said, blocks: isFull ? blocks : [...blocks, block] };
}

/** As `limits.blocksJson` counts. */
function sizeOf(block: Post["blocks"][number]): number {
  return block.type === "table" ? 0 : JSON.stringify(block).length + 1;
}
