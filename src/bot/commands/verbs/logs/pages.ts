import { hash } from "node:crypto";
import type { LogLine } from "../../../../api/answers.ts";
import { firstRecord, type LogPage } from "../../../../api/log-pages.ts";
import type { Excerpt, ExcerptRequest } from "../../../logs/excerpt.ts";

// The API counts records from the newest, so new lines push a page back while somebody reads it. A page is found again by the
// lines at its edges.

/** Lines of a log, and where they are in it. */
export type Slice = {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** The number of records after the last one. */
  readonly from: number;
  /** The page before wasn't found again, so lines in between may be missing. */
  readonly hasGap: boolean;
  /** All lines from the first one on, and up to the last one, where the lines are only some of them. */
  readonly edges?: { readonly start: readonly LogLine[]; readonly end: readonly LogLine[] };
};

/** Reads a page of the log. */
export type ReadPage = (page: Pick<LogPage, "from" | "size">) => Promise<readonly LogLine[]>;

/** Enough lines to tell one place in a log from another. */
const MARK_LINES = 10;
/** This many records are searched for a mark; also the most that a call returns. */
export const SEARCHED = 1_000;
/** How many records before the wanted page are searched, for a page that isn't the newest. */
const BEFORE = 400;

/** Identifies the end of a page, to find it again when new lines have arrived. Undefined for an empty page. */
export function endMark({ lines, edges }: Slice): string | undefined {
  return markOf((edges?.end ?? lines).slice(-MARK_LINES));
}

/** Identifies the beginning of a page, or of its last lines. */
export function startMark({ lines, edges }: Slice, shown = lines.length): string | undefined {
  return markOf((edges?.start ?? lines.slice(lines.length - shown)).slice(0, MARK_LINES));
}

function markOf(lines: readonly LogLine[]): string | undefined {
  return lines.length === 0 ? undefined : `${lines.length}.${digest(lines)}`;
}

/** The request that finds the lines after a mark. */
export function pageAfter({ mode, from }: Pick<LogPage, "mode" | "from">): LogPage {
  return { mode, from: Math.max(0, from - BEFORE), size: SEARCHED };
}

/** The request that finds the lines before a mark. */
export function pageBefore({ mode, from }: Pick<LogPage, "mode" | "from">): LogPage {
  return { mode, from: Math.max(0, from - MARK_LINES), size: SEARCHED };
}

/** The lines after the mark, oldest first, at most `size`. Without the mark, the page that was asked for. */
export async function linesAfter(mark: string, wanted: LogPage, read: ReadPage): Promise<Slice> {
  const page = pageAfter(wanted);
  const found = await read(page);
  const first = firstRecord(page);
  const start = placeOfMark(mark, found)?.end;
  const end = start === undefined ? Math.max(0, found.length - (wanted.from - first)) : start + wanted.size;
  const lines = found.slice(start ?? Math.max(0, end - wanted.size), end);
  return { lines, from: first + Math.max(0, found.length - end), hasGap: start === undefined };
}

/**
 * The lines before a mark, or up to its last one, at most `size`: however many arrived since, none comes twice and none is left
 * out. Without the mark, the page that was asked for. Rarely a second call: when so many arrived that the first page ends there.
 */
export async function linesBefore(mark: Mark, wanted: LogPage, read: ReadPage): Promise<Slice> {
  const { size } = wanted;
  const page = pageBefore(wanted);
  const first = firstRecord(page);
  let found = await read(page);
  let edge = placeOfMark(mark.of, found)?.[mark.edge];
  if (edge !== undefined && edge < size && found.length >= SEARCHED) {
    const older = await read({ from: first + found.length, size: SEARCHED });
    found = [...older, ...found];
    edge += older.length;
  }
  const end = edge ?? Math.max(0, found.length - (wanted.from - first));
  const lines = found.slice(Math.max(0, end - size), end);
  return { lines, from: first + found.length - end, hasGap: edge === undefined };
}

/** `start`: the lines before the marked ones. `end`: those too. */
export type Mark = { readonly of: string; readonly edge: "start" | "end" };

/** The oldest place that matches: lines that are all alike are repeated, never skipped. */
function placeOfMark(mark: string, found: readonly LogLine[]): { start: number; end: number } | undefined {
  const count = Number(mark.split(".", 1)[0]);
  if (!(count > 0)) return undefined;
  for (let end = count; end <= found.length; end += 1) {
    if (`${count}.${digest(found.slice(end - count, end))}` === mark) return { start: end - count, end };
  }
  return undefined;
}

function digest(lines: readonly LogLine[]): string {
  const all = JSON.stringify(lines.map(({ instance_name, log }) => [instance_name ?? "", log]));
  return hash("sha1", all, "base64url").slice(0, 16);
}

/** Calls for a day, as long as nothing arrives in between: a service may allow few. */
const MOST_PAGES = 12;
/** Less than a call returns: it begins with the lines that the page before is found by, and with new ones. */
const STEP = SEARCHED - 100;

export type WholeDay = {
  /** Pages in order, oldest first. */
  readonly pages: readonly (readonly LogLine[])[];
  /** There may be older lines. */
  readonly left: boolean;
  /** While they were read, so many lines came that some in between may be missing. */
  readonly hasGap: boolean;
};

/** Reads all pages of a day, from the newest back, about 10,000 lines at most. Lines that arrive meanwhile shift nothing. */
export async function readDay(read: ReadPage, mode: LogPage["mode"]): Promise<WholeDay> {
  const pages: (readonly LogLine[])[] = [await read({ from: 0, size: SEARCHED })];
  let from = firstRecord({ mode, from: 0, size: SEARCHED }) + (pages[0]?.length ?? 0);
  let hasGap = false;
  let left = (pages[0]?.length ?? 0) >= SEARCHED;
  while (left && pages.length < MOST_PAGES) {
    const [newer = []] = pages;
    const mark = startMark({ lines: newer, from: 0, hasGap: false });
    if (mark === undefined) break;
    const older = await linesBefore({ of: mark, edge: "start" }, { mode, from, size: STEP }, read);
    hasGap ||= older.hasGap;
    from = older.from + older.lines.length;
    left = older.lines.length >= STEP;
    if (older.lines.length > 0) pages.unshift(older.lines);
  }
  return { pages, left, hasGap };
}

/** Lines of the pages before and after that are read with a page, because a private key can begin or end there. */
const FLANK = 300;

/** One excerpt of all pages. Each page is redacted separately, with the lines around it, so that no thread is busy for too long. */
export async function dayExcerpt(
  pages: readonly ExcerptRequest["lines"][],
  request: Omit<ExcerptRequest, "lines">,
  excerpt: (request: ExcerptRequest) => Promise<Excerpt>,
): Promise<Excerpt> {
  const parts: Excerpt[] = [];
  for (const [at, page] of pages.entries()) {
    const before = (pages[at - 1] ?? []).slice(-FLANK);
    const after = (pages[at + 1] ?? []).slice(0, FLANK);
    const flank = { before: before.length, after: after.length };
    parts.push(await excerpt({ ...request, lines: [...before, ...page, ...after], flank }));
  }
  const sum = (of: (part: Excerpt) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    lines: parts.flatMap(({ lines }) => lines),
    read: sum(({ read }) => read),
    matched: request.grep === undefined ? undefined : sum(({ matched = 0 }) => matched),
    from: 0,
    size: request.size,
    mayHaveOlder: false,
    instance: request.instance,
    overlap: 0,
  };
}
