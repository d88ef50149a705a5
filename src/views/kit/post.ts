import { context, limits } from "./blocks.ts";
import type { Block, Post } from "./message.ts";
import { escapeWithin, visibleLines } from "./text.ts";

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
function within(blocks: readonly Block[]): Block[] {
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
  const spoken = escapeWithin(visibleLines(text), limits.text).trim();
  return { text: spoken === "" ? "Gantry" : spoken, blocks: within(numbered(blocks)) };
}
