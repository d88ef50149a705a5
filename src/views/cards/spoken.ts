import type { RichTextBlock } from "@slack/types";
import type { Inline } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { post } from "../kit/post.ts";

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

function piece(inline: Inline, names: Names): string {
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

function richText({ elements }: RichTextBlock, names: Names): string[] {
  return elements.flatMap((part) =>
    part.type === "rich_text_list"
      ? part.elements.map((each) => `- ${each.elements.map((inline) => piece(inline, names)).join("")}`)
      : [part.elements.map((inline) => piece(inline, names)).join("")],
  );
}

/** What blocks say, line by line, without their buttons. */
export function spoken(blocks: readonly Block[], names: Names = {}): string {
  return blocks
    .flatMap((block) => {
      if (block.type === "rich_text") return richText(block, names);
      if (block.type === "header") return [block.text.text];
      if (block.type === "context") return block.elements.map((each) => ("text" in each ? each.text : ""));
      return [];
    })
    .filter((line) => line !== "")
    .join("\n");
}

/** A post whose text, which notifications show and screen readers read, tells all that its blocks draw. */
export function told(blocks: readonly Block[], names: Names = {}): Post {
  return post(spoken(blocks, names), blocks);
}
