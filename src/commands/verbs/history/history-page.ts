import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { Ask } from "../../ask.ts";
import { actions, askButton, bullets, context, section, type Line } from "../../../views/kit/blocks.ts";
import { historyLine } from "../../../views/kit/history-line.ts";
import { channel, moment, words } from "../../../views/kit/inline.ts";
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
  /** The buttons carry it with another `args.before`. */
  readonly ask: Ask;
  readonly command: string;
};

/** One page of history, newest first, with a button for the next page. */
export function historyPage({ events, older, ask, command }: HistoryPage): Message {
  const shown = events.slice(0, HISTORY_PAGE);
  const [first, ...rest] = entries(shown);
  const about = historyTitle(ask);
  const newest = ask.args["before"] === undefined ? undefined : askButton("Newest", withBefore(ask, undefined));
  const goOn = older === undefined ? undefined : askButton("Older", withBefore(ask, older));
  if (first === undefined) {
    const sentence = isFiltered(ask) ? "No event matches." : "Nothing has happened yet.";
    return post(`${sentence} ${about}`, [
      section(sentence),
      context(`${about} · everything there is stands in ${command} history`),
      ...actions(newest, goOn),
    ]);
  }
  return post([about, ...shown.map(spoken)].join("\n"), [
    bullets([first, ...rest]),
    context(about),
    ...actions(newest, goOn),
  ]);
}

function spoken(event: HistoryEvent): string {
  return `${event.at.toISOString().slice(0, 16).replace("T", " ")} UTC: ${historyLine(event)}`;
}

function withBefore(ask: Ask, before: number | undefined): Ask {
  const { before: _before, ...args } = ask.args;
  return { ...ask, args: before === undefined ? args : { ...args, before } };
}

function isFiltered({ args }: Ask): boolean {
  return ["name", "by", "since", "before"].some((filter) => args[filter] !== undefined);
}

/** "History of web · by dana · since 7d" */
export function historyTitle({ args }: Ask): string {
  const part = (name: string, say: (value: string) => string): string[] => {
    const value = args[name];
    return typeof value === "string" || typeof value === "number" ? [say(truncate(visible(value), 80))] : [];
  };
  const of = part("name", (name) => `History of ${name}`);
  return [
    ...(of.length === 0 ? ["History"] : of),
    ...part("by", (by) => `by ${/^<@[A-Z0-9]+\|([^>]+)>$/u.exec(by)?.[1] ?? by.replaceAll(/[<>@]/gu, "")}`),
    ...part("since", (since) => `since ${since}`),
    ...part("before", (before) => `before no. ${before}`),
    "newest first",
  ].join(" · ");
}

/** The part of `limits.blocksJson` for twenty lines without their dates and channels, and the share of each line. */
const ROOM = 4_400;
const SHARE = Math.floor(ROOM / HISTORY_PAGE);

function entries(events: readonly HistoryEvent[]): Line[] {
  const lines = events.map(historyLine);
  const isTight = lines.reduce((sum, line) => sum + JSON.stringify(line).length, 0) > ROOM;
  return events.map(({ at, channelId }, index) => [
    moment(at.toISOString()),
    words(`  ${isTight ? within(lines[index] ?? "", SHARE) : (lines[index] ?? "")}`, SHARE * 2),
    ...(channelId === undefined ? [] : [words(" · "), channel(channelId)]),
  ]);
}

/** Cuts by the length in JSON, where quotes and backslashes count twice. */
function within(text: string, max: number): string {
  let cut = text;
  for (let length = JSON.stringify(cut).length; length > max; length = JSON.stringify(cut).length) {
    cut = truncate(text, Math.min(cut.length - 1, Math.floor((cut.length * max) / length)));
  }
  return cut;
}
