import { asText, type Cell, cellsOf, parseLine, plainPieces } from "./mrkdwn-line.ts";
import type { Piece } from "./mrkdwn-tag.ts";

/**
 * A part of mrkdwn. Parts keep everything that was written: a `break` is a line end before or after a part that begins
 * on a line of its own anyway.
 */
export type Part =
  | { readonly kind: "lines"; readonly inner: readonly Piece[] }
  | { readonly kind: "pre"; readonly inner: readonly Piece[] }
  | { readonly kind: "quote"; readonly lines: readonly { readonly mark: string; readonly inner: readonly Piece[] }[] }
  | { readonly kind: "break" };

const fence = /```([^`](?:[^`]|`(?!``))*)```/g;
const quoteMark = /^(?:>>>|&gt;&gt;&gt;|>|&gt;) ?/;

/** Lines of cells, without the line ends. */
function linesOf(cells: readonly Cell[]): readonly (readonly Cell[])[] {
  const lines: Cell[][] = [[]];
  for (const cell of cells) {
    if (cell === "\n") lines.push([]);
    else lines.at(-1)?.push(cell);
  }
  return lines;
}

type Quoted = { readonly mark: string; readonly line: readonly Cell[] };

/** The quoted lines: those that begin with >, and all after a >>>. */
function quotedLines(cells: readonly Cell[]): readonly (readonly Cell[] | Quoted)[] {
  let isOpen = false;
  return linesOf(cells).map((line) => {
    const mark = quoteMark.exec(asText(line))?.[0] ?? "";
    if (mark === "") return isOpen ? { mark, line } : line;
    isOpen ||= /^(?:>>>|&gt;&gt;&gt;)/.test(mark);
    return { mark, line: line.slice(mark.length) };
  });
}

/** Text between code blocks, as runs of quoted and other lines. */
function parseProse(cells: readonly Cell[]): readonly Part[] {
  const parts: Part[] = [];
  let plain: Cell[] | undefined;
  let quote: { mark: string; inner: readonly Piece[] }[] | undefined;
  const flush = (): void => {
    if (plain !== undefined) parts.push({ kind: "lines", inner: parseLine(plain) });
    if (quote !== undefined) parts.push({ kind: "quote", lines: quote });
    plain = quote = undefined;
  };
  for (const [at, line] of quotedLines(cells).entries()) {
    const isQuote = "mark" in line;
    if (at > 0 && (isQuote ? quote === undefined : plain === undefined)) {
      flush();
      parts.push({ kind: "break" });
    }
    if ("mark" in line) (quote ??= []).push({ mark: line.mark, inner: parseLine(line.line) });
    else if (plain === undefined) plain = [...line];
    else plain.push("\n", ...line);
  }
  flush();
  return parts;
}

/** Text beside a code block: the line end next to the block is a break. */
function proseBeside(cells: readonly Cell[], beside: { readonly before: boolean; readonly after: boolean }): Part[] {
  const hasHead = beside.before && cells[0] === "\n";
  const hasTail = beside.after && cells.length > (hasHead ? 1 : 0) && cells.at(-1) === "\n";
  const rest = cells.slice(hasHead ? 1 : 0, hasTail ? -1 : undefined);
  const middle = rest.length === 0 ? [] : parseProse(rest);
  return [...(hasHead ? [newBreak] : []), ...middle, ...(hasTail ? [newBreak] : [])];
}

const newBreak: Part = { kind: "break" };

/**
 * mrkdwn as a tree. Nothing is lost: unrecognised markup stays as text, with entities decoded. Slack's mrkdwn has no
 * lists: "• one" is text. https://docs.slack.dev/messaging/formatting-message-text
 */
export function parseMrkdwn(text: string): readonly Part[] {
  const cells = cellsOf(text);
  const parts: Part[] = [];
  let end = 0;
  for (const match of asText(cells).matchAll(fence)) {
    parts.push(...proseBeside(cells.slice(end, match.index), { before: end > 0, after: true }));
    end = match.index + match[0].length;
    parts.push({ kind: "pre", inner: plainPieces(cells.slice(match.index + 3, end - 3)) });
  }
  if (end < cells.length || parts.length === 0) {
    parts.push(...proseBeside(cells.slice(end), { before: end > 0, after: false }));
  }
  return parts;
}
