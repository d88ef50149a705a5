import type { LogLine } from "../../../../api/answers.ts";
import { firstRecord, type LogPage } from "../../../../api/log-pages.ts";
import type { Excerpt, ExcerptRequest } from "../../../logs/excerpt.ts";
import type { OpenLog } from "./open-log.ts";
import { linesBefore, SEARCHED, startMark } from "./pages.ts";

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
export async function readDay(log: OpenLog, mode: LogPage["mode"]): Promise<WholeDay> {
  const pages: (readonly LogLine[])[] = [await log.read({ from: 0, size: SEARCHED })];
  let from = firstRecord({ mode, from: 0, size: SEARCHED }) + (pages[0]?.length ?? 0);
  let hasGap = false;
  let left = (pages[0]?.length ?? 0) >= SEARCHED;
  while (left && pages.length < MOST_PAGES) {
    const [newer = []] = pages;
    const mark = startMark({ lines: newer, from: 0, hasGap: false });
    if (mark === undefined) break;
    const older = await linesBefore({ of: mark, edge: "start" }, { mode, from, size: STEP }, log.read);
    hasGap ||= older.hasGap;
    from = older.from + older.lines.length;
    left = older.lines.length >= STEP;
    if (older.lines.length > 0) pages.unshift(older.lines);
  }
  return { pages, left, hasGap };
}

/** Lines of the pages before and after that are read with a page, because a private key can begin or end there. */
const FLANK = 300;

/** One excerpt of all pages. Each is redacted by itself, with the lines around it, so that no thread works for too long. */
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
