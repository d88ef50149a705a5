import { type ComponentChild, type ComponentChildren, h, type JSX } from "preact";
import { isObject, type Json, type JsonObject, objectOf, objectsOf, textOf } from "../../json.ts";
import { type BlockContext, safeLink } from "./block-context.ts";
import { parseMrkdwn, type Part, type Piece } from "../../draw/mrkdwn-tree.ts";
import { formatSlackDate } from "../app/format-time.ts";
import type { InlineType, RichPartType } from "../../block-kit.ts";

/** A text object: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
export function TextObject(props: {
  readonly text: Json | undefined;
  readonly context: BlockContext;
}): JSX.Element | null {
  const { text, context } = props;
  if (!isObject(text)) return null;
  const words = textOf(text["text"]);
  if (text["type"] === "mrkdwn") return h(MrkdwnText, { text: words, context });
  return h("span", { class: "plain" }, words);
}

const tags = { bold: "strong", italic: "em", strike: "s", code: "code" } as const;

function drawPieces(context: BlockContext, pieces: readonly Piece[]): readonly ComponentChild[] {
  return pieces.map((piece) => drawPiece(context, piece));
}

function drawPiece(context: BlockContext, piece: Piece): ComponentChild {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "bold":
    case "italic":
    case "strike":
    case "code":
      return h(tags[piece.kind], null, ...drawPieces(context, piece.inner));
    case "unknown":
      return piece.label === "" ? piece.raw : piece.label;
    case "user":
      return mention(`@${context.user(piece.id)}`);
    case "channel":
      return mention(`#${context.channel(piece.id)}`);
    case "group":
      return mention(`@${context.usergroup(piece.id)}`);
    case "broadcast":
      return h("span", { class: "mention mention-all" }, `@${piece.range}`);
    case "address":
      return link(piece.url, piece.url);
    case "link":
      return link(piece.url, piece.label === "" ? piece.url.replace(/^mailto:/, "") : piece.label);
  }
}

/** A code block, without the line ends next to its marks, as in Slack. */
function drawPre(context: BlockContext, inner: readonly Piece[]): JSX.Element {
  const trimmed = inner.map((piece, at) => {
    if (piece.kind !== "text") return piece;
    const head = at === 0 ? piece.text.replace(/^\n/, "") : piece.text;
    return { ...piece, text: at === inner.length - 1 ? head.replace(/\n$/, "") : head };
  });
  return h("pre", null, ...drawPieces(context, trimmed));
}

function drawPart(context: BlockContext, part: Part): ComponentChild {
  switch (part.kind) {
    case "break":
      return null;
    case "lines":
      return h("div", { class: "lines" }, ...drawPieces(context, part.inner));
    case "pre":
      return drawPre(context, part.inner);
    case "quote":
      return h(
        "blockquote",
        null,
        ...part.lines.map((line) => h("div", null, ...drawPieces(context, line.inner), "\u200b")),
      );
  }
}

/** mrkdwn as Slack draws it; text is never treated as HTML. */
export function MrkdwnText(props: { readonly text: string; readonly context: BlockContext }): JSX.Element {
  return h("div", { class: "mrkdwn column" }, ...parseMrkdwn(props.text).map((part) => drawPart(props.context, part)));
}

// Links, mentions and dates in text, the same in mrkdwn and rich text.

function mention(words: string): JSX.Element {
  return h("span", { class: "mention" }, words);
}

/** A link in a new tab; an unsafe address is shown as text. */
function link(url: string, inner: ComponentChildren): JSX.Element {
  const href = safeLink(url);
  if (href === undefined) return h("span", { class: "dead-link", title: `Not opened here: ${url}` }, inner);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, inner);
}

function moment(context: BlockContext, part: JsonObject): JSX.Element {
  const seconds = Number(part["timestamp"]);
  const exact = new Date(seconds * 1000);
  const date = { seconds, format: textOf(part["format"]), now: context.now };
  const words = formatSlackDate(date) ?? (textOf(part["fallback"]) || String(seconds));
  return Number.isFinite(exact.getTime())
    ? h("time", { dateTime: exact.toISOString(), title: exact.toISOString() }, words)
    : h("span", null, words);
}

type Draw = (context: BlockContext, part: JsonObject) => ComponentChild;

const inline: Readonly<Record<string, Draw>> = {
  text: (_context, part) => textOf(part["text"]),
  link: (_context, part) => link(textOf(part["url"]), textOf(part["text"]) || textOf(part["url"])),
  user: (context, part) => mention(`@${context.user(textOf(part["user_id"]))}`),
  usergroup: (context, part) => mention(`@${context.usergroup(textOf(part["usergroup_id"]))}`),
  channel: (context, part) => mention(`#${context.channel(textOf(part["channel_id"]))}`),
  date: moment,
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
  return h("div", { class: "rich-text column" }, ...drawn);
}
