import type { InlineType, RichPartType } from "../block-kit.ts";
import { byType, type Check, flag, list, may, must, object, someString, url, whole, word } from "./shape.ts";

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

const words = object({
  type: must(word("text")),
  text: must(someString),
  style: may(object({ bold: may(flag), code: may(flag) })),
});

const inline: Check = byType({
  text: words,
  link: object({ type: must(word("link")), url: must(url), text: may(someString) }),
  user: object({ type: must(word("user")), user_id: must(someString) }),
  channel: object({ type: must(word("channel")), channel_id: must(someString) }),
  usergroup: object({ type: must(word("usergroup")), usergroup_id: must(someString) }),
  date: object({
    type: must(word("date")),
    timestamp: must(whole(0, Number.MAX_SAFE_INTEGER)),
    format: must(someString),
    fallback: may(someString),
  }),
} satisfies Record<InlineType, Check>);

const section = object({ type: must(word("rich_text_section")), elements: must(list(inline)) });

export const richTextParts: Check = list(
  byType({
    rich_text_section: section,
    rich_text_list: object({
      type: must(word("rich_text_list")),
      style: must(word("bullet")),
      elements: must(list(section)),
    }),
    rich_text_preformatted: object({ type: must(word("rich_text_preformatted")), elements: must(list(words)) }),
  } satisfies Record<RichPartType, Check>),
);
