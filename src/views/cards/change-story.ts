import type { HistoryEventKind, HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { termsWords, actionWords, namesIn, oneLine, personWords } from "./change-words.ts";
import { preformatted, section, type Line } from "../kit/blocks.ts";
import { driftList } from "./diff.ts";
import { code, strong, words, type Inline } from "../kit/inline.ts";
import { partStory, severalEvents } from "./several-story.ts";
import { newestPage } from "../logs/pages.ts";
import type { Block, Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";
import { counted, truncate, visibleLines } from "../kit/text.ts";
import { span } from "../kit/time.ts";

/** More lines might not fit into one message. */
const MOST_LINES = 8;
const RESULT = 200;
const DIFF = 4;

export type ChangeStory = {
  readonly change: StoredChange;
  readonly names?: Names;
  readonly defaultRegion?: string | undefined;
};

/**
 * One reply for the thread of a card, with the history that isn't in it yet; undefined when none belongs there. Only the
 * requester is mentioned, so that Slack lets them follow the thread.
 */
export function storyReply(events: readonly HistoryEvent[], story: ChangeStory): Post | undefined {
  const { change, names } = story;
  const mine = severalEvents(events, change).filter((event) => isForThread(event, change));
  const [first, ...rest] = mine
    .slice(-MOST_LINES)
    .map((event) => partStory(event, change) ?? threadLines[event.kind](event, story));
  if (first === undefined) return undefined;
  const left = mine.length - MOST_LINES;
  const earlier = left > 0 ? [section(`${counted(left, "earlier event")}: see the history.`)] : [];
  const { ending } = change;
  const moved = ending?.kind === "drifted" && mine.some(({ kind }) => kind === "drifted") ? ending.drift : [];
  return postOf(
    [...earlier, section(first, ...rest), ...neededNow(mine, story), ...driftList(moved)],
    namesIn(change, names),
  );
}

/** Updating the card notifies nobody, so the new approvers are mentioned here. */
function neededNow(mine: readonly HistoryEvent[], { change, names }: ChangeStory): Block[] {
  const { state, terms } = change;
  if (state !== "pending" || terms === undefined || !mine.some(({ kind }) => kind === "returned")) return [];
  return [section([words("Needs "), ...termsWords(terms, names)])];
}

type ThreadEvent = HistoryEvent & { readonly kind: ThreadKind };

/** Answers to one person and events without a Change stay out, as does an approval that wasn't needed. */
function isForThread(event: HistoryEvent, { terms }: StoredChange): event is ThreadEvent {
  return Object.hasOwn(threadLines, event.kind) && (event.kind !== "approved" || terms !== undefined);
}

type Tell = (event: HistoryEvent, story: ChangeStory) => Line;
type ThreadKind = Exclude<
  HistoryEventKind,
  "refused" | "vote-refused" | "connected" | "disconnected" | "bound" | "unbound" | "installed" | "uninstalled"
>;

const threadLines: Readonly<Record<ThreadKind, Tell>> = {
  requested,
  voted: (event, { change }) => [words("👍 "), actor(event), words(` approved it${whichVote(event, change)}`)],
  approved: () => "✅ Approved",
  returned: (event) => [words("⏳ Needs another approval"), ...result(event)],
  rejected: (event) => [words("🚫 "), actor(event), words(" rejected it"), ...result(event)],
  cancelled: (event) => [words("🚫 "), actor(event), words(" cancelled it")],
  expired: (event) => [words("⌛ Expired"), ...result(event)],
  drifted: () => "⚠️ The workload changed while this waited. Nothing was run.",
  claimed: ({ account }) => [
    words("🔄 Running"),
    ...(account === undefined ? [] : [words(" with account "), code(account, 100)]),
  ],
  done,
  failed: (event) => [words(`❌ Failed${after(event)}`), ...result(event), ...reference(event)],
  unknown: (event) => [words(`❓ No clear answer${after(event)}`), ...result(event), ...reference(event)],
  health: (event) => [words("🔴 "), words(oneLine(event.result), RESULT)],
};

function actor({ who }: HistoryEvent): Inline {
  return strong(who?.name ?? "Gantry", 80);
}

function result({ result }: HistoryEvent): Inline[] {
  const text = oneLine(result);
  return text === "" ? [] : [words(": "), words(text, RESULT)];
}

function requested({ who, breakGlass }: HistoryEvent, { change, defaultRegion }: ChangeStory): Line {
  const { reason, diff } = change;
  const what = diff.length === 0 ? [] : [words(" · "), words(diff.slice(0, DIFF).join("; "), RESULT)];
  return [
    words(breakGlass ? "🚨 " : "🙋 "),
    personWords(who ?? change.requester),
    words(breakGlass ? " used break-glass: " : " requested: "),
    ...actionWords(change, defaultRegion),
    ...what,
    ...(reason === undefined ? [] : [words(` · "${truncate(oneLine(reason), RESULT)}"`)]),
  ];
}

/** Accepted and took effect are different outcomes. */
function done(event: HistoryEvent, { change: { ending } }: ChangeStory): Line {
  if (ending?.kind === "run" && ending.outcome.kind === "asked") {
    return [words(`🔄 The workload API accepted it${after(event)}`)];
  }
  return [words(`✅ Took effect${after(event)}`)];
}

/** " (1 of 2)". */
function whichVote({ who }: HistoryEvent, { votes, terms }: StoredChange): string {
  const at = votes.findIndex(({ userId }) => userId === who?.userId);
  return at < 0 || terms === undefined ? "" : ` (${at + 1} of ${terms.votes})`;
}

function after({ elapsedMs }: HistoryEvent): string {
  return elapsedMs === undefined ? "" : ` ${span(elapsedMs)} after the request`;
}

function reference({ reference }: HistoryEvent): Inline[] {
  return reference === undefined ? [] : [words(` · Reference ${reference}`, 60)];
}

/** The last lines of the failing instance, already redacted. */
export function excerptReply({ health }: StoredChange): Post | undefined {
  if (health === undefined || health.excerpt.length === 0) return undefined;
  const { text } = newestPage(health.excerpt.map(visibleLines));
  return postOf([section([words(excerptTitle(health))]), preformatted(text)]);
}

function excerptTitle({ line }: Pick<NonNullable<StoredChange["health"]>, "line">): string {
  return truncate(oneLine(line) === "" ? "Last lines" : `Last lines · ${oneLine(line)}`, 300);
}
