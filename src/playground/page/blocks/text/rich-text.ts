import { type ComponentChild, h, type JSX } from "preact";
import { type JsonObject, objectOf, objectsOf, textOf } from "../../../json.ts";
import type { BlockContext } from "../block-context.ts";
import { broadcastMention, channelMention, emoji, groupMention, link, moment, userMention } from "./links.ts";

// https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

type Draw = (context: BlockContext, part: JsonObject) => ComponentChild;

function drawColor(value: string): JSX.Element {
  const isColor = /^#[0-9a-f]{3,8}$/i.test(value);
  const swatch = h("span", { class: "swatch", style: isColor ? { backgroundColor: value } : {}, "aria-hidden": true });
  return h("span", null, swatch, value);
}

function drawDate(context: BlockContext, part: JsonObject): JSX.Element {
  return moment(context, {
    seconds: Number(part["timestamp"]),
    format: textOf(part["format"]),
    url: textOf(part["url"]),
    fallback: textOf(part["fallback"]),
    timeZone: textOf(part["timezone"]) || undefined,
  });
}

const inline: Readonly<Record<string, Draw>> = {
  text: (_context, part) => textOf(part["text"]),
  link: (_context, part) => link(textOf(part["url"]), textOf(part["text"]) || textOf(part["url"])),
  user: (context, part) => userMention(context, textOf(part["user_id"])),
  usergroup: (context, part) => groupMention(context, textOf(part["usergroup_id"])),
  channel: (context, part) => channelMention(context, textOf(part["channel_id"])),
  broadcast: (_context, part) => broadcastMention(textOf(part["range"])),
  emoji: (context, part) => emoji(context, textOf(part["name"])),
  color: (_context, part) => drawColor(textOf(part["value"])),
  team: (_context, part) => textOf(part["team_id"]),
  date: drawDate,
};

const styles = {
  bold: "strong",
  italic: "em",
  strike: "s",
  underline: "u",
  highlight: "mark",
  client_highlight: "mark",
  code: "code",
};

function drawInline(context: BlockContext, holder: JsonObject): readonly ComponentChild[] {
  return objectsOf(holder["elements"]).map((part) => {
    const draw = inline[textOf(part["type"])];
    const drawn = draw === undefined ? h("code", { class: "not-drawn" }, JSON.stringify(part)) : draw(context, part);
    const style = objectOf(part["style"]);
    return Object.entries(styles).reduce<ComponentChild>(
      (inner, [name, tag]) => (style[name] === true ? h(tag, null, inner) : inner),
      drawn,
    );
  });
}

const bordered = (part: JsonObject): string => (part["border"] === 1 ? " bordered" : "");

function drawList(context: BlockContext, list: JsonObject): JSX.Element {
  const indent = Math.min(8, Math.max(0, Number(list["indent"] ?? 0)));
  const items = objectsOf(list["elements"]).map((item) => h("li", null, ...drawInline(context, item)));
  const name = `indent-${indent} level-${indent % 3}${bordered(list)}`;
  if (list["style"] !== "ordered") return h("ul", { class: name }, ...items);
  return h("ol", { class: name, start: Number(list["offset"] ?? 0) + 1 }, ...items);
}

const parts: Readonly<Record<string, (context: BlockContext, part: JsonObject) => JSX.Element>> = {
  // A zero-width space gives an empty section, Slack's blank line, its height.
  rich_text_section: (context, part) => h("div", { class: "lines" }, ...drawInline(context, part), "\u200b"),
  rich_text_list: drawList,
  rich_text_quote: (context, part) =>
    h("blockquote", { class: bordered(part).trim() }, h("div", { class: "lines" }, ...drawInline(context, part))),
  rich_text_preformatted: (context, part) =>
    h(
      "pre",
      { class: bordered(part).trim(), "data-language": textOf(part["language"]) || undefined },
      ...drawInline(context, part),
    ),
};

/** A rich_text block, or a value of that shape in a table's cell. */
export function RichText(props: { readonly block: JsonObject; readonly context: BlockContext }): JSX.Element {
  const drawn = objectsOf(props.block["elements"]).map((part) => {
    const draw = parts[textOf(part["type"])];
    return draw === undefined ? h("pre", { class: "not-drawn" }, JSON.stringify(part)) : draw(props.context, part);
  });
  return h("div", { class: "rich-text" }, ...drawn);
}
