import { daysBefore } from "../../../../api/log-pages.ts";
import { UserError } from "../../../errors.ts";
import { TooExpensive } from "../../../logs/grep.ts";
import { openButton } from "../../../views/kit/ask-buttons.ts";
import { actions, askButton, type Block } from "../../../views/kit/blocks.ts";
import { grouped } from "../../../views/kit/text.ts";
import type { Ask } from "../../../ask.ts";
import { isoDay, NotStarted, type LogExcerpt } from "./log-words.ts";

/** The most lines of one request. */
export const MOST_LINES = 1_000;
/** Few enough to search with any expression. */
const FEW_LINES = 20;

/** The buttons below a log: other pages and days, more lines, and another filter. Those of a private log stay private. */
export function logButtons(log: LogExcerpt, place: { readonly isPrivate: boolean; readonly shown?: number }): Block[] {
  const page = pageAsk(log, place.isPrivate);
  const buttons = actions(
    olderButton(log, page, place.shown),
    newerButton(log, page),
    moreButton(log, page, place.isPrivate),
    filterButton(log, place.isPrivate),
    place.isPrivate && log.canShare ? shareButton(log) : undefined,
  );
  return JSON.stringify(buttons).length <= ROOM ? buttons : [];
}

/** Beside a full page of lines. Names that the API documents, with the longest filter, take less. */
const ROOM = 3_000;

type PageArgs = Readonly<Record<string, unknown>>;
type PageAsk = (label: string, args: PageArgs) => ReturnType<typeof askButton>;

/** The filters that every page keeps. */
function keptArgs({ workload: { kind, name }, day, excerpt, ask }: LogExcerpt) {
  const { instance, grep } = ask.args;
  return {
    name: `${kind}/${name}`,
    date: day.date,
    size: String(excerpt.size),
    ...(instance !== undefined && { instance }),
    ...(grep !== undefined && { grep }),
  };
}

function pageAsk(log: LogExcerpt, isPrivate: boolean): PageAsk {
  const { region } = log.ask;
  const only = isPrivate ? { private: true } : {};
  return (label, args) =>
    askButton(label, {
      verb: "logs",
      ...(region !== undefined && { region }),
      share: false,
      args: { ...keptArgs(log), ...only, ...args },
    });
}

/** The API only says that there may be older lines. Without any, the day before is next. */
function olderButton({ excerpt, since, day }: LogExcerpt, page: PageAsk, shown = excerpt.size) {
  const { from } = excerpt;
  if (excerpt.mayHaveOlder || since !== undefined) return page("Older", { from: String(from + shown) });
  return page("Previous day", { date: daysBefore(day.date, 1) });
}

function newerButton({ excerpt, mark, since, ask, day }: LogExcerpt, page: PageAsk) {
  const isNewest = excerpt.from === 0;
  if (isNewest && day.date < day.today) return page("Next day", { date: daysBefore(day.date, -1) });
  const after = mark ?? (since === undefined ? undefined : ask.args["after"]);
  const from = String(Math.max(0, excerpt.from - excerpt.size));
  if (excerpt.read === 0 && after === undefined) return page("Check again", { from: String(excerpt.from) });
  return page("Newer", { from, ...(after !== undefined && { after }) });
}

/** As a file, if they are too long for a thread. */
function moreButton({ excerpt }: LogExcerpt, page: PageAsk, isPrivate: boolean) {
  const { size, from, mayHaveOlder, matched } = excerpt;
  if (isPrivate || !mayHaveOlder || from > 0 || size >= MOST_LINES) return undefined;
  const what = matched === undefined ? "Last" : "Search last";
  return page(`${what} ${grouped(MOST_LINES)} lines`, { size: String(MOST_LINES) });
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
  const { region } = log.ask;
  const args = { ...keptArgs(log), from: String(log.excerpt.from) };
  return askButton("Post to channel", { verb: "logs", ...(region !== undefined && { region }), share: true, args });
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
