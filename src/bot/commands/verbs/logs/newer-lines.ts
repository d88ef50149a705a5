import { hash } from "node:crypto";
import { firstRecord, type LogPage } from "../../../../api/log-pages.ts";
import type { LogLine } from "../../../../api/answers.ts";

/** A page of a log, and the button for newer lines continues after its last line. */
export type Slice = {
  readonly lines: readonly LogLine[];
  /** The first record, counted from the newest. */
  readonly from: number;
  /** The last line that was shown before wasn't found, so lines in between may be missing. */
  readonly hasGap: boolean;
};

/** Enough lines to tell one place in a log from another. */
const MARK_LINES = 10;
/** The API counts records from the newest, so new lines push the marked one back. This many are searched for it. */
const SEARCHED = 1_000;
/** How many records before the wanted page are searched, for a page that isn't the newest. */
const BEFORE = 400;

/** Identifies the end of a page, to find it again when new lines have arrived. Undefined for an empty page. */
export function markOf(lines: readonly LogLine[]): string | undefined {
  const count = Math.min(MARK_LINES, lines.length);
  return count === 0 ? undefined : `${count}.${digest(lines.slice(-count))}`;
}

/** The request that finds the lines after a mark. */
export function searchPage({ mode, from }: Pick<LogPage, "mode" | "from">): LogPage {
  return { mode, from: Math.max(0, from - BEFORE), size: SEARCHED };
}

/** The lines after the mark, oldest first, at most `size`. Without the mark, the page that was asked for. */
export function linesAfter(mark: string, found: readonly LogLine[], wanted: LogPage): Slice {
  const first = firstRecord(searchPage(wanted));
  const start = endOfMark(mark, found);
  const end = start === undefined ? Math.max(0, found.length - (wanted.from - first)) : start + wanted.size;
  const lines = found.slice(start ?? Math.max(0, end - wanted.size), end);
  return { lines, from: first + Math.max(0, found.length - end), hasGap: start === undefined };
}

/** The oldest place that matches: lines that are all alike are repeated, never skipped. */
function endOfMark(mark: string, found: readonly LogLine[]): number | undefined {
  const count = Number(mark.split(".", 1)[0]);
  if (!(count > 0)) return undefined;
  for (let end = count; end <= found.length; end += 1) {
    if (`${count}.${digest(found.slice(end - count, end))}` === mark) return end;
  }
  return undefined;
}

function digest(lines: readonly LogLine[]): string {
  const all = JSON.stringify(lines.map(({ instance_name, log }) => [instance_name ?? "", log]));
  return hash("sha1", all, "base64url").slice(0, 16);
}
