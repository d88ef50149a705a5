import { type ComponentChild, h, type JSX } from "preact";
import { isObject, type Json, textOf } from "../../../json.ts";
import type { BlockContext } from "../block-context.ts";
import { broadcastMention, channelMention, emoji, groupMention, link, userMention } from "./links.ts";
import { parseMrkdwn, type Part, type Piece } from "../../../draw/mrkdwn-tree.ts";

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
    case "emoji":
      return emoji(context, piece.name);
    case "unknown":
      return piece.label === "" ? piece.raw : piece.label;
    default:
      return drawLive(context, piece);
  }
}

type Live = Extract<Piece, { kind: "user" | "channel" | "group" | "broadcast" | "link" | "address" }>;

function drawLive(context: BlockContext, piece: Live): JSX.Element {
  switch (piece.kind) {
    case "user":
      return userMention(context, piece.id);
    case "channel":
      return channelMention(context, piece.id);
    case "group":
      return groupMention(context, piece.id);
    case "broadcast":
      return broadcastMention(piece.range);
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
  return h("div", { class: "mrkdwn" }, ...parseMrkdwn(props.text).map((part) => drawPart(props.context, part)));
}
