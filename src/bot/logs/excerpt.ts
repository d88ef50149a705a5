import { cleanLine } from "./clean-line.ts";
import { type Grep, compileGrep } from "./grep.ts";
import { redactLines } from "./redact.ts";

export type ExcerptLine = {
  readonly instance?: string;
  /** Redacted and cut; may hold line breaks where the record does. */
  readonly text: string;
  /** False without an expression. */
  readonly match: boolean;
};

/** A page of log records as a cursor: the records that were fetched, and those that are shown. */
export type Excerpt = {
  /** Oldest first. With an expression, only the records that match. */
  readonly lines: readonly ExcerptLine[];
  /** Number of records searched: those fetched, of one instance if one was requested. */
  readonly read: number;
  readonly matched: number | undefined;
  /** Records skipped, counted from the newest. */
  readonly from: number;
  readonly size: number;
  /** False when fewer records came than requested. */
  readonly mayHaveOlder: boolean;
  readonly instance: string | undefined;
  /** Records that were already on the previous page, because new ones arrived in between. */
  readonly overlap: number;
};

export type LogRecord = { readonly instance?: string | undefined; readonly text: string };

export type ExcerptInput = {
  /** Oldest first. */
  readonly lines: readonly LogRecord[];
  readonly instance?: string | undefined;
  readonly grep?: Pick<Grep, "test"> | undefined;
  readonly from: number;
  readonly size: number;
  readonly overlap?: number | undefined;
  /** Values known to be secret. */
  readonly secrets?: readonly string[];
};

type Item = { readonly instance: string; readonly text: string };

/** Maximum characters of a record that are shown, and that are read. */
const SHOWN = 2_000;
const READ = 16_384;
/** Bounds the time for a page: the more records, the less of each is read. */
const READ_OF_PAGE = 4 * 1024 * 1024;
/**
 * A secret cut off at the end of the part that is read may go unrecognised, so this many characters before the cut are
 * hidden.
 */
const MARGIN = 600;

function readOf(records: number): number {
  return Math.min(READ, Math.max(SHOWN + MARGIN, Math.floor(READ_OF_PAGE / Math.max(1, records))));
}

/** Cuts each record to the part that is read, plus one character to show that there is more. */
export function boundRecords<Item extends LogRecord>(lines: readonly Item[]): readonly Item[] {
  const most = readOf(lines.length) + 1;
  return lines.map((line) => (line.text.length <= most ? line : { ...line, text: line.text.slice(0, most) }));
}

function cut(text: string, wasCut: boolean): string {
  const shown = wasCut ? Math.min(SHOWN, Math.max(0, text.length - MARGIN)) : SHOWN;
  return text.length <= shown ? text : `${text.slice(0, shown).toWellFormed()}… (cut)`;
}

/** Redacts per instance: instances log at the same time, and the lines of a private key must stay together. */
function redactByInstance(items: readonly Item[], secrets: readonly string[] = []): string[] {
  const texts = items.map(({ text }) => text);
  for (const same of Map.groupBy(items.keys(), (at) => items[at]?.instance ?? "").values()) {
    const redacted = redactLines(
      same.map((at) => texts[at] ?? ""),
      secrets,
    );
    for (const [nth, at] of same.entries()) texts[at] = redacted[nth] ?? "";
  }
  return texts;
}

/** Redacts before filtering: an expression must not reveal whether it matches a secret. */
export function makeExcerpt({ lines, instance, grep, from, size, overlap = 0, secrets }: ExcerptInput): Excerpt {
  const read = readOf(lines.length);
  const items = lines.map((line) => ({ instance: line.instance ?? "", text: cleanLine(line.text.slice(0, read)) }));
  const texts = redactByInstance(items, secrets);
  const all = items.map((item, at) => ({
    instance: item.instance,
    text: cut(texts[at] ?? "", (lines[at]?.text.length ?? 0) > read),
  }));
  // Records without an instance come from a job's log, which has only the requested one.
  const own = instance === undefined ? all : all.filter((line) => line.instance === "" || line.instance === instance);
  const kept = grep === undefined ? own : own.filter((line) => grep.test(line.text));
  return {
    lines: kept.map((line) => ({
      text: line.text,
      match: grep !== undefined,
      ...(line.instance !== "" && { instance: line.instance }),
    })),
    read: own.length,
    matched: grep === undefined ? undefined : kept.length,
    from,
    size,
    mayHaveOlder: lines.length > 0 && lines.length >= size,
    instance,
    overlap,
  };
}

/** Plain data, so that it can be sent to a worker thread. */
export type ExcerptRequest = Omit<ExcerptInput, "grep"> & {
  /** A person's regular expression. */
  readonly grep?: string | undefined;
};

/** Redacts, calls `onMatching`, then filters. Throws UserError for an invalid expression. */
export function excerptOf({ grep: source, ...input }: ExcerptRequest, onMatching: () => void = () => {}): Excerpt {
  if (source === undefined) return makeExcerpt(input);
  const grep = compileGrep(source);
  let isMatching = false;
  const test = (line: string): boolean => {
    if (!isMatching) onMatching();
    isMatching = true;
    return grep.test(line);
  };
  return makeExcerpt({ ...input, grep: { test } });
}
