import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { Ask } from "../../../ask.ts";
import { actions, askButton, section, type Line } from "../../../views/kit/blocks.ts";
import { historyLine, type HistoryLineContext, historyText } from "../../../views/kit/history-line.ts";
import type { Room } from "../../../views/kit/history-phrase.ts";
import { strong, words } from "../../../views/kit/inline.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { truncate, visible } from "../../../views/kit/text.ts";

/** How many events one message shows. */
export const HISTORY_PAGE = 20;

export type HistoryPage = {
  /** Newest first, as many as are shown. */
  readonly events: readonly HistoryEvent[];
  /** `args.before` of the next page; undefined on the last one. */
  readonly older: number | undefined;
  /** `args.before` of the pages in front of this one, newest first; 0 is the first page. */
  readonly trail: readonly number[];
  /** The buttons carry it for another page. */
  readonly ask: Ask;
  readonly now: Date;
  readonly defaultRegion: string;
};

/** One page of outcomes, newest first, with buttons for other pages and for every step as a file. */
export function historyPage(page: HistoryPage): Message {
  const { ask, now, defaultRegion } = page;
  const events = page.events.slice(0, HISTORY_PAGE);
  const drawing: HistoryLineContext = { now, defaultRegion, detail: "full" };
  const [first, ...rest] = fittingLines(events, drawing);
  if (first === undefined) return nothingFound(page);
  const title = historyTitle(ask);
  return post([title, ...events.map((event) => historyText(event, drawing))].join("\n"), [
    section([strong(title)]),
    section(first, ...rest),
    ...actions(...turns(page), askButton("Every step as a file", withArgs(ask, { json: true }))),
  ]);
}

/** Names the filters, because one of them may be the reason. */
function nothingFound(page: HistoryPage): Message {
  const { ask } = page;
  const set = filtersOf(ask);
  const sentence =
    set.length === 0
      ? "Nothing has happened yet. Requests and their outcomes appear here."
      : `No requests found ${set.join(", ")}.`;
  const all = set.length === 0 ? undefined : askButton("Show all", { ...ask, args: {} });
  return post(sentence, [section([words(sentence)]), ...actions(...turns(page), all)]);
}

/** Newer and older pages. Events that come in meanwhile move no page, because a page begins at an event. */
function turns({ ask, older, trail }: HistoryPage) {
  const [newer, ...others] = trail;
  const { before } = ask.args;
  const here = typeof before === "number" ? before : 0;
  return [
    newer === undefined ? undefined : askButton("Newer", withArgs(ask, pageArgs(newer, others))),
    older === undefined ? undefined : askButton("Older", withArgs(ask, pageArgs(older, [here, ...trail]))),
  ];
}

/** Enough to turn back; a longer trail would not fit into a button. */
const MOST_PAGES = 50;

function pageArgs(before: number, trail: readonly number[]): Ask["args"] {
  const kept = trail.slice(0, MOST_PAGES);
  return { ...(before > 0 && { before }), ...(kept.length > 0 && { trail: kept }) };
}

/** The same filters, with other arguments. */
export function withArgs(ask: Ask, more: Ask["args"]): Ask {
  const { before: _before, trail: _trail, json: _json, ...args } = ask.args;
  return { ...ask, args: { ...args, ...more } };
}

/** "for web", "by dana", "since 7d". */
function filtersOf({ args }: Ask): string[] {
  const part = (name: string, say: (value: string) => string): string[] => {
    const value = args[name];
    return typeof value === "string" ? [say(truncate(visible(value), 80))] : [];
  };
  return [
    ...part("name", (name) => `for ${name}`),
    ...part("by", (by) => `by ${/^<@[A-Z0-9]+\|([^>]+)>$/u.exec(by)?.[1] ?? by.replaceAll(/[<>@]/gu, "")}`),
    ...part("since", (since) => `since ${since}`),
  ];
}

/** "History for web · by dana · since 7d · newest first" */
export function historyTitle(ask: Ask): string {
  const [first, ...others] = filtersOf(ask);
  return [first === undefined ? "History" : `History ${first}`, ...others, "newest first"].join(" · ");
}

/** The part of `limits.blocksJson` for the lines; buttons and title need the rest. */
const LINES_JSON = 8_500;
const rooms: readonly Room[] = [
  { name: 63, person: 40, text: 120 },
  { name: 48, person: 24, text: 60 },
  { name: 24, person: 12, text: 16 },
];

/** The lines with as much room for foreign text as one message has. */
function fittingLines(events: readonly HistoryEvent[], drawing: HistoryLineContext): Line[] {
  let lines: Line[] = [];
  for (const room of rooms) {
    lines = events.map((event) => historyLine(event, { ...drawing, room }));
    if (JSON.stringify(lines).length <= LINES_JSON) return lines;
  }
  return lines;
}
