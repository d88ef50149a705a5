import { limits } from "../rules/limits.ts";
import { byType, type Check, flag, list, may, must, object, someString, text, url, whole, word } from "./shape.ts";

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

const style = may(
  object({
    bold: may(flag),
    italic: may(flag),
    strike: may(flag),
    underline: may(flag),
    code: may(flag),
    highlight: may(flag),
    client_highlight: may(flag),
    unlink: may(flag),
  }),
);

const textPart = object({ type: must(word("text")), text: must(someString), style });
const link = object({
  type: must(word("link")),
  url: must(url),
  text: may(someString),
  unsafe: may(flag),
  style,
});

const inline: Check = byType(
  {
    text: textPart,
    link,
    emoji: object({
      type: must(word("emoji")),
      name: must(someString),
      unicode: may(someString),
      url: may(someString),
      style,
    }),
    user: object({ type: must(word("user")), user_id: must(someString), style }),
    channel: object({ type: must(word("channel")), channel_id: must(someString), style }),
    usergroup: object({ type: must(word("usergroup")), usergroup_id: must(someString), style }),
    broadcast: object({ type: must(word("broadcast")), range: must(word("here", "channel", "everyone")), style }),
    color: object({ type: must(word("color")), value: must(someString), style }),
    team: object({ type: must(word("team")), team_id: must(someString), style }),
    date: object({
      type: must(word("date")),
      timestamp: must(whole(0, Number.MAX_SAFE_INTEGER)),
      format: must(someString),
      url: may(url),
      fallback: may(someString),
      style,
    }),
  },
  "element.block",
);

const border = may(whole(0, 1));

// Slack's own composer makes an empty section of a blank line.
const section: Check = object({
  type: must(word("rich_text_section")),
  elements: must((value, at, site) => {
    if (!Array.isArray(value) || value.length > 0) list(inline)(value, at, site);
  }),
});

const parts: Readonly<Record<string, Check>> = {
  rich_text_section: section,
  rich_text_list: object({
    type: must(word("rich_text_list")),
    style: must(word("bullet", "ordered")),
    elements: must(list(byType({ rich_text_section: section }, "element.block"))),
    indent: may(whole(0, limits["list.indent"].max, "list.indent")),
    offset: may(whole(0, Number.MAX_SAFE_INTEGER)),
    border,
  }),
  rich_text_quote: object({ type: must(word("rich_text_quote")), elements: must(list(inline)), border }),
  rich_text_preformatted: object({
    type: must(word("rich_text_preformatted")),
    elements: must(list(byType({ text: textPart, link }, "element.block"))),
    language: may(someString),
    border,
  }),
};

export const richTextParts: Check = list(byType(parts, "element.block"));

/** A rich_text block used as a value: in a table cell, or as an input's initial value. */
export const richText: Check = object({
  type: must(word("rich_text")),
  block_id: may(text("block.id")),
  elements: must(richTextParts),
});
