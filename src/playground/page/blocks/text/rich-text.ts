import { type ComponentChild, h, type JSX } from "preact";
import type { InlineType, RichPartType } from "../../../block-kit.ts";
import { type JsonObject, objectOf, objectsOf, textOf } from "../../../json.ts";
import type { BlockContext } from "../block-context.ts";
import { channelMention, groupMention, link, moment, userMention } from "./links.ts";

type Draw = (context: BlockContext, part: JsonObject) => ComponentChild;

const inline: Readonly<Record<string, Draw>> = {
  text: (_context, part) => textOf(part["text"]),
  link: (_context, part) => link(textOf(part["url"]), textOf(part["text"]) || textOf(part["url"])),
  user: (context, part) => userMention(context, textOf(part["user_id"])),
  usergroup: (context, part) => groupMention(context, textOf(part["usergroup_id"])),
  channel: (context, part) => channelMention(context, textOf(part["channel_id"])),
  date: (context, part) =>
    moment(context, {
      seconds: Number(part["timestamp"]),
      format: textOf(part["format"]),
      fallback: textOf(part["fallback"]),
    }),
} satisfies Record<InlineType, Draw>;

const styles = { bold: "strong", code: "code" };

function drawInline(context: BlockContext, holder: JsonObject): readonly ComponentChild[] {
  return objectsOf(holder["elements"]).map((part) => {
    const drawn = inline[textOf(part["type"])]?.(context, part) ?? textOf(part["text"]);
    const style = objectOf(part["style"]);
    return Object.entries(styles).reduce<ComponentChild>(
      (inner, [name, tag]) => (style[name] === true ? h(tag, null, inner) : inner),
      drawn,
    );
  });
}

const parts: Readonly<Record<string, (context: BlockContext, part: JsonObject) => JSX.Element>> = {
  // A zero-width space gives a blank line its height.
  rich_text_section: (context, part) => h("div", { class: "lines" }, ...drawInline(context, part), "\u200b"),
  rich_text_list: (context, list) =>
    h("ul", null, ...objectsOf(list["elements"]).map((item) => h("li", null, ...drawInline(context, item)))),
  rich_text_preformatted: (context, part) => h("pre", null, ...drawInline(context, part)),
} satisfies Record<RichPartType, (context: BlockContext, part: JsonObject) => JSX.Element>;

/** https://docs.slack.dev/reference/block-kit/blocks/rich-text-block */
export function RichText(props: { readonly block: JsonObject; readonly context: BlockContext }): JSX.Element {
  const drawn = objectsOf(props.block["elements"]).map((part) => {
    return parts[textOf(part["type"])]?.(props.context, part) ?? null;
  });
  return h("div", { class: "rich-text" }, ...drawn);
}
