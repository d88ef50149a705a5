/**
 * A part of mrkdwn. Parts keep everything that was written: a `break` is a line end before or after a part that begins
 * on a line of its own anyway.
 */
export type Part =
  | { readonly kind: "lines"; readonly inner: readonly Piece[] }
  | { readonly kind: "pre"; readonly inner: readonly Piece[] }
  | { readonly kind: "quote"; readonly lines: readonly { readonly mark: string; readonly inner: readonly Piece[] }[] }
  | { readonly kind: "break" };

// The syntax between < and > in mrkdwn: https://docs.slack.dev/messaging/formatting-message-text

/** A piece of a line of mrkdwn. `raw` is its source, with entities. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bold" | "italic" | "strike" | "code"; readonly mark: string; readonly inner: readonly Piece[] }
  | { readonly kind: "user" | "channel" | "group"; readonly id: string }
  | { readonly kind: "broadcast"; readonly range: string }
  | { readonly kind: "link"; readonly url: string; readonly label: string }
  /** A bare URL, which Slack links automatically. */
  | { readonly kind: "address"; readonly url: string }
  /** An unknown <!something>. */
  | { readonly kind: "unknown"; readonly raw: string; readonly label: string };

const fence = /```([^`](?:[^`]|`(?!``))*)```/g;

/**
 * mrkdwn as a tree. Nothing is lost: unrecognised markup stays as text, with entities decoded. Slack's mrkdwn has no
 * lists: "• one" is text. https://docs.slack.dev/messaging/formatting-message-text
 */
export function parseMrkdwn(text: string): readonly Part[] {
  // Splitting with a group returns text and tags in turn.
  const cells = text
    .split(tag)
    .flatMap((part, at): readonly Cell[] => (at % 2 === 1 ? [parseTag(part.slice(1, -1))] : part.split("")));
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

/** Text beside a code block: the line end next to the block is a break. */
function proseBeside(cells: readonly Cell[], beside: { readonly before: boolean; readonly after: boolean }): Part[] {
  const hasHead = beside.before && cells[0] === "\n";
  const hasTail = beside.after && cells.length > (hasHead ? 1 : 0) && cells.at(-1) === "\n";
  const rest = cells.slice(hasHead ? 1 : 0, hasTail ? -1 : undefined);
  const middle = rest.length === 0 ? [] : parseProse(rest);
  return [...(hasHead ? [newBreak] : []), ...middle, ...(hasTail ? [newBreak] : [])];
}

const newBreak: Part = { kind: "break" };

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

const quoteMark = /^(?:>>>|&gt;&gt;&gt;|>|&gt;) ?/;

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

/** Lines of cells, without the line ends. */
function linesOf(cells: readonly Cell[]): readonly (readonly Cell[])[] {
  const lines: Cell[][] = [[]];
  for (const cell of cells) {
    if (cell === "\n") lines.push([]);
    else lines.at(-1)?.push(cell);
  }
  return lines;
}

/** One UTF-16 unit of text, or a parsed piece. */
type Cell = string | Piece;

// Represents a piece when cells are matched as text. A cell with this very character stays a string.
const placeholder = "\uFFFC";

/** Cells as text, one character per cell, so that indexes match. */
function asText(cells: readonly Cell[]): string {
  return cells.map((cell) => (typeof cell === "string" ? cell : placeholder)).join("");
}

/** Cells as pieces, ignoring marks: for code. */
function plainPieces(cells: readonly Cell[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") pieces.push({ kind: "text", text: unescape(text) });
    text = "";
  };
  for (const cell of cells) {
    if (typeof cell === "string") text += cell;
    else {
      flush();
      pieces.push(cell);
    }
  }
  flush();
  return pieces;
}

const tag = /(<[^<>\s][^<>\n]*>)/;

/**
 * Cells without code blocks and quotes, as pieces. Code comes first, because marks mean nothing in it; only <…> does.
 */
function parseLine(cells: readonly Cell[]): readonly Piece[] {
  const coded = lift(cells, /`[^`\n]+`/g, (_match, inner) => ({
    kind: "code",
    mark: "`",
    inner: plainPieces(inner.slice(1, -1)),
  }));
  const linked = lift(
    coded,
    /(?<![\p{L}\p{N}])https?:\/\/(?:&amp;|[^\s<>&|"'`\uFFFC])*[\p{L}\p{N}/=#-]/gu,
    (match) => ({
      kind: "address",
      url: unescape(match[0]),
    }),
  );
  return styled(linked, ["*", "_", "~"]);
}

type Make = (match: RegExpExecArray, inner: readonly Cell[]) => Piece;

/** Replaces each match of the pattern by one cell. */
function lift(cells: readonly Cell[], pattern: RegExp, make: Make): readonly Cell[] {
  const lifted: Cell[] = [];
  let end = 0;
  for (const match of asText(cells).matchAll(pattern)) {
    const after = match.index + match[0].length;
    lifted.push(...cells.slice(end, match.index), make(match, cells.slice(match.index, after)));
    end = after;
  }
  return end === 0 ? cells : [...lifted, ...cells.slice(end)];
}

const marks = { "*": "bold", _: "italic", "~": "strike" } as const;

type Mark = keyof typeof marks;

function isMark(cell: Cell | undefined): cell is Mark {
  return cell === "*" || cell === "_" || cell === "~";
}

const word = /[\p{L}\p{N}]/u;

const space = /\s/;

/** A mark opens before a non-space character, and not within a word. */
function opens(text: string, at: number): boolean {
  const [before = " ", mark = "", after = " "] = [text[at - 1], text[at], text[at + 1]];
  return !word.test(before) && !space.test(after) && after !== mark;
}

function closes(text: string, at: number): boolean {
  const [before = " ", after = " "] = [text[at - 1], text[at + 1]];
  return !space.test(before) && !word.test(after) && after !== text[at];
}

/** The index of the closing mark on the same line; undefined if there is none. */
function findClose(text: string, from: number): number | undefined {
  const mark = text[from];
  for (let at = from + 1; at < text.length && text[at] !== "\n"; at += 1) {
    if (at > from + 1 && text[at] === mark && closes(text, at)) return at;
  }
  return undefined;
}

/** * _ ~ around text. Within a style its own mark is plain text, so nesting ends after three. */
function styled(cells: readonly Cell[], allowed: readonly Mark[]): readonly Piece[] {
  const text = asText(cells);
  const made: Cell[] = [];
  // Once a mark has no closing mark on this line, later ones have none either: don't search again.
  const hopeless = new Set<Mark>();
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? "";
    if (cell === "\n") hopeless.clear();
    const isOpen = isMark(cell) && allowed.includes(cell) && !hopeless.has(cell) && opens(text, at);
    const end = isOpen ? findClose(text, at) : undefined;
    if (isOpen && end === undefined) hopeless.add(cell);
    if (!isOpen || end === undefined) {
      made.push(cell);
      continue;
    }
    const others = allowed.filter((each) => each !== cell);
    made.push({ kind: marks[cell], mark: cell, inner: styled(cells.slice(at + 1, end), others) });
    at = end;
  }
  return plainPieces(made);
}

/** Parses one <…>, passed without its brackets. */
function parseTag(tag: string): Piece {
  const bar = tag.indexOf("|");
  const target = bar < 0 ? tag : tag.slice(0, bar);
  const label = bar < 0 ? "" : unescape(tag.slice(bar + 1));
  if (target.startsWith("@")) return { kind: "user", id: target.slice(1) };
  if (target.startsWith("#")) return { kind: "channel", id: target.slice(1) };
  if (target.startsWith("!")) return parseSpecial(target.slice(1), label);
  return { kind: "link", url: unescape(target), label };
}

const broadcasts = new Set(["channel", "here", "everyone", "group"]);

function parseSpecial(inner: string, label: string): Piece {
  const [command = "", first = ""] = inner.split("^");
  if (broadcasts.has(command)) return { kind: "broadcast", range: command === "group" ? "channel" : command };
  if (command === "subteam") return { kind: "group", id: first };
  return { kind: "unknown", raw: `<!${inner}>`, label };
}

/** Decodes entities, once. */
export function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
