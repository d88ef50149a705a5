import type { Level, WorkloadStatus } from "../../../api/workload-status.ts";
import { truncate, visible } from "./text.ts";
import { age } from "./time.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import { verbWords, wordsOf } from "./verb-words.ts";

const dots: Readonly<Record<Level, string>> = { healthy: "🟢", busy: "🟡", failing: "🔴", idle: "⚪️" };

/** The dot of a workload, the same in every view. */
export function dotOf({ level }: Pick<WorkloadStatus, "level">): string {
  return dots[level];
}

/** "running", "keeps crashing: exit 3, 6 restarts, the last 2 min ago". */
export function statusWords(
  { words, facts, lastAt }: Pick<WorkloadStatus, "words" | "facts" | "lastAt">,
  now: Date,
): string {
  const all = facts === undefined ? words : `${words}: ${facts}`;
  const ago = age(lastAt, now);
  return visible(ago === undefined ? all : `${all}, the last ${ago} ago`);
}

/** "running for 3 d", "failing for 2 h", "keeps crashing: exit 3, 6 restarts in 4 min". */
export function statusWithAge(status: WorkloadStatus, now: Date): string {
  const text = truncate(statusWords(status, now), 120);
  const ago = age(status.since, now);
  // How long it has been restarting is part of the facts.
  if (ago === undefined || status.facts !== undefined) return text;
  return ENDED.test(text) ? `${text} ${ago} ago` : `${text} for ${ago}`;
}

/** These have happened; any other status lasts. */
const ENDED = /^(?:failed|last run failed|complete)$/u;

/** "web keeps crashing", "web: its new instances can't pull their images" */
export function afterName(name: string, sentence: string): string {
  return `${name}${sentence.startsWith("its ") ? ":" : ""} ${sentence}`;
}

/** Health of the workload in the last poll, as every view shows it. */
export function seenOf({ health, progress }: Pick<StoredChange, "health" | "progress">): Health | undefined {
  return health ?? progress;
}

/**
 * "was scaled by request 7K3M9Q meanwhile", "was changed again meanwhile": after that, the workload's status says
 * nothing about this Change. Undefined if nobody changed it.
 */
export function overtakenWords(seen: Health | undefined): string | undefined {
  if (seen?.kind !== "not-yet") return undefined;
  if (seen.gone !== undefined) return `was ${seen.gone} meanwhile`;
  if (seen.outcome?.endsWith(" meanwhile") !== true) return undefined;
  const { id, verb = "" } = seen.overtakenBy ?? {};
  if (id === undefined) return seen.outcome;
  const { unsure, line } = verbWords(verb) ?? wordsOf({ op: "updateService" });
  const what = unsure.startsWith("{} was ") ? unsure.replace("{} ", "") : `was ${line.past}`;
  return `${what} by request ${truncate(id, 40)} meanwhile`;
}

/** The dot of a Change that isn't followed any more, whatever the workload's status is now. */
export const overtakenDot = dotOf({ level: "idle" });

/** Its workload was deleted, and its outcome doesn't say so. */
export function isDeletedSince(change: Pick<StoredChange, "health" | "progress">): boolean {
  const { gone, outcome = "", line = "" } = seenOf(change) ?? {};
  return gone === "deleted" && !`${outcome} ${line}`.includes("deleted meanwhile");
}

/** Its workload was deleted, so it can't be requested again. */
export function isOfDeleted({
  health,
  progress,
  ending,
}: Pick<StoredChange, "health" | "progress" | "ending">): boolean {
  if (seenOf({ health, progress })?.gone === "deleted") return true;
  return ending?.kind === "drifted" && ending.drift.some(({ then, now }) => then === "existed" && now === "deleted");
}

/** The way back of a new version in trouble: under way or done. */
export function retreatOf(change: StoredChange): StoredChange["wayBack"] {
  const isStuck = verbWords(change.verb)?.isRolledOut === true && seenOf(change)?.kind === "trouble";
  return isStuck ? change.wayBack : undefined;
}

/** A version that got healthy after it was given up, so its way back wasn't run. */
export function isLateHealth(change: StoredChange): boolean {
  return change.wayBackEnd?.isNeeded === false;
}

/** "it went back, because its new instances don't get ready". */
export function retreatWords(change: StoredChange): string | undefined {
  const retreat = retreatOf(change);
  if (retreat === undefined) return undefined;
  const { outcome = "isn't healthy" } = seenOf(change) ?? {};
  return `it ${retreat === "gone" ? "went" : "goes"} back, because ${withSubject(outcome)}`;
}

/** "it keeps crashing"; some outcomes have a subject: "2 of 3 run", "its new instances don't get ready". */
export function withSubject(outcome: string): string {
  return /^(?:the |its |\d)/u.test(outcome) ? outcome : `it ${outcome}`;
}

/** The facts of a line of health. After the way back, without the counts of old and new instances. */
export function troubleFacts({ wayBack }: Pick<StoredChange, "wayBack">, { line }: Health): readonly string[] {
  const facts = line.split(" · ").filter((fact) => fact !== "");
  return wayBack === "gone" ? facts.filter((fact) => !/^\d+ (?:of \d+ new|old) instance/u.test(fact)) : facts;
}

/** What happened to a Change that was accepted and isn't visible yet. */
export function acceptedWords(seen: Health | undefined): string {
  const overtaken = overtakenWords(seen);
  if (overtaken !== undefined) return `accepted, but it ${overtaken}`;
  return seen?.outcome ?? "accepted, not visible yet";
}

/** There is nothing to poll after a deletion, once it shows. */
export function isFollowed({ op, ending }: Pick<StoredChange, "op" | "ending">): boolean {
  if (op !== "deleteService" && op !== "deleteJob") return true;
  return ending?.kind === "run" && ending.outcome.kind === "asked";
}

/** What the API doesn't report of a Change that it accepted: "restarts". Undefined when the Change can be confirmed. */
export function unseenOf({ ending }: Pick<StoredChange, "ending">): string | undefined {
  return ending?.kind === "run" && ending.outcome.kind === "asked" ? ending.outcome.unseen : undefined;
}

/** Whether a row of kind `done` is about such a Change. Older versions wrote other words. */
export function isUnconfirmed({ result }: Pick<HistoryEvent, "result">): boolean {
  return /^(?:Accepted, can't be confirmed|The workload API doesn't report restarts)\b/u.test(result);
}
