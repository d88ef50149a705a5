import type { HistoryEvent, HistoryEventKind } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import type { Line } from "../kit/blocks.ts";
import { strong, words } from "../kit/inline.ts";
import { oneLine } from "./change-words.ts";
import { pastWord } from "./phrases.ts";
import { endedHeadline } from "./several-headline.ts";

const NAME = 80;
const RESULT = 200;

/**
 * What the thread of a request for several workloads tells of its history: of each workload only what went wrong, and
 * how the last one ended. The card has a line for each of them.
 */
export function severalEvents(events: readonly HistoryEvent[], { parts }: StoredChange): readonly HistoryEvent[] {
  if (parts === undefined) return events;
  return events.filter(
    (event) => event.kind !== "confirmed" && (event.kind !== "done" || partIn(event, parts) === lastOf(parts)),
  );
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

type PartKind = "failed" | "unknown" | "drifted" | "health";

const partWords: Readonly<Record<PartKind, readonly [mark: string, what: string, hasResult: boolean]>> = {
  failed: ["❌", " failed", true],
  unknown: ["❓", " couldn't be confirmed", true],
  drifted: ["⚠️", " was skipped: it changed meanwhile", false],
  health: ["🔴", "", true],
};

function isPartKind(kind: HistoryEventKind): kind is PartKind {
  return Object.hasOwn(partWords, kind);
}

/** A line about one workload of several; undefined for what is about the request. */
export function partStory(event: HistoryEvent, { parts = [] }: StoredChange): Line | undefined {
  const part = partIn(event, parts);
  if (part === undefined || part.state === "cancelled") return undefined;
  if (event.kind === "done") {
    const { mark, text } = endedHeadline(parts, pastWord(part));
    return [words(`${mark} ${text}`, RESULT)];
  }
  if (!isPartKind(event.kind)) return undefined;
  const [mark, what, hasResult] = partWords[event.kind];
  const result = hasResult ? `: ${oneLine(event.result)}` : "";
  return [words(`${mark} `), strong(part.workload.name, NAME), words(`${what}${result}`, RESULT)];
}
