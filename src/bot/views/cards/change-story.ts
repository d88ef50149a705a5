import type { HistoryEventKind, HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { headline, namesIn, oneLine, personWords, retreatText, termsWords } from "./change-words.ts";
import { section, type Line } from "../kit/blocks.ts";
import { driftList } from "./diff.ts";
import { doneState, dotOf, retreatOf } from "../kit/health.ts";
import { strong, words, type Inline } from "../kit/inline.ts";
import { type Post, postOf, type Names } from "../kit/post.ts";
import { counted, visible } from "../kit/text.ts";
import { span } from "../kit/time.ts";
import { pastWord } from "./phrases.ts";
import { isRolledOut } from "../kit/verb-words.ts";
import { endedHeadline } from "./several-card.ts";

/** More lines might not fit into one message. */
const MOST_LINES = 8;
const RESULT = 200;

export type ChangeStory = {
  readonly change: StoredChange;
  readonly names?: Names;
  readonly defaultRegion?: string | undefined;
  /** The requester gets a message of their own. */
  readonly isNotifying?: boolean;
};

/**
 * One reply for the thread of a card, with the news that isn't in it yet; undefined when none belongs there. Who asked,
 * who approved and that it runs is on the card. Only the requester is mentioned, where it ends: updating the card
 * notifies nobody.
 */
export function storyReply(events: readonly HistoryEvent[], story: ChangeStory): Post | undefined {
  const { change, names } = story;
  const isTold = (kind: HistoryEventKind): boolean => events.some((event) => event.kind === kind);
  // What took effect was accepted, and what fails is told as that.
  const isOther = change.parts === undefined && (isTold("confirmed") || isTold("health"));
  const mine = severalEvents(events, change).filter(
    ({ kind }) =>
      threadLines[kind] !== undefined && !(isOther && kind === "done") && !(kind === "confirmed" && isTold("health")),
  );
  const lines = mine
    .slice(-MOST_LINES)
    .map((event) => partStory(event, change) ?? threadLines[event.kind]?.(event, story) ?? "");
  const [first, ...rest] = addressed(lines, mine.at(-1), story);
  if (first === undefined) return undefined;
  const left = mine.length - MOST_LINES;
  const earlier = left > 0 ? [section(`${counted(left, "earlier event")}: see the history.`)] : [];
  const { ending } = change;
  const isMoved = ending?.kind === "drifted" && change.wayBackEnd?.isNeeded !== false;
  const moved = isMoved && mine.some(({ kind }) => kind === "drifted") ? ending.drift : [];
  // Updating the card notifies nobody, so the new approvers are mentioned here.
  const needed =
    change.state === "pending" && change.terms !== undefined && mine.some(({ kind }) => kind === "returned")
      ? [section([words("Needs "), ...termsWords(change.terms, names)])]
      : [];
  return postOf([...earlier, section(first, ...rest), ...needed, ...driftList(moved)], namesIn(change, names));
}

type Tell = (event: HistoryEvent, story: ChangeStory) => Line;

/** What the card says, answers to one person and events without a Change stay out. */
const threadLines: Readonly<Partial<Record<HistoryEventKind, Tell>>> = {
  returned: (event) => [words("⏳ Needs another approval"), ...result(event)],
  rejected: (event) => [words("🚫 "), actor(event), words(" rejected it"), ...result(event)],
  cancelled: (event) => [words("🚫 "), actor(event), words(" cancelled it")],
  expired: (event) => [words("⌛ Expired"), ...result(event)],
  drifted: (_event, { change: { wayBackEnd } }) =>
    wayBackEnd?.isNeeded === false
      ? [words(`🟢 ${wayBackEnd.why}`, RESULT)]
      : [words("⚠️ The workload changed while this waited. Nothing was run.")],
  done: outcome,
  failed: (event) => [words(`❌ Failed${after(event)}`), ...result(event), ...reference(event)],
  unknown: (event) => [words(`❓ No clear answer${after(event)}`), ...result(event), ...reference(event)],
  confirmed: outcome,
  health: (event) => [words("🔴 "), words(oneLine(event.result), RESULT)],
  recovered: (event) => [words("🟢 "), words(oneLine(event.result), RESULT)],
};

/** Mentions the requester at the end of the news, unless it is of their own doing or they get a message of their own. */
function addressed(lines: readonly Line[], last: HistoryEvent | undefined, story: ChangeStory): Line[] {
  const { requester } = story.change;
  const end = lines.at(-1);
  if (end === undefined || last?.who?.userId === requester.userId || story.isNotifying === true) return [...lines];
  const pieces = typeof end === "string" ? [words(end)] : end;
  return [...lines.slice(0, -1), [...pieces, words(" · "), personWords(requester)]];
}

function actor({ who }: HistoryEvent): Inline {
  return strong(who?.name ?? "Gantry", 80);
}

function result({ result }: HistoryEvent): Inline[] {
  const text = oneLine(result);
  return text === "" ? [] : [words(": "), words(text, RESULT)];
}

/** As the card says it. */
function outcome(_event: HistoryEvent, { change, defaultRegion }: ChangeStory): Line {
  const { mark, text } = headline(change, defaultRegion);
  return [words(`${mark} ${text}`, 2 * RESULT)];
}

function after({ elapsedMs }: HistoryEvent): string {
  return elapsedMs === undefined ? "" : ` ${span(elapsedMs)} after the request`;
}

function reference({ reference }: HistoryEvent): Inline[] {
  return reference === undefined ? [] : [words(` · Reference ${reference}`, 60)];
}

/** It notifies the requester that it went back automatically, or couldn't: updating the card notifies nobody. */
export function wentBackReply(part: StoredChange, story: ChangeStory): Post | undefined {
  const text = retreatText(part, story.defaultRegion);
  const retreat = retreatOf(part);
  if (text === undefined || retreat === undefined) return undefined;
  const mark = retreat.state === "gone" ? dotOf({ level: "healthy" }) : doneState(part).mark;
  const line = retreat.line === "" ? "" : ` · ${oneLine(visible(retreat.line))}`;
  const [first = "", ...rest] = addressed([[words(`${mark} ${text}${line}`, 2 * RESULT)]], undefined, story);
  return postOf([section(first, ...rest)], namesIn(story.change, story.names));
}

const NAME = 80;

/**
 * What the thread of a request for several workloads tells of its history: of each workload only what went wrong, and
 * how the last one ended. The card has a line for each of them.
 */
export function severalEvents(events: readonly HistoryEvent[], { parts }: StoredChange): readonly HistoryEvent[] {
  if (parts === undefined) return events;
  // That it was accepted tells nothing of how it ends, which the card shows.
  const isNews = ({ kind }: HistoryEvent): boolean =>
    kind !== "confirmed" && !(kind === "done" && parts.some(isRolledOut));
  return events.filter((event) => isNews(event) && (event.kind !== "done" || partIn(event, parts) === lastOf(parts)));
}

/** The last one to end, when none runs or waits any more. */
function lastOf(parts: readonly StoredChange[]): StoredChange | undefined {
  const stops = parts.some(({ state }) => state === "failed" || state === "unknown");
  const isOver = parts.every(({ state, settledAt }) => settledAt !== undefined || (stops && state === "approved"));
  return isOver
    ? parts.findLast(({ state, settledAt }) => settledAt !== undefined && state !== "cancelled")
    : undefined;
}

function partIn({ workload }: HistoryEvent, parts: readonly StoredChange[]): StoredChange | undefined {
  return parts.find(({ workload: { kind, name } }) => kind === workload?.kind && name === workload.name);
}

type PartWords = readonly [mark: string, afterName: (result: string, name: string) => string];

const partWords: Readonly<Partial<Record<HistoryEventKind, PartWords>>> = {
  failed: ["❌", (result) => ` failed: ${result}`],
  unknown: ["❓", (result) => ` couldn't be confirmed: ${result}`],
  drifted: ["⚠️", () => " was skipped: it changed meanwhile"],
  health: ["🔴", withoutName],
  recovered: ["🟢", withoutName],
};

/** The sentence about its health begins with its name. */
function withoutName(result: string, name: string): string {
  return result.startsWith(name) ? result.slice(name.length) : `: ${result}`;
}

/** A line about one workload of several; undefined for what is about the request. */
export function partStory(event: HistoryEvent, { parts = [] }: StoredChange): Line | undefined {
  const part = partIn(event, parts);
  if (part === undefined || part.state === "cancelled") return undefined;
  if (event.kind === "done") {
    const { mark, text } = endedHeadline(parts, pastWord(part));
    return [words(`${mark} ${text}`, RESULT)];
  }
  const [mark, about] = partWords[event.kind] ?? [];
  const { name } = part.workload;
  return about && [words(`${mark} `), strong(name, NAME), words(about(oneLine(event.result), name), RESULT)];
}
