import type { RichTextBlock } from "@slack/types";
import { type Block, context, limits, section } from "./blocks.ts";
import { planLines } from "./plan.ts";
import { actionFor, decodeAction, encodeAction } from "./action-id.ts";
import { escapeWithin, visibleLines, visible } from "./text.ts";
import { channel, type Inline, words } from "./inline.ts";

/** Uploaded into the thread. */
export type TextFile = { readonly name: string; readonly title: string; readonly content: string };

/** One message in Slack. Notifications and screen readers use `text`. */
export type Post = { readonly text: string; readonly blocks: readonly Block[] };

/**
 * A complete answer as plain data. With `thread`, the post starts a thread in the channel or, if it is private, in the
 * direct message with the bot. Where the bot can't post, the requester gets `alone` as an ephemeral message instead.
 */
export type Message = Post & {
  /** Only for the person who asked, even if they asked in a thread. */
  readonly isPrivate?: true;
  readonly thread?: {
    readonly replies: readonly Post[];
    readonly files: readonly TextFile[];
    readonly alone: Post;
    /** Posts the thread in the requester's direct message with the bot. */
    readonly isPrivate?: true;
  };
};

/**
 * Slack refuses equal action_ids in a block, so the buttons with an Ask are numbered in a message. Others keep their
 * action_id, which names what they do.
 */
export function numbered(blocks: readonly Block[]): Block[] {
  let next = 0;
  return blocks.map((block) =>
    block.type === "actions"
      ? {
          ...block,
          elements: block.elements.map((each) =>
            decodeAction(each.action_id ?? "")?.kind === "read"
              ? { ...each, action_id: encodeAction({ kind: "read", at: next++ }) }
              : each,
          ),
        }
      : block,
  );
}

/** Slack's limit: https://docs.slack.dev/reference/block-kit/block-elements/button-element */
const LONGEST_ACTION_ID = 255;

/**
 * The same blocks, whose buttons and menus act for the account that they show, whoever uses them: another person's account
 * may have another workload of the same name.
 */
export function blocksFor(account: string, blocks: readonly Block[]): Block[] {
  // One that can't say for whom it acts doesn't act.
  const bound = <Element extends { action_id?: string }>(element: Element): readonly Element[] => {
    const id = actionFor(element.action_id ?? "", account);
    return id.length > LONGEST_ACTION_ID ? [] : [{ ...element, action_id: id }];
  };
  return blocks.flatMap((block): Block[] => {
    if (block.type === "section" && block.accessory?.type === "overflow") {
      const { accessory, ...text } = block;
      const [menu] = bound(accessory);
      return [menu === undefined ? text : { ...text, accessory: menu }];
    }
    if (block.type !== "actions") return [block];
    const elements = block.elements.flatMap(bound);
    return elements.length === 0 ? [] : [{ ...block, elements }];
  });
}

/** A message whose buttons and menus act for this account: see `blocksFor`. */
export function messageFor<Sent extends Message>(account: string, message: Sent): Sent {
  const bound = (each: Post): Post => ({ ...each, blocks: blocksFor(account, each.blocks) });
  const { thread } = message;
  return {
    ...message,
    blocks: blocksFor(account, message.blocks),
    ...(thread && { thread: { ...thread, replies: thread.replies.map(bound), alone: bound(thread.alone) } }),
  };
}

const rest = context("The rest doesn't fit into one Slack message.");

/**
 * The first blocks that fit into one message, and its buttons, unless they are those of an entry in a list, which is left
 * out with them. A safety net: views stay below the limits themselves.
 */
function fitting(blocks: readonly Block[]): Block[] {
  const sizes = blocks.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= limits.blocksJson && blocks.length <= limits.blocks) return [...blocks];
  const rows = blocks.filter(({ type }) => type === "actions");
  const last = rows.length === 1 ? blocks.slice(-1).filter(({ type }) => type === "actions") : [];
  const end = [rest, ...last];
  const kept: Block[] = [];
  let room: number = limits.blocksJson - end.reduce((sum, block) => sum + sizeOf(block), 0);
  for (const [at, block] of blocks.slice(0, blocks.length - last.length).entries()) {
    room -= sizes[at] ?? 0;
    if (room < 0 || kept.length >= limits.blocks - end.length) break;
    kept.push(block);
  }
  return [...kept, ...end];
}

/** Escapes `text`, which Slack parses; notifications and screen readers use it. */
export function post(text: string, blocks: readonly Block[]): Post {
  const escaped = escapeWithin(visibleLines(text), limits.text).trim();
  return { text: escaped === "" ? "Gantry" : escaped, blocks: fitting(numbered(blocks)) };
}

/** Real names and group handles by Slack id, for plain text. */
export type Names = Readonly<Record<string, string>>;

/** The name of an id, or the id itself. */
export function nameOf(names: Names, id: string): string {
  return (Object.hasOwn(names, id) ? names[id] : undefined) ?? id;
}

/** The handle of a user group; without one, "the user group" and its id. */
export function groupName(names: Names, id: string): string {
  const name = nameOf(names, id);
  return name === id ? `the user group ${id}` : name;
}

function plainTextOfInline(inline: Inline, names: Names): string {
  switch (inline.type) {
    case "text":
      // The space between a label and its value in `fields`.
      return inline.text === "  " ? ": " : inline.text;
    case "user":
      return nameOf(names, inline.user_id);
    case "usergroup":
      return groupName(names, inline.usergroup_id);
    case "channel": {
      // Its id tells a reader nothing, and its name changes: in blocks Slack draws it.
      const name = nameOf(names, inline.channel_id);
      return name === inline.channel_id ? "the channel" : name;
    }
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

/** The text of blocks, line by line, without buttons. */
export function plainTextOf(blocks: readonly Block[], names: Names = {}): string {
  return blocks
    .flatMap((block) => {
      if (block.type === "rich_text") return plainTextOfRichText(block, names);
      if (block.type === "plan") return planLines(block);
      if (block.type === "header") return [block.text.text];
      if (block.type === "context") return block.elements.map((each) => ("text" in each ? each.text : ""));
      return [];
    })
    .filter((line) => line !== "")
    .join("\n");
}

/** A post whose text, for notifications and screen readers, repeats all its blocks. */
export function postOf(blocks: readonly Block[], names: Names = {}): Post {
  return post(plainTextOf(blocks, names), blocks);
}

/** Adds a context line to an answer, in every form in which it can be posted. */
export function withContextLine(message: Message, line: string): Message {
  const { thread } = message;
  if (thread === undefined) return { ...message, ...withLine(message, line) };
  return { ...message, ...withLine(message, line), thread: { ...thread, alone: withLine(thread.alone, line) } };
}

export const SENT_AGAIN = "Sent again: you may have it already.";

/** For what Slack may have taken before. */
export function sentAgain(message: Post): Post {
  return message.text.endsWith(`\n${SENT_AGAIN}`) ? message : withLine(message, SENT_AGAIN);
}

/** For a person who gets it because the channel takes no message. */
export function sentInstead(message: Post, channelId: string): Post {
  const why = section([words("You got this here because I couldn't post in "), channel(channelId), words(".")]);
  return withLine(message, plainTextOf([why]), why);
}

/** A full message gets the line only in its text. */
function withLine({ text, blocks }: Post, line: string, block: Block = context(line)): Post {
  const size = [...blocks, block].reduce((sum, each) => sum + sizeOf(each), 0);
  const isFull = blocks.length === 0 || blocks.length >= limits.blocks || size > limits.blocksJson;
  const withText = `${text}\n${escapeWithin(visible(line), limits.text)}`;
  return { text: withText.length > limits.text ? text : withText, blocks: isFull ? blocks : [...blocks, block] };
}

/** As `limits.blocksJson` counts. */
function sizeOf(block: Block): number {
  return JSON.stringify(block).length + 1;
}
