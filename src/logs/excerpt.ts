import { cleanLine } from "./clean-line.ts";
import { type Grep, compileGrep } from "./grep.ts";
import { redactLines } from "./redact.ts";

export type ExcerptLine = {
  readonly instance?: string;
  /** Redacted and cut; may hold line breaks where the record does. */
  readonly text: string;
  /** Whether the expression matched; false without one. */
  readonly match: boolean;
};

/** A page of log records as a cursor: what was fetched, and what of it is shown. */
export type Excerpt = {
  /** Oldest first. With an expression, only the records that match. */
  readonly lines: readonly ExcerptLine[];
  /** Records that were read and, where an instance was asked for, belong to it: that many were searched. */
  readonly read: number;
  readonly matched: number | undefined;
  /** Records left out, counted from the newest. */
  readonly from: number;
  readonly size: number;
  /** Fewer records than asked for means that there are no more. */
  readonly mayHaveOlder: boolean;
  readonly instance: string | undefined;
  /** How many of the newest records were on the page before this one too, because new ones arrived between the two. */
  readonly overlap: number;
};

export type LogRecord = { readonly instance?: string | undefined; readonly text: string };

export type ExcerptInput = {
  /** As the service answers them, oldest first. */
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

/** The longest record that is shown whole, and the longest that is looked at, in characters. */
const SHOWN = 2_000;
const READ = 16_384;
/** How much of a page is read, to bound the time: the more records, the less of each. */
const READ_OF_PAGE = 4 * 1024 * 1024;
/**
 * A secret cut in two at the end of the read part may go unrecognised, so this many characters before the cut are
 * hidden.
 */
const MARGIN = 600;

function readOf(records: number): number {
  return Math.min(READ, Math.max(SHOWN + MARGIN, Math.floor(READ_OF_PAGE / Math.max(1, records))));
}

/** Cuts each record to the part an excerpt reads, plus one character to show that there is more. */
export function boundRecords<Item extends LogRecord>(lines: readonly Item[]): readonly Item[] {
  const most = readOf(lines.length) + 1;
  return lines.map((line) => (line.text.length <= most ? line : { ...line, text: line.text.slice(0, most) }));
}

function cut(text: string, wasCut: boolean): string {
  const shown = wasCut ? Math.min(SHOWN, Math.max(0, text.length - MARGIN)) : SHOWN;
  return text.length <= shown ? text : `${text.slice(0, shown).toWellFormed()}… (cut)`;
}

/** Instances write at the same time: each one's lines are redacted by themselves, so that a key's lines stay together. */
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

/** Redacts first and filters after: an expression must not tell whether a secret matches it. */
export function makeExcerpt({ lines, instance, grep, from, size, overlap = 0, secrets }: ExcerptInput): Excerpt {
  const read = readOf(lines.length);
  const items = lines.map((line) => ({ instance: line.instance ?? "", text: cleanLine(line.text.slice(0, read)) }));
  const texts = redactByInstance(items, secrets);
  const all = items.map((item, at) => ({
    instance: item.instance,
    text: cut(texts[at] ?? "", (lines[at]?.text.length ?? 0) > read),
  }));
  // Records without an instance are of the one that was asked for: a job's log has only one.
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

/** A request for an excerpt, as plain data that can be sent to a worker thread. */
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
