import type { Outcome } from "../../changes/change.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { findFailures } from "../../logs/failures.ts";
import { preformatted, section, type Block, type Line } from "../kit/blocks.ts";
import { isLateHealth, retreatOf, seenOf, troubleFacts } from "../kit/health.ts";
import { moment, words } from "../kit/inline.ts";
import { truncate, visible } from "../kit/text.ts";
import { span } from "../kit/time.ts";
import { versionName } from "./phrases.ts";

// What a card tells of its workload after the change: how it runs, whether it went back, and the errors in its log.

export function outcomeOf({ ending: end }: StoredChange): Outcome | undefined {
  return end?.kind === "run" ? end.outcome : undefined;
}

/** "3 of 3 running after 2 s". */
export function healthFacts(change: StoredChange): Line[] {
  const seen = seenOf(change);
  if (seen !== undefined && change.op === "createJob") return [...lineOf(seen, true), ...runFacts(seen)];
  if (seen !== undefined && isLateHealth(change)) return [];
  if (seen !== undefined && change.wayBackEnd !== undefined) {
    return [...lineOf(seen, false), truncate(visible(change.wayBackEnd.why), 300)];
  }
  if (seen !== undefined && retreatOf(change) !== undefined) {
    return [truncate(visible([seen.outcome ?? "", ...troubleFacts(change, seen)].filter(Boolean).join(" · ")), 400)];
  }
  if (seen?.watch?.rolling !== undefined) return rollingFacts(change, seen);
  return seen === undefined ? [] : lineOf(seen, false);
}

/** When, why and how it went back. */
export function retreatFacts(change: StoredChange): Line[] {
  const { state, by, at, line } = retreatOf(change) ?? {};
  if (state === undefined) return [];
  const when = at === undefined ? [] : [moment(at.toISOString(), " ")];
  const how = by === undefined ? "automatically" : `by request ${truncate(by, 40)}`;
  const why = by === undefined ? [words(" (on-failure: roll-back)")] : [];
  const fact = truncate(visible(line), 200);
  if (state === "failing") return [`rolled back ${how}`, fact];
  if (state === "unclear") return [`going back ${how} wasn't confirmed`, fact];
  if (state === "going") return [[words(`going back ${how}`), ...why]];
  return [[words(`went back ${how}`), ...when, ...why], fact].filter((each) => each !== "");
}

/** "1 of 3 on :1.5 · 12 s · 2 old instances still serve". */
function rollingFacts({ diff }: StoredChange, seen: Health): string[] {
  const [first = "", ...rest] = lineOf({ ...seen, afterMs: undefined }, false).flatMap((line) => line.split(" · "));
  const counts = /^(\d+ of \d+) new instances ready$/u.exec(first)?.[1];
  if (counts === undefined) return lineOf(seen, false);
  const to = versionName(diff) ?? "the new version";
  return [`${counts} on ${to}`, ...(seen.afterMs === undefined ? [] : [span(seen.afterMs)]), ...rest];
}

/** "started Today, 14:03 · usually takes 2 min". */
function runFacts({ startedAt, endedAt, usual }: Health): Line[] {
  const started: Line[] = startedAt === undefined ? [] : [[moment(startedAt, "started ")]];
  const ended: Line[] = endedAt === undefined ? [] : [[moment(endedAt, "ended ")]];
  if (usual === undefined) return [...started, ...ended];
  return [
    ...started,
    ...ended,
    usual.runs === 1 ? `took ${span(usual.ms)} last time` : `usually takes ${span(usual.ms)}`,
  ];
}

/** How long a job ran is in its headline. */
function lineOf({ line, afterMs }: Health, isJob: boolean): string[] {
  const text = truncate(visible(line), 400);
  if (text === "") return [];
  // "3 of 3 running after 2 s"; "6 restarts in 4 min" has a time of its own.
  if (isJob || afterMs === undefined || !/^\d+ of \d/u.test(text)) return [text];
  const [first = "", ...rest] = text.split(" · ");
  return [[`${first} after ${span(afterMs)}`, ...rest].join(" · ")];
}

const ERRORS = 3;
/** Beside a line for each of several workloads, less fits into one message. */
const ERROR_CHARACTERS = { one: 120, several: 80 };

/** The last errors in the log of what fails, each once: "connection refused (×16)". Of several workloads, of the first. */
export function errorBlocks(changes: readonly StoredChange[]): Block[] {
  const failing = changes.find((each) => seenOf(each)?.kind === "trouble" && !isLateHealth(each));
  const { title = "", lines = [] } = failing === undefined ? {} : lastErrors(failing);
  if (failing === undefined || lines.length === 0) return [];
  const isOne = changes.length === 1;
  const whose = isOne ? "" : ` of ${truncate(visible(failing.workload.name), 50)}`;
  const most = ERROR_CHARACTERS[isOne ? "one" : "several"];
  const shown = lines.slice(0, ERRORS).map(({ text, times }) => `${truncate(visible(text), most)}${times}`);
  return [section(`${title}${whose}`), preformatted(shown.join("\n"))];
}

/** Without errors, the last lines may tell why. */
function lastErrors({ health, progress, settledAt, createdAt }: StoredChange) {
  const lines = (seenOf({ health, progress })?.excerpt ?? []).map((text) => ({ text }));
  const near = (settledAt ?? createdAt).getTime();
  const { failures, newest } = findFailures({ lines, mayHaveOlder: true, nowMs: near, startMs: near });
  if (failures.length > 0) {
    const errors = failures.map(({ message, count }) => ({ text: message, times: count === 1 ? "" : ` (×${count})` }));
    return { title: "Last errors", lines: errors };
  }
  const others = newest.map(({ lines: [first = ""] }) => first).filter((line) => line.trim() !== "");
  const last = [...new Set(others)].slice(-ERRORS);
  return { title: "Last lines", lines: last.map((text) => ({ text, times: "" })) };
}
