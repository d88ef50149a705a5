import type { HistoryEvent } from "../../../changes/history-event.ts";
import type { WorkloadRef } from "../../../changes/change.ts";
import { section } from "../../../views/kit/blocks.ts";
import { words } from "../../../views/kit/inline.ts";
import type { Block } from "../../../views/kit/message.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";

const past: Readonly<Record<string, string>> = {
  create: "created",
  scale: "scaled",
  restart: "restarted",
  start: "started",
  stop: "stopped",
};

type Named = Pick<WorkloadRef, "kind" | "region" | "name">;

/** The latest request that ran for this workload, from rows of history, newest first. */
export function lastChange(
  events: readonly HistoryEvent[],
  { kind, region, name }: Named,
): { readonly done: HistoryEvent; readonly requested: HistoryEvent | undefined } | undefined {
  const done = events.find(
    ({ kind: event, workload }) =>
      event === "done" && workload?.kind === kind && workload.region === region && workload.name === name,
  );
  if (done === undefined) return undefined;
  const requested = events.find((each) => each.kind === "requested" && each.changeId === done.changeId);
  return { done, requested };
}

/** "Last change: scaled 1 → 2 by Dana Reyes, 2 h ago". */
export function lastChangeLine(last: ReturnType<typeof lastChange>, now: Date): Block[] {
  if (last === undefined) return [];
  const { done, requested } = last;
  const who = requested?.who === undefined ? "" : ` by ${truncate(visible(requested.who.name), 60)}`;
  const ago = age(done.at.toISOString(), now) ?? "0 s";
  return [section([words(`Last change: ${deed(done.verb ?? "changed", requested?.result)}${who}, ${ago} ago`, 300)])];
}

/** The verb says what happened; for sizes and limits the diff says from what to what. */
function deed(verb: string, diff = ""): string {
  const done = past[verb];
  const [first = ""] = diff.split("; ");
  const [step] = /\S+ → .+$/u.exec(first) ?? [];
  if (verb === "scale" && step !== undefined) return `${done} ${truncate(visible(step), 40)}`;
  return done ?? (truncate(visible(first), 120) || `${visible(verb)} changed`);
}
