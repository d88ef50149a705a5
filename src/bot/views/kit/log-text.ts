import type { LogFindings } from "../../logs/failures.ts";
import { counted, grouped, cutPoint, truncate, visible, visibleLines } from "./text.ts";
import { shortSpan, span } from "./time.ts";
import type { ExcerptLine } from "../../logs/excerpt.ts";
import { isContinuation } from "../../logs/entries.ts";
import { limits } from "./blocks.ts";

type Day = { readonly date: string; readonly zone: string; readonly today: string };

/** The log's day: "2026-11-20 · since midnight UTC". It begins at midnight of the log's zone, not of the reader's. */
export function logDayLine({ date, zone, today }: Day): string {
  return `${date.replaceAll(".", "-")} · ${date >= today ? "since midnight" : "midnight to midnight"} ${zone}`;
}

const MINUTE_MS = 60_000;

/** "6 error lines per minute", as far as what was read tells; undefined when it reports no error of now. */
export function failureRate({ count, recent, read }: LogFindings): string | undefined {
  if (count === 0 || recent?.count === 0) return undefined;
  if (recent === undefined) return `${counted(count, "error")} in the last ${counted(read, "log line")}`;
  const perMinute = Math.round(recent.count / (recent.spanMs / MINUTE_MS));
  const some = counted(recent.count, "error line");
  if (recent.spanMs < MINUTE_MS || perMinute < 1) return `${some} in ${span(recent.spanMs)}`;
  return `${counted(perMinute, "error line")} per minute`;
}

/** "the last 200 log lines", "today's 57 log lines", "the 9 log lines of its current instances": what was read. */
export function readWords({ read, gone, mayHaveOlder }: LogFindings): string {
  if (gone?.rolloutAgoMs !== undefined) {
    return `the ${counted(read, "log line")} since its last rollout ${shortSpan(gone.rolloutAgoMs)} ago`;
  }
  if (gone !== undefined) return `the ${counted(read, "log line")} of its current instances`;
  return mayHaveOlder ? `the last ${grouped(read)} log lines` : `today's ${counted(read, "log line")}`;
}

/** Longer instance names are shortened. */
const NAME = 16;

/** Drops the prefix that all instance names share, as long as they stay distinct. */
function shortNames(names: readonly string[]): Map<string, string> {
  const start = names.every((name) => name.length <= NAME) ? 0 : sharedStart(names);
  const short = names.map((name) => truncate(visible(name.slice(start)), NAME));
  const isDistinct = new Set(short).size === names.length;
  return new Map(names.map((name, at) => [name, isDistinct ? (short[at] ?? name) : truncate(visible(name), 64)]));
}

/** Length of the shared prefix, up to and including its last hyphen. */
function sharedStart(names: readonly string[]): number {
  const [first = "", ...others] = names;
  let end = 0;
  while (end < first.length && others.every((other) => other[end] === first[end])) end += 1;
  return first.lastIndexOf("-", end) < end ? first.slice(0, end).lastIndexOf("-") + 1 : end;
}

/** Between lines around a match, marks the match itself; and a place where lines were left out. */
const [MATCH, NEAR, LEFT_OUT] = ["▸ ", "  ", "⋯"];

/**
 * Prefixes each line with its instance if there are several, these among them. Where lines around matches are shown, the matches are marked.
 */
export function logTexts(lines: readonly ExcerptLine[], instances: readonly string[] = []): string[] {
  const isAround = lines.some(({ match }) => match) && lines.some(({ match }) => !match);
  const texts = withInstances(lines, instances);
  return lines.map(({ match, isAfterGap }, at) => {
    const text = texts[at] ?? "";
    const marked = isAround ? text.replaceAll(/^/gmu, match ? MATCH : NEAR) : text;
    return isAfterGap === true ? `${LEFT_OUT}\n${marked}` : marked;
  });
}

function withInstances(lines: readonly ExcerptLine[], others: readonly string[]): string[] {
  const names = [...new Set([...others, ...lines.map(({ instance }) => instance ?? "")])];
  if (names.length < 2) return lines.map(({ text }) => visibleLines(text));
  const short = shortNames(names);
  const width = Math.max(...[...short.values()].map((name) => name.length));
  return lines.map(({ instance, text }) => {
    const name = (short.get(instance ?? "") ?? "").padEnd(width);
    return visibleLines(text)
      .split("\n")
      .map((line) => `${name} │ ${line}`)
      .join("\n");
  });
}

/** A page of a log and how many records begin on it. */
export type LogPage = { readonly text: string; readonly lines: number };

/** Fills as few pages as possible, breaking between texts; a text longer than a page is split. */
export function logPages(texts: readonly string[]): LogPage[] {
  const pages: LogPage[] = [];
  let open: LogPage | undefined;
  for (const each of texts) {
    if (open !== undefined && open.text.length + 1 + each.length > limits.preformatted) {
      pages.push(open);
      open = undefined;
    }
    open = { text: open === undefined ? each : `${open.text}\n${each}`, lines: (open?.lines ?? 0) + 1 };
    while (open.text.length > limits.preformatted) {
      const cut = cutPoint(open.text, limits.preformatted);
      pages.push({ text: open.text.slice(0, cut), lines: open.lines });
      open = { text: open.text.slice(cut), lines: 0 };
    }
  }
  return open === undefined ? pages : [...pages, open];
}

/** What `logTexts` puts before a line. */
const INSTANCE = /^[^│\n]{0,70} │ /u;

/** The newest texts that fit on one page, from the beginning of an entry on: at least one, truncated if needed. */
export function newestPage(texts: readonly string[]): LogPage {
  let [size, lines] = [0, 0];
  for (const text of texts.toReversed()) {
    if (lines > 0 && size + text.length + 1 > limits.preformatted) break;
    size += text.length + 1;
    lines += 1;
  }
  const newest = texts.slice(texts.length - lines);
  const begun = lines === texts.length ? 0 : newest.findIndex((text) => !isContinuation(text.replace(INSTANCE, "")));
  const shown = newest.slice(Math.max(0, begun));
  return { text: truncate(shown.join("\n"), limits.preformatted), lines: shown.length };
}
