import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { WorkloadRef } from "../../../changes/change.ts";
import { section, actions, askButton, type Line, type Block } from "../../../views/kit/blocks.ts";
import { words, strong } from "../../../views/kit/inline.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import { isUnconfirmed } from "../../../views/kit/health.ts";
import { pastOf, votesText } from "../../../views/kit/history-line.ts";
import type { StoredChange } from "../../../changes/stored-change.ts";

type Named = Pick<WorkloadRef, "kind" | "region" | "name">;

/** The latest request that ran for this workload, from rows of history, newest first. */
export function lastChange(events: readonly HistoryEvent[], { kind, region, name }: Named): LastChange | undefined {
  const mine = events.filter(
    ({ workload }) => workload?.kind === kind && workload.region === region && workload.name === name,
  );
  const done = mine.find((event) => event.kind === "done");
  if (done === undefined) return undefined;
  const requested = events.find((each) => each.kind === "requested" && each.changeId === done.changeId);
  // Of what was only accepted, later rows may say that it took effect.
  const isOnlyAccepted =
    isUnconfirmed(done) || /^(?:Not visible yet|The workload API accepted it)\b/u.test(done.result);
  const isConfirmed = mine.some((each) => each.kind === "confirmed" && each.changeId === done.changeId);
  return { done, requested, isConfirmed: isConfirmed || !isOnlyAccepted };
}

type LastChange = {
  readonly done: HistoryEvent;
  readonly requested: HistoryEvent | undefined;
  /** It was seen to have taken effect. */
  readonly isConfirmed: boolean;
};

/** "Last change: scaled 1 → 2 by Dana Reyes, 2 h ago". */
export function lastChangeLine(last: LastChange | undefined, now: Date): Block[] {
  if (last === undefined) return [];
  const { done, requested, isConfirmed } = last;
  const who = requested?.who === undefined ? "" : ` by ${truncate(visible(requested.who.name), 60)}`;
  const ago = age(done.at.toISOString(), now) ?? "0 s";
  return [
    section([
      words(
        `Last change: ${isConfirmed ? changeWords(done, requested?.result) : `${visible(done.verb ?? "change")} accepted, not confirmed,`}${who}, ${ago} ago`,
        300,
      ),
    ]),
  ];
}

/** The verb says what happened; for sizes and limits the diff says from what to what. */
function changeWords(event: HistoryEvent, diff = ""): string {
  const { verb = "changed" } = event;
  const done = pastOf(verb);
  const [first = ""] = diff.split("; ");
  const [step] = /\S+ → .+$/u.exec(first) ?? [];
  if (verb === "scale" && step !== undefined) return `${done} ${truncate(visible(step), 40)}`;
  return done ?? (truncate(visible(first), 120) || `${visible(verb)} changed`);
}

/** For other verbs the diff says no more than the verb. */
const measured: ReadonlySet<string> = new Set(["scale", "memory", "domains", "deploy", "env", "rollback"]);
const LISTED = 3;
const DIFF = 2;

export type Waiting = {
  /** Oldest first; undefined when they couldn't be read. */
  readonly changes: readonly StoredChange[] | undefined;
};

/** The requests for one workload that wait for approval, for its card. */
export function waitingLines(waiting: Waiting | undefined, now: Date): Block[] {
  if (waiting === undefined) return [];
  const { changes } = waiting;
  if (changes === undefined) return [section("⚠️ Couldn't check for waiting requests. Try again in a minute.")];
  const [first, ...rest] = changes.slice(0, LISTED).map((change) => line(change, now));
  if (first === undefined) return [];
  const more = changes.length - LISTED;
  const review = askButton("Review", { verb: "pending", share: false, args: {} });
  return [section(first, ...rest, ...(more > 0 ? [`${more} more waiting`] : [])), ...actions(review)];
}

/**
 * "⏳ Waiting: scale, instances 2 → 4 · requested by Dana Reyes 5 min ago · 0 of 1 approval". What is measured may already
 * name the verb: "memory 256 → 512 MiB".
 */
function line(change: StoredChange, now: Date): Line {
  const { verb, requester, createdAt, diff } = change;
  const what = measured.has(verb) ? diff.slice(0, DIFF).join(", ") : "";
  const named = what.startsWith(`${verb} `) ? [] : [strong(verb, 40), ...(what === "" ? [] : [words(", ")])];
  const ago = age(createdAt.toISOString(), now) ?? "0 s";
  return [
    words("⏳ Waiting: "),
    ...named,
    ...(what === "" ? [] : [words(what, 160)]),
    words(" · requested by "),
    words(requester.name, 80),
    words(` ${ago} ago · ${votesText(change)}`),
  ];
}
