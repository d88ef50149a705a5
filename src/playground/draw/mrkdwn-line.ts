import { parseTag, type Piece, unescape } from "./mrkdwn-tag.ts";

/** One UTF-16 unit of text, or a parsed piece. */
export type Cell = string | Piece;

const tag = /(<[^<>\s][^<>\n]*>)/;
// Represents a piece when cells are matched as text. A cell with this very character stays a string.
const placeholder = "\uFFFC";

/** Text as cells; each <…> is one cell. */
export function cellsOf(text: string): readonly Cell[] {
  // split with a group returns text and tags in turn.
  return text.split(tag).flatMap((part, at): readonly Cell[] => {
    return at % 2 === 1 ? [parseTag(part.slice(1, -1))] : part.split("");
  });
}

/** Cells as text, one character per cell, so that indexes match. */
export function asText(cells: readonly Cell[]): string {
  return cells.map((cell) => (typeof cell === "string" ? cell : placeholder)).join("");
}

/** Cells as pieces, ignoring marks: for code. */
export function plainPieces(cells: readonly Cell[]): readonly Piece[] {
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

/**
 * Cells without code blocks and quotes, as pieces. Code comes first, because marks mean nothing in it; only <…> does.
 */
export function parseLine(cells: readonly Cell[]): readonly Piece[] {
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
  const withEmoji = lift(linked, /:[a-z0-9+_'-]+:(?::skin-tone-[2-6]:)?/g, (match) => ({
    kind: "emoji",
    name: match[0].slice(1, -1),
    raw: match[0],
  }));
  return styled(withEmoji, ["*", "_", "~"]);
}
