import { context, limits } from "../kit/blocks.ts";
import type { Message, Post } from "../kit/message.ts";
import { escapeWithin, visible } from "../kit/text.ts";

/** The same answer with a small line under it, wherever it ends up: at the head of its thread, and for one person alone. */
export function withContextLine(message: Message, line: string): Message {
  const { thread } = message;
  if (thread === undefined) return under(message, line);
  return { ...under(message, line), thread: { ...thread, alone: under(thread.alone, line) } };
}

/** A message that is full goes without it: what it says stands in its text. */
function under({ text, blocks }: Post, line: string): Post {
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
