import { daysBefore } from "../../../../api/log-pages.ts";
import { UserError } from "../../../errors.ts";
import { TooExpensive } from "../../../logs/grep.ts";
import { endOfRun } from "../../../logs/runs.ts";
import { openButton } from "../../../views/kit/ask-buttons.ts";
import { actions, askButton, type Block } from "../../../views/kit/blocks.ts";
import { grouped } from "../../../views/kit/text.ts";
import type { Ask } from "../../../ask.ts";
import { isoDay, NotStarted, type LogExcerpt } from "./log-answers.ts";

/** The most lines of one request. */
export const MOST_LINES = 1_000;
/** Few enough to search with any expression. */
const FEW_LINES = 20;

/** The actions below a log: other pages and days, another filter and more lines. Those of a private log stay private. */
export function logButtons(log: LogExcerpt, place: { readonly isPrivate: boolean; readonly shown?: number }): Block[] {
  const page = pageAsk(log, place.isPrivate);
  return actions(
    olderButton(log, page, place.shown),
    newerButton(log, page),
    filterButton(log, place.isPrivate),
    previousButton(log, page),
    aroundButton(log, page),
    followButton(log, place.isPrivate),
    ...moreButtons(log, page, place.isPrivate),
    place.isPrivate && log.canShare ? shareButton(log) : undefined,
    rawButton(log, page),
  );
}

type PageArgs = Readonly<Record<string, unknown>>;
type PageAsk = (label: string, args: PageArgs) => ReturnType<typeof askButton>;

/** The filters that every page keeps. */
function keptArgs({ workload: { kind, name }, day, excerpt, ask }: LogExcerpt) {
  const { instance = excerpt.instance, grep, context, raw } = ask.args;
  return {
    name: `${kind}/${name}`,
    date: day.date,
    size: String(excerpt.size),
    ...(instance !== undefined && { instance }),
    ...(grep !== undefined && { grep }),
    ...(context !== undefined && { context }),
    ...(raw === true && { raw: true }),
  };
}

function pageAsk(log: LogExcerpt, isPrivate: boolean): PageAsk {
  const only = isPrivate ? { private: true } : {};
  return (label, args) => logsButton(log, label, { ...keptArgs(log), ...only, ...args });
}

function logsButton({ ask: { region } }: LogExcerpt, label: string, args: PageArgs, share = false) {
  return askButton(label, { verb: "logs", ...(region !== undefined && { region }), share, args });
}

/**
 * Pages to the lines that didn't fit into a private message, then to older ones of the day, then to the day before. The
 * API only says that there may be older lines.
 */
function olderButton({ excerpt, since, day, view, startMark }: LogExcerpt, page: PageAsk, shown?: number) {
  const { from } = excerpt;
  const before = startMark?.(shown);
  if (shown !== undefined || excerpt.mayHaveOlder || since !== undefined || view !== undefined) {
    const past = view === undefined ? (shown ?? excerpt.size) : Math.max(1, shown ?? excerpt.read);
    return page("Older", { from: String(from + past), ...(before !== undefined && { before }) });
  }
  return page("Previous day", { date: daysBefore(day.date, 1) });
}

function newerButton(log: LogExcerpt, page: PageAsk) {
  const { excerpt, mark, since, ask, day } = log;
  const isNewest = excerpt.from === 0;
  if (isNewest && day.date < day.today && log.view?.kind !== "previous")
    return page("Next day", { date: daysBefore(day.date, -1) });
  const after = mark ?? (since === undefined ? undefined : ask.args["after"]);
  const from = String(Math.max(0, excerpt.from - excerpt.size));
  if (excerpt.read === 0 && after === undefined) return page("Check again", { from: String(excerpt.from) });
  return page("Newer", { from, ...(after !== undefined && { after }) });
}

/** As a file, if they are too long for a thread. */
function moreButtons({ excerpt, view }: LogExcerpt, page: PageAsk, isPrivate: boolean) {
  const { size, from, mayHaveOlder, matched } = excerpt;
  if (isPrivate || !mayHaveOlder || from > 0 || view !== undefined) return [];
  const what = matched === undefined ? "Show last" : "Search last";
  const day = page(matched === undefined ? "Show the whole day" : "Search the day", { file: true });
  return size >= MOST_LINES ? [day] : [page(`${what} ${grouped(MOST_LINES)} lines`, { size: String(MOST_LINES) }), day];
}

/** Lines around each match, which tell what led to it. */
const NEAR = 3;

function aroundButton(log: LogExcerpt, page: PageAsk) {
  const { excerpt, ask } = log;
  if (!((excerpt.matched ?? 0) > 0) || ask.args["context"] !== undefined) return undefined;
  return page("Show lines around", { ...samePage(log), context: String(NEAR) });
}

/** Lines that were made readable or folded, as they were written. */
function rawButton(log: LogExcerpt, page: PageAsk) {
  return log.excerpt.written === undefined ? undefined : page("Show raw lines", { ...samePage(log), raw: true });
}

/** The same lines again, as far as new ones didn't push them away. */
function samePage({ excerpt, mark, view }: LogExcerpt): PageArgs {
  const isPlace = mark !== undefined && view?.kind !== "day";
  return isPlace ? { from: String(excerpt.from), until: mark } : { from: String(excerpt.from) };
}

/** When the lines say that a run ended, the next question is what it said before. */
function previousButton({ excerpt, view }: LogExcerpt, page: PageAsk) {
  const hasEnd = excerpt.lines.some(({ text }) => endOfRun(text) !== undefined);
  return hasEnd && view === undefined ? page("Show the run before", { previous: true }) : undefined;
}

/** Below the newest lines of today, where others may see what comes. */
function followButton(log: LogExcerpt, isPrivate: boolean) {
  const { excerpt, day, view } = log;
  if (isPrivate || excerpt.from > 0 || day.date !== day.today || view !== undefined) return undefined;
  const { name, instance, grep } = keptArgs(log);
  const args = { name, ...(instance !== undefined && { instance }), ...(grep !== undefined && { grep }), follow: true };
  return logsButton(log, "Follow", args);
}

function filterButton(log: LogExcerpt, isPrivate: boolean) {
  const { name, date, size, instance, grep } = keptArgs(log);
  const values = {
    name,
    date: isoDay(date),
    size,
    ...(typeof instance === "string" && { instance }),
    ...(typeof grep === "string" && { grep }),
    ...(isPrivate && { private: "yes" }),
  };
  return openButton("Filter", { verb: "logs", values, region: log.ask.region });
}

/** `share` tells the click apart: without it, logs requested from a private message are private. */
function shareButton(log: LogExcerpt) {
  return logsButton(log, "Post to channel", { ...keptArgs(log), from: String(log.excerpt.from) }, true);
}

/** Below an error: the same request again, or a smaller one when this one was too expensive. Others need other words. */
export function failureButtons(ask: Ask, error: unknown): Block[] {
  const share = ask.args["private"] !== true;
  if (!(error instanceof UserError) || error instanceof NotStarted)
    return actions(askButton("Try again", { ...ask, share }));
  const isTooExpensive = error instanceof TooExpensive;
  const args = { ...ask.args, size: String(FEW_LINES) };
  return isTooExpensive ? actions(askButton(`Read the last ${FEW_LINES} lines`, { ...ask, share, args })) : [];
}
