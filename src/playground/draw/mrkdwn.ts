import { boundedMap } from "../../platform/bounded-map.ts";
import { parseMrkdwn, type Part, type Piece } from "./mrkdwn-tree.ts";
import type { State } from "../workspace/state.ts";

function drawPieces(pen: Pen, pieces: readonly Piece[]): string {
  return pieces.map((piece) => drawPiece(pen, piece)).join("");
}

function drawPiece(pen: Pen, piece: Piece): string {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "bold":
    case "italic":
    case "strike":
    case "code":
      return `${piece.mark}${drawPieces(pen, piece.inner)}${piece.mark}`;
    case "address":
      return piece.url;
    case "unknown":
      return piece.label === "" ? piece.raw : piece.label;
    case "user":
      return drawUser(pen, piece.id);
    case "channel":
      return drawChannel(pen, piece.id);
    case "group":
      return drawGroup(pen, piece.id);
    case "broadcast":
      return mentioned(pen, piece.range);
    case "link":
      return drawLink(pen, piece.url, piece.label);
  }
}

function drawPart(pen: Pen, part: Part): string {
  switch (part.kind) {
    case "lines":
      return drawPieces(pen, part.inner);
    case "pre":
      return `\`\`\`${drawPieces(pen, part.inner)}\`\`\``;
    case "quote":
      return part.lines.map((line) => `${line.mark.replaceAll("&gt;", ">")}${drawPieces(pen, line.inner)}`).join("\n");
    case "break":
      return "\n";
  }
}

/** Whoever looks at a channel has all its messages drawn, most of them as before. */
const MOST_PARSED = 1_000;
const parsed = boundedMap<string, readonly Part[]>(MOST_PARSED);

function partsOf(text: string): readonly Part[] {
  const parts = parsed.get(text) ?? parseMrkdwn(text);
  parsed.set(text, parts);
  return parts;
}

/**
 * mrkdwn as plain text. Mentions and links are printed as a reader sees them (@channel, #ops, label (url)) and
 * recorded in the pen. Entities are decoded once; * _ ~ ` stay.
 */
export function drawMrkdwn(pen: Pen, text: string): string {
  return partsOf(text)
    .map((part) => drawPart(pen, part))
    .join("");
}

/** Collects mentions and links while drawing. */
export type Pen = {
  readonly state: State;
  /** "@channel", "@dana", "@oncall": everybody the message would notify. */
  readonly mentions: string[];
  readonly links: string[];
};

export function newPen(state: State): Pen {
  return { state, mentions: [], links: [] };
}

function mentioned(pen: Pen, name: string): string {
  pen.mentions.push(`@${name}`);
  return `@${name}`;
}

export function drawUser(pen: Pen, id: string): string {
  return mentioned(pen, pen.state.users.get(id)?.name ?? id);
}

export function drawGroup(pen: Pen, id: string): string {
  return mentioned(pen, pen.state.groups.get(id)?.handle ?? id);
}

export function drawChannel(pen: Pen, id: string): string {
  const drawn = `#${pen.state.channels.get(id)?.name ?? id}`;
  pen.links.push(drawn);
  return drawn;
}

export function drawLink(pen: Pen, url: string, label: string): string {
  pen.links.push(url);
  return label === "" || label === url ? url : `${label} (${url})`;
}
