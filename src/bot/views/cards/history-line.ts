import type { HistoryEvent } from "../../changes/history-event.ts";
import { historySentence } from "./history-sentence.ts";
import { section } from "../kit/blocks.ts";
import { type Inline, moment, strong, words } from "../kit/inline.ts";
import { plainTextOf } from "../kit/post.ts";
import { short } from "../kit/request-words.ts";
import { truncate, truncateMiddle, visible } from "../kit/text.ts";
import { age } from "../kit/time.ts";

export type HistoryLineContext = {
  /** For its age. Undefined for a message that is never redrawn: its lines have a date. */
  readonly now?: Date;
  readonly defaultRegion: string;
  /** Rows of other accounts name theirs. Undefined where all are of one account. */
  readonly account?: string;
  /** `brief` only names who did it; `full` also says why they asked and who approved. */
  readonly detail: "brief" | "full";
  /** The message shows the workload's status itself, so the line leaves it out. */
  readonly isHealthSaid?: true;
  /** In place of the mark. */
  readonly lead?: string;
};

/** A line that is longer wraps twice on a phone. */
const LONGEST = 100;
/** A date as Slack shows it at most: " · Nov 20, 2025, 12:41 PM". */
const DATE = 25;
const NAME = 32;
/** Less of a fact says nothing. */
const LEAST = 18;
/** What stays of the words before a long name. */
const BEGINNING = 12;
/** Room that a reference leaves for what happened. */
const REFERRED = 48;

/**
 * "✅ Scaled *web* to 3 · by Dana Reyes · 5m ago": one sentence of at most 100 characters with what happened, by whom and
 * when. The rest is shown as far as there is room. Pure.
 */
export function historyLine(event: HistoryEvent, context: HistoryLineContext): Inline[] {
  const { now, defaultRegion, account, detail, isHealthSaid = false, lead } = context;
  const telling = { defaultRegion, isFull: detail === "full", isHealthSaid, isLasting: now === undefined };
  const name = truncateMiddle(visible(event.workload?.name ?? ""), NAME);
  const { mark, text, by, facts = [] } = historySentence(named(event, placeFor(name)), telling);
  const when = now === undefined ? "" : ` · ${age(event.at.toISOString(), now) ?? ""} ago`;
  const who = [by, event.breakGlass ? "🚨 break-glass" : undefined].flatMap((part) => (part ? [` · ${part}`] : []));
  const most = LONGEST - who.join("").length - (now === undefined ? DATE : when.length);
  const isReferred = detail === "full" && event.reference !== undefined && most > REFERRED;
  const end = [...who, ...(isReferred ? [` · Reference ${short(event.reference ?? "", 12)}`] : [])].join("");
  const room = most + who.join("").length - end.length;
  const [before, bold, after] = fitting(parted(`${lead ?? mark} ${text}`, name), room);
  const isOthers = event.workload !== undefined && account !== undefined && (event.account ?? account) !== account;
  const more = [...(isOthers ? [`account ${short(event.account ?? "", 24)}`] : []), ...facts];
  const rest = `${after}${end}${within(more, room - before.length - bold.length - after.length)}${when}`;
  return [
    words(before),
    ...(bold === "" ? [] : [strong(bold)]),
    ...(rest === "" ? [] : [words(rest)]),
    ...(now === undefined ? [moment(event.at.toISOString(), " · ")] : []),
  ];
}

/** The line as plain text. */
export function historyText(event: HistoryEvent, context: HistoryLineContext): string {
  return plainTextOf([section(historyLine(event, context))]);
}

/** A character that no word has, in private use: the name may be a word of its sentence, such as "to". */
const PLACE = "\u{e000}";

/** As long as the name, whose place it keeps in a sentence. */
function placeFor(name: string): string {
  return PLACE.repeat(name.length);
}

/** The row with something else for its name. */
function named(event: HistoryEvent, name: string): HistoryEvent {
  const { workload, request } = event;
  if (workload === undefined) return event;
  return {
    ...event,
    workload: { ...workload, name },
    request: request && { ...request, workload: { ...request.workload, name } },
  };
}

/** As many of them as there is room for, the last one cut. */
function within(facts: readonly string[], room: number): string {
  let text = "";
  for (const fact of facts) {
    const left = room - text.length - " · ".length;
    if (left >= Math.min(fact.length, LEAST)) text += ` · ${truncate(fact, left)}`;
  }
  return text;
}

type Parts = readonly [before: string, name: string, after: string];

/** Cuts what comes after the name first, then what comes before it. */
function fitting([before, name, after]: Parts, room: number): Parts {
  const left = room - before.length - name.length;
  if (left >= after.length) return [before, name, after];
  if (name === "") return [truncate(before, room), "", ""];
  if (left > 0) return [before, name, truncate(after, left)];
  const end = truncateMiddle(name, room - BEGINNING);
  return [truncateMiddle(before, room - end.length), end, ""];
}

/** A text before, with and after the workload's name. */
function parted(text: string, name: string): Parts {
  const place = placeFor(name);
  const at = name === "" ? -1 : text.indexOf(place);
  if (at < 0) return [text, "", ""];
  return [text.slice(0, at), name, text.slice(at + name.length).replaceAll(place, () => name)];
}
