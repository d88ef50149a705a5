import type { HistoryEventKind, HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { termsWords, namesIn, oneLine, personWords } from "./change-words.ts";
import { preformatted, section, type Line } from "../kit/blocks.ts";
import { fromBeginning } from "../../logs/entries.ts";
import { driftList } from "./diff.ts";
import { seenOf } from "../kit/health.ts";
import { strong, words, type Inline } from "../kit/inline.ts";
import { newestPage } from "../kit/log-text.ts";
import { type Post, postOf, type Names } from "../kit/post.ts";
import { counted, truncate, visible, visibleLines } from "../kit/text.ts";
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
  const isConfirmed = change.parts === undefined && events.some(({ kind }) => kind === "confirmed");
  // What took effect was accepted.
  const mine = severalEvents(events, change).filter(
    ({ kind }) => threadLines[kind] !== undefined && !(isConfirmed && kind === "done"),
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
  done,
  failed: (event) => [words(`❌ Failed${after(event)}`), ...result(event), ...reference(event)],
  unknown: (event) => [words(`❓ No clear answer${after(event)}`), ...result(event), ...reference(event)],
  confirmed: (event, { change }) => [words(`${rolloutWords(change) ?? "✅ Took effect"}${after(event)}`)],
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

/** Accepted and took effect are different outcomes. */
function done(event: HistoryEvent, { change }: ChangeStory): Line {
  const { ending } = change;
  const rollout = rolloutWords(change);
  if (rollout !== undefined) return `${rollout}${after(event)}`;
  if (ending?.kind !== "run" || ending.outcome.kind !== "asked") return `✅ Took effect${after(event)}`;
  const { unseen } = ending.outcome;
  if (unseen === undefined) return `🟡 The workload API accepted it${after(event)}`;
  return `🟡 Accepted${after(event)}. The workload API doesn't report ${unseen}.`;
}

/** Reply about a new version; the card shows how it ends. The rollout counts as begun only if a poll saw it. */
function rolloutWords(change: StoredChange): string | undefined {
  if (!isRolledOut(change)) return undefined;
  const seen = seenOf(change);
  if (seen?.watch?.rolling !== undefined) return "🔄 The rollout began";
  return seen?.kind === "reached" ? "✅ Took effect" : "🟡 The workload API accepted it";
}

function after({ elapsedMs }: HistoryEvent): string {
  return elapsedMs === undefined ? "" : ` ${span(elapsedMs)} after the request`;
}

function reference({ reference }: HistoryEvent): Inline[] {
  return reference === undefined ? [] : [words(` · Reference ${reference}`, 60)];
}

/** The last lines of the failing instance. `name`: of one of several workloads. */
export function excerptReply(change: StoredChange, name?: string): Post | undefined {
  const health = seenOf(change);
  if (health === undefined || health.excerpt.length === 0) return undefined;
  const { text } = newestPage(fromBeginning(health.excerpt).map(visibleLines));
  const line = oneLine(health.line);
  const lines = name === undefined ? "Last lines" : `Last lines of ${truncate(visible(name), NAME)}`;
  const title = truncate(line === "" ? lines : `${lines} · ${line}`, 300);
  return postOf([section([words(title)]), preformatted(text)]);
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
