import type { Redacted } from "../../api/redacted.ts";
import { isOfInstance } from "./runs.ts";
import { cleanLine } from "./clean-line.ts";
import { type Grep, compileGrep } from "./grep.ts";
import { aroundMatches, foldRepeats, readableLine } from "./readable.ts";
import { lastState, redactLines, shortened } from "./redact.ts";

export type ExcerptLine = {
  readonly instance?: string;
  /** Cut; may hold line breaks where the record does. */
  readonly text: Redacted;
  /** False without an expression, and for a line around a match. */
  readonly match: boolean;
  /** The records that it stands for, if there are several: repeated ones are folded. */
  readonly count?: number;
  /** Lines between it and the one before don't match and aren't shown. */
  readonly isAfterGap?: true;
};

/** A page of log records as a cursor: the records that were fetched, and those that are shown. */
export type Excerpt = {
  /** Oldest first. With an expression, only the records that match, and those around them that were asked for. */
  readonly lines: readonly ExcerptLine[];
  /** The same records as they were written, redacted, each by itself; undefined when `lines` are that. */
  readonly written?: readonly ExcerptLine[];
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
  /** Lines in JSON are made readable, and repeated lines folded. */
  readonly isReadable?: boolean | undefined;
  /** How many lines around each match are shown too. */
  readonly context?: number | undefined;
  /** The first and last records are only there to find secrets that begin or end in them. */
  readonly flank?: { readonly before: number; readonly after: number } | undefined;
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
  return lines.map((line) => (line.text.length <= most ? line : { ...line, text: partOf(line.text, most).text }));
}

/** The part of a record that is read. Of a progress bar, what it shows last is at its end. */
function partOf(text: string, most: number): { readonly text: string; readonly wasCut: boolean } {
  const last = text.lastIndexOf("\r", text.length - 2);
  const from = last < 0 ? 0 : Math.max(0, Math.min(last, text.length - most));
  return { text: text.slice(from, from + most), wasCut: from + most < text.length };
}

function cut(text: Redacted, wasCut: boolean): Redacted {
  return shortened(text, wasCut ? Math.min(SHOWN, Math.max(0, text.length - MARGIN)) : SHOWN);
}

/** Redacts per instance: instances log at the same time, and the lines of a private key must stay together. */
function redactByInstance(items: readonly Item[], secrets: readonly string[] = []): Redacted[] {
  const texts: Redacted[] = [];
  for (const same of Map.groupBy(items.keys(), (at) => items[at]?.instance ?? "").values()) {
    const redacted = redactLines(
      same.map((at) => items[at]?.text ?? ""),
      secrets,
    );
    for (const [nth, text] of redacted.entries()) texts[same[nth] ?? 0] = text;
  }
  return texts;
}

/** Redacts before filtering: an expression must not reveal whether it matches a secret. */
export function makeExcerpt(input: ExcerptInput): Excerpt {
  const { lines, instance, grep, from, size, overlap = 0, secrets, isReadable = false, context = 0, flank } = input;
  const read = readOf(lines.length);
  const items = lines.map((line) => {
    const { text, wasCut } = partOf(line.text, read);
    return { instance: line.instance ?? "", text: cleanLine(text), wasCut };
  });
  const redacted = redactByInstance(items, secrets).map((text, at) => ({
    instance: items[at]?.instance ?? "",
    text: lastState(text),
    wasCut: items[at]?.wasCut === true,
  }));
  const inner = redacted.slice(flank?.before ?? 0, redacted.length - (flank?.after ?? 0));
  const own = inner.filter((line) => isOfInstance(line.instance, instance));
  const readable = isReadable ? readableTexts(own, secrets) : new Map<number, Redacted>();
  const all = own.map(({ instance: of, text, wasCut }, at) => {
    const written = cut(text, wasCut);
    const easier = readable.get(at);
    const shown = easier === undefined ? written : cut(easier, false);
    const match = grep !== undefined && (grep.test(written) || (easier !== undefined && grep.test(shown)));
    // What was cut may differ in what is left out.
    const whole = wasCut ? undefined : (easier ?? text);
    return { instance: of, written, text: shown, whole, match, isAfterGap: false };
  });
  const kept =
    grep === undefined
      ? all
      : aroundMatches(all, context).flatMap(({ at, isAfterGap }) => {
          const line = all[at];
          return line === undefined ? [] : [{ ...line, isAfterGap: isAfterGap && context > 0 }];
        });
  const shown = isReadable ? foldRepeats(kept) : kept.map((line) => ({ ...line, count: 1 }));
  const isAsWritten = shown.length === kept.length && shown.every((line) => line.text === line.written);
  return {
    lines: shown.map(lineOf),
    ...(!isAsWritten && { written: kept.map((line) => lineOf({ ...line, text: line.written, count: 1 })) }),
    read: own.length,
    matched: grep === undefined ? undefined : kept.filter(({ match }) => match).length,
    from,
    size,
    mayHaveOlder: lines.length > 0 && lines.length >= size,
    instance,
    overlap,
  };
}

type Kept = {
  readonly instance: string;
  readonly text: Redacted;
  readonly match: boolean;
  readonly isAfterGap: boolean;
  readonly count: number;
};

function lineOf({ instance, text, match, isAfterGap, count }: Kept): ExcerptLine {
  return {
    text,
    match,
    ...(instance !== "" && { instance }),
    ...(count > 1 && { count }),
    ...(isAfterGap && { isAfterGap }),
  };
}

/**
 * The readable texts of lines in JSON, by place. They are made of redacted lines and redacted once more: reading the escapes
 * of JSON can complete a name or a value that was split by one.
 */
function readableTexts(
  lines: readonly (Item & { readonly wasCut: boolean })[],
  secrets: readonly string[] | undefined,
): ReadonlyMap<number, Redacted> {
  const changed = lines.flatMap(({ instance, text, wasCut }, at) => {
    const easier = wasCut ? undefined : readableLine(text);
    return easier === undefined ? [] : [{ at, instance, text: cleanLine(easier) }];
  });
  const redacted = redactByInstance(changed, secrets);
  const places = changed.map(({ at }) => at);
  return new Map(redacted.map((text, nth) => [places[nth] ?? 0, text]));
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
