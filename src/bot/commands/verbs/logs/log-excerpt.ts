import { logDayLine, type LogPage, logPages, logTexts, newestPage } from "../../../views/kit/log-text.ts";
import { context, preformatted, section, type Block } from "../../../views/kit/blocks.ts";
import type { ExcerptLine } from "../../../logs/excerpt.ts";
import { code, moment, strong, words, type Inline } from "../../../views/kit/inline.ts";
import { type Message, type Post, type TextFile, post } from "../../../views/kit/post.ts";
import { counted, grouped, truncate, visible } from "../../../views/kit/text.ts";
import { isoDay, dayWords, type LogExcerpt, logName, type LogView } from "./log-answers.ts";
import { logButtons } from "./log-buttons.ts";

/** An excerpt of more pages becomes a file. */
const REPLIES = 3;

/**
 * A head line with the log lines in its thread, oldest first. Many lines become a file, with the last ones inline.
 * Without lines there is no thread.
 */
export function logExcerpt(log: LogExcerpt): Message {
  const { excerpt } = log;
  if (excerpt.lines.length === 0) return emptyLog(log);
  const texts = logTexts(excerpt.lines);
  const isShort = log.view?.kind !== "day" && logPages(texts).length <= REPLIES;
  const thread = isShort ? { replies: replies(log, texts), files: [] } : asFile(log, texts);
  const asked = context(`Requested by ${truncate(visible(log.requester), 80)}`);
  return { ...post(headText(log), [...head(log), asked]), thread: { ...thread, alone: alone(log, texts) } };
}

/** "last 100 lines of today", "all 4 lines of today", "23 new lines" */
function which(log: LogExcerpt): string {
  const { excerpt, since, view } = log;
  const lines = counted(excerpt.read, "line");
  if (view?.kind === "around") {
    if (view.only === undefined) return `${lines} around`;
    return `${view.only === "before" ? "last" : "first"} ${excerpt.read === 1 ? "line" : lines} ${view.only}`;
  }
  if (view?.kind === "previous") {
    const how = view.how === undefined ? "" : ` · ${view.how}`;
    if (view.endedAt === undefined) return `${lines} of the run before${how}`;
    return `${lines} before the last ${view.endedAt.by}${how} ·`;
  }
  if (view?.kind === "day" && view.left) return `newest ${lines} of ${dayWords(log)}`;
  if (since === "contiguous") return counted(excerpt.read, "new line");
  const end = excerpt.from === 0 ? "" : ` before the last ${grouped(excerpt.from)}`;
  if (excerpt.from > 0) return `${lines} of ${dayWords(log)}${end}`;
  if (!excerpt.mayHaveOlder && excerpt.read === 1) return `the only line of ${dayWords(log)}`;
  return `${excerpt.mayHaveOlder ? "last" : "all"} ${lines} of ${dayWords(log)}`;
}

function facts(log: LogExcerpt): Inline[] {
  const { excerpt, ask, view } = log;
  const { grep } = ask.args;
  const at = view?.kind === "around" ? view.at : view?.kind === "previous" ? view.endedAt?.at : undefined;
  const instance = excerpt.instance === undefined ? "" : ` · instance ${visible(excerpt.instance)}`;
  const match = excerpt.matched === undefined ? "" : ` · ${grouped(excerpt.matched)} match`;
  return [
    words(` · ${which(log)}`),
    ...(at === undefined ? [] : [moment(at.toISOString(), " ")]),
    ...(instance + match === "" ? [] : [words(`${instance}${match}`)]),
    ...(typeof grep === "string" ? [words(" "), code(grep, 200)] : []),
  ];
}

function headText(log: LogExcerpt): string {
  return `Logs of ${logName(log)}${spoken(facts(log))}`;
}

/** For notifications and screen readers. */
function spoken(pieces: readonly Inline[]): string {
  return pieces
    .map((piece) => (piece.type === "text" ? piece.text : piece.type === "date" ? (piece.fallback ?? "") : ""))
    .join("");
}

function head(log: LogExcerpt): Block[] {
  const title: Inline[] = [words("📄 "), strong(logName(log), 255), ...facts(log)];
  return [section(title, logDayLine(log.day)), ...noted(log)];
}

/** New lines push a page back while it is read. */
function noted({ excerpt, since, view }: LogExcerpt): Block[] {
  if (view?.kind === "day") return dayNotes(view);
  if (since === "gap")
    return [context("Many new lines arrived. Some lines after the previous page aren't shown here.")];
  if (excerpt.overlap === 0) return [];
  const repeated = excerpt.overlap === 1 ? "line was" : `${grouped(excerpt.overlap)} lines were`;
  return [context(`The last ${repeated} on the previous page too, because new lines arrived.`)];
}

function dayNotes({ left, hasGap }: Extract<LogView, { kind: "day" }>): Block[] {
  const notes = [
    ...(left ? ["Older lines of this day aren't in the file: it is long."] : []),
    ...(hasGap ? ["Some lines may be missing: many arrived while the day was read."] : []),
  ];
  return notes.length === 0 ? [] : [context(notes.join(" "))];
}

function title(log: LogExcerpt): string {
  return `Logs of ${logName(log)}, ${dayWords(log)}`;
}

/** The buttons are below the last line. */
function replies(log: LogExcerpt, texts: readonly string[]): Post[] {
  const pages = logPages(texts);
  return pages.map(({ text }, at) => {
    const part = pages.length === 1 ? "" : `, part ${at + 1} of ${pages.length}`;
    const buttons = at === pages.length - 1 ? logButtons(log, { isPrivate: false }) : [];
    return post(`${title(log)}${part}`, [preformatted(text), ...buttons]);
  });
}

function asFile(log: LogExcerpt, texts: readonly string[]): { replies: Post[]; files: TextFile[] } {
  const last = newestRecords(log, texts);
  const all = log.excerpt.written ?? log.excerpt.lines;
  const name = logName(log)
    .replaceAll(/[^\w.-]+/gu, "_")
    .slice(0, 80);
  const file = `${name}-${isoDay(log.day.date).replaceAll(/[^\d-]/gu, "")}.log`;
  const said = `${lastOf(last.lines, all.length)} All of them are in the file below.`;
  const reply = [preformatted(last.text), context(said), ...logButtons(log, { isPrivate: false })];
  return {
    replies: [post(`${title(log)}. ${said}`, reply)],
    files: [{ name: file, title: truncate(headText(log), 200), content: `${logTexts(all).join("\n")}\n` }],
  };
}

function lastOf(shown: number, all: number): string {
  return `Last ${grouped(shown)} of ${counted(all, "line")}.`;
}

/** The newest page, with the number of records on it: a folded line stands for several. */
function newestRecords({ excerpt }: LogExcerpt, texts: readonly string[]): LogPage {
  const page = newestPage(texts);
  return { ...page, lines: recordsIn(page.lines === 0 ? [] : excerpt.lines.slice(-page.lines)) };
}

function recordsIn(lines: readonly ExcerptLine[]): number {
  return lines.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** For one person: one message with the last lines. */
function alone(log: LogExcerpt, texts: readonly string[]): Post {
  const last = newestRecords(log, texts);
  const all = recordsIn(log.excerpt.lines);
  const isAll = last.lines === all;
  const earlier = all - last.lines;
  const said = `${lastOf(last.lines, all)} ${counted(earlier, "earlier line")} ${earlier === 1 ? "isn't" : "aren't"} shown.`;
  // Older continues above the first line shown. After a filter, that line's position isn't known.
  const { matched, instance } = log.excerpt;
  const isUnfiltered = matched === undefined && (instance === undefined || log.workload.kind === "job");
  return post(`${headText(log)}${isAll ? "" : `. ${said}`}`, [
    ...head(log),
    ...(isAll ? [] : [context(said)]),
    preformatted(last.text),
    ...logButtons(log, { isPrivate: true, ...(!isAll && isUnfiltered && { shown: last.lines }) }),
  ]);
}

/** "No lines today" and "no line matches" are different answers; neither is "no such workload". */
function emptyLog(log: LogExcerpt): Message {
  const pieces = whyEmpty(log);
  const isPrivate = log.ask.args["private"] === true;
  return post(spoken(pieces), [
    section([words("📄 "), ...pieces], logDayLine(log.day)),
    ...logButtons(log, { isPrivate }),
  ]);
}

function whyEmpty(log: LogExcerpt): Inline[] {
  const { excerpt, ask, since } = log;
  const name = strong(logName(log), 255);
  const { grep } = ask.args;
  const of = excerpt.instance === undefined ? "" : ` from instance ${visible(excerpt.instance)}`;
  const before = excerpt.from > 0 && since === undefined ? ` before the last ${grouped(excerpt.from)}` : "";
  const when = dayWords(log);
  if (excerpt.matched === undefined || excerpt.read === 0) {
    if (since !== undefined) return [name, words(` has no new log lines${of} since that page.`)];
    return [
      name,
      words(` has no log lines${of}${before} ${when === "today" || when === "yesterday" ? when : `on ${when}`}.`),
    ];
  }
  const searched =
    since === undefined ? `${counted(excerpt.read, "line")}${of}${before}` : counted(excerpt.read, "new line");
  return [
    words("Nothing in the logs of "),
    name,
    words(" matches"),
    ...(typeof grep === "string" ? [words(" "), code(grep, 200)] : []),
    words(`. Searched ${searched} of ${when}.`),
  ];
}
