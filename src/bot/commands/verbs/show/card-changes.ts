import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { WorkloadRef } from "../../../changes/change.ts";
import { section, listed, actions, askButton, type Line, type Block } from "../../../views/kit/blocks.ts";
import { words, strong } from "../../../views/kit/inline.ts";
import { age } from "../../../views/kit/time.ts";
import { beforeRequester, historyLine, votesText } from "../../../views/kit/history-line.ts";
import { deletedSince, deletionText } from "../../lookup/deletions.ts";
import type { StoredChange } from "../../../changes/stored-change.ts";

/** The latest request that ran for this workload, from rows of ended requests, newest first. */
export function lastChange(
  events: readonly HistoryEvent[],
  { kind, region, name }: Pick<WorkloadRef, "kind" | "region" | "name">,
): HistoryEvent | undefined {
  return events.find(
    (event) =>
      (event.kind === "done" || event.kind === "unknown") &&
      event.workload?.kind === kind &&
      event.workload.region === region &&
      event.workload.name === name,
  );
}

/** "Last change: ✅ web scaled 1 → 2 · Dana Reyes · 2h": the row of history, so that both agree. */
export function lastChangeLine(last: HistoryEvent | undefined, now: Date): Block[] {
  if (last?.workload === undefined) return [];
  const { region: defaultRegion } = last.workload;
  return [section([words("Last change: "), ...historyLine(last, { now, defaultRegion, detail: "brief" })])];
}

const LISTED = 3;
const DIFF = 2;

export type Waiting = {
  /** Oldest first; undefined when they couldn't be read. */
  readonly changes: readonly StoredChange[] | undefined;
  /** Rows of its latest ended requests. */
  readonly ended?: readonly HistoryEvent[];
};

/** The requests for one workload that wait for approval, for its card. */
export function waitingLines(waiting: Waiting | undefined, now: Date): Block[] {
  if (waiting === undefined) return [];
  const { changes, ended = [] } = waiting;
  if (changes === undefined) return [section("⚠️ Couldn't check for waiting requests. Try again in a minute.")];
  if (changes.length === 0) return [];
  const lines = changes.slice(0, LISTED).map((change) => line(change, { ended, now }));
  const more = changes.length - LISTED;
  const review = askButton("Review", { verb: "pending", share: false, args: {} });
  return [...listed([...lines, ...(more > 0 ? [`${more} more waiting`] : [])]), ...actions(review)];
}

/**
 * "⏳ Waiting: scale, instances 2 → 4 · requested by Dana Reyes 5 min ago · 0 of 1 approval". Only the diff of an update
 * says more than the verb, and it may begin with it: "memory 256 → 512 MiB".
 */
function line(change: StoredChange, { ended = [], now }: Pick<Waiting, "ended"> & { readonly now: Date }): Line {
  const { verb, op, requester, createdAt, diff } = change;
  const what = op === "updateService" ? diff.slice(0, DIFF).join(", ") : "";
  const named = what.startsWith(`${verb} `) ? [] : [strong(verb, 40), ...(what === "" ? [] : [words(", ")])];
  const ago = age(createdAt.toISOString(), now) ?? "0 s";
  // The request is for an earlier workload of this name.
  const deletion = deletedSince(change, ended);
  return [
    words("⏳ Waiting: "),
    ...named,
    ...(what === "" ? [] : [words(what, 160)]),
    words(` · ${beforeRequester(change)}`),
    words(requester.name, 80),
    words(` ${ago} ago · ${votesText(change)}`),
    ...(deletion === undefined ? [] : [words(` · ⚠️ ${deletionText(deletion, now)}`, 200)]),
  ];
}
