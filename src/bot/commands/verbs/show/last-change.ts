import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { WorkloadRef } from "../../../changes/change.ts";
import { section } from "../../../views/kit/blocks.ts";
import { words } from "../../../views/kit/inline.ts";
import type { Block } from "../../../views/kit/message.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import { isUnconfirmed } from "../../../views/kit/unconfirmed.ts";

const past: Readonly<Record<string, string>> = {
  create: "created",
  scale: "scaled",
  restart: "restarted",
  start: "started",
  stop: "stopped",
};

type Named = Pick<WorkloadRef, "kind" | "region" | "name">;

/** The latest request that ran for this workload, from rows of history, newest first. */
export function lastChange(events: readonly HistoryEvent[], { kind, region, name }: Named): LastChange | undefined {
  const mine = events.filter(
    ({ workload }) => workload?.kind === kind && workload.region === region && workload.name === name,
  );
  const done = mine.find((event) => event.kind === "done");
  if (done === undefined) return undefined;
  const requested = events.find((each) => each.kind === "requested" && each.changeId === done.changeId);
  const isConfirmed = mine.some((each) => each.kind === "confirmed" && each.changeId === done.changeId);
  return { done, requested, isConfirmed: isConfirmed || !isOnlyAccepted(done) };
}

/** Later rows may say that it took effect. */
function isOnlyAccepted(done: HistoryEvent): boolean {
  return isUnconfirmed(done) || /^(?:Not visible yet|The workload API accepted it)\b/u.test(done.result);
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
        `Last change: ${isConfirmed ? deed(done, requested?.result) : `${visible(done.verb ?? "change")} accepted, not confirmed,`}${who}, ${ago} ago`,
        300,
      ),
    ]),
  ];
}

/** The verb says what happened; for sizes and limits the diff says from what to what. */
function deed(event: HistoryEvent, diff = ""): string {
  const { verb = "changed" } = event;
  const done = past[verb];
  const [first = ""] = diff.split("; ");
  const [step] = /\S+ → .+$/u.exec(first) ?? [];
  if (verb === "scale" && step !== undefined) return `${done} ${truncate(visible(step), 40)}`;
  return done ?? (truncate(visible(first), 120) || `${visible(verb)} changed`);
}
