import { type Level, ROLLING, type WorkloadStatus } from "../../../api/workload-status.ts";
import { truncate, visible } from "./text.ts";
import { age } from "./time.ts";
import type { Health, StoredChange, WayBack } from "../../changes/stored-change.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import { isRolledOut, verbWords, wordsOf } from "./verb-words.ts";

const dots: Readonly<Record<Level, string>> = { healthy: "🟢", busy: "🟡", failing: "🔴", idle: "⚪️" };

/** The dot of a workload, the same in every view. */
export function dotOf({ level }: Pick<WorkloadStatus, "level">): string {
  return dots[level];
}

/** "running", "keeps crashing: exit 3, 6 restarts, the last 2m ago". */
export function statusWords(
  { words, facts, lastAt }: Pick<WorkloadStatus, "words" | "facts" | "lastAt">,
  now: Date,
): string {
  const all = facts === undefined ? words : `${words}: ${facts}`;
  return visible(`${all}${lastAgo({ lastAt }, now)}`);
}

/** ", the last 2m ago", where a count has no time. */
export function lastAgo({ lastAt }: { readonly lastAt?: string | undefined }, now: Date): string {
  const ago = age(lastAt, now);
  return ago === undefined ? "" : `, the last ${ago} ago`;
}

/** "running for 3d", "failing for 2h", "keeps crashing: exit 3, 6 restarts in 4 min". */
export function statusWithAge(status: WorkloadStatus, now: Date): string {
  const text = truncate(statusWords(status, now), 120);
  const since = sinceWords(status, now);
  // How long it has been restarting is part of the facts.
  return since === undefined || status.facts !== undefined ? text : `${text} ${since}`;
}

/** "for 2h"; "9h ago" of what has happened. Undefined where the API says no time. */
export function sinceWords({ words, since }: Pick<WorkloadStatus, "words" | "since">, now: Date): string | undefined {
  const ago = age(since, now);
  if (ago === undefined) return undefined;
  return ENDED.test(words) ? `${ago} ago` : `for ${ago}`;
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
  const { unsure, past = "changed" } = verbWords(verb) ?? wordsOf({ op: "updateService" });
  const what = unsure.startsWith("{} was ") ? unsure.replace("{} ", "") : `was ${past}`;
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

/** The way back of a new version in trouble. */
export function retreatOf(change: StoredChange): WayBack | undefined {
  return isRolledOut(change) && seenOf(change)?.kind === "trouble" ? change.wayBack : undefined;
}

/** Of a rollout in trouble: nobody has noticed anything yet. */
export function oldOnesServe({ line }: Pick<Health, "line">): boolean {
  return /\bold instances? still\b/u.test(line);
}

/** A version that got healthy after it was given up, so its way back wasn't run. */
export function isLateHealth(change: StoredChange): boolean {
  return change.wayBackEnd?.isNeeded === false;
}

/** "it keeps crashing"; some outcomes have a subject: "2 of 3 run", "its new instances don't get ready". */
export function withSubject(outcome: string): string {
  return /^(?:the |its |\d)/u.test(outcome) ? outcome : `it ${outcome}`;
}

/** The facts of a line of health. Once the way back was sent and polled, without the counts of old and new instances before it. */
export function troubleFacts({ wayBack }: Pick<StoredChange, "wayBack">, { line }: Health): readonly string[] {
  const facts = line.split(" · ").filter((fact) => fact !== "");
  const isBefore = wayBack !== undefined && wayBack.state !== "going";
  return isBefore ? facts.filter((fact) => !/^\d+ (?:of \d+ new|old) instance/u.test(fact)) : facts;
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

/** What became of a Change that was sent and accepted. Cards and lines of history take its mark and words from here. */
export type DoneState = {
  /**
   * - `well`: as requested, or nothing is left to check
   * - `accepted`: not visible yet
   * - `unconfirmed`: the API doesn't report whether it took effect
   * - `unpolled`: before the first poll
   * - `rolling`: its new instances start
   * - `slow`: they still did at the last poll
   * - `stuck`: they don't get ready
   * - `late`: they got ready after they were given up
   * - `settling`: well, and not for long; or until it was deleted
   * - `unknown`: its status isn't known
   * - `unwell`: anything else
   */
  readonly kind:
    | "well"
    | "accepted"
    | "unconfirmed"
    | "unpolled"
    | "rolling"
    | "slow"
    | "stuck"
    | "late"
    | "settling"
    | "unknown"
    | "unwell";
  readonly mark: string;
  /** Why it isn't a success, after "web" or "but": `keeps crashing`, `was deleted meanwhile`. Can be empty. */
  readonly but: string;
};

/** Never rosier than the workload: a success is claimed only once its health is known. Pure. */
export function doneState(change: StoredChange): DoneState {
  const seen = seenOf(change);
  if (change.op === "createJob") return jobState(seen);
  const overtaken = overtakenWords(seen);
  const open = { mark: overtaken === undefined ? dots.busy : overtakenDot, but: overtaken ?? "" };
  if (unseenOf(change) !== undefined) {
    return { kind: "unconfirmed", ...(seen?.kind === "trouble" ? failing(seen) : open) };
  }
  const isAsked = change.ending?.kind === "run" && change.ending.outcome.kind === "asked";
  if (isAsked && (seen === undefined || seen.kind === "not-yet")) return { kind: "accepted", ...open };
  if (!isFollowed(change) || seen?.kind === "reached") return { kind: "well", mark: "✅", but: "" };
  if (seen === undefined) return { kind: "unpolled", mark: "🔄", but: "" };
  // The facts below the headline say that it was deleted.
  if (overtaken !== undefined && seen.outcome === undefined) return { kind: "settling", mark: overtakenDot, but: "" };
  if (overtaken !== undefined) return { kind: "unwell", ...open };
  if (seen.kind === "trouble") return troubleState(change, seen);
  const { kind, level, outcome = "", watch } = seen;
  if (kind === "watching" && watch?.rolling !== undefined) {
    if (outcome === "" || outcome === ROLLING) return { kind: "rolling", mark: "🔄", but: "" };
    return { kind: "rolling", mark: dots[level ?? "busy"], but: outcome };
  }
  if (outcome === ROLLING) return { kind: "slow", mark: dots.busy, but: "" };
  if (level === undefined) return { kind: "unknown", mark: dots.busy, but: "" };
  if (level === "failing") return { kind: "unwell", ...failing(seen) };
  return { kind: outcome === "" ? "settling" : "unwell", mark: dots.busy, but: outcome };
}

function troubleState(change: StoredChange, seen: Health): DoneState {
  if (isLateHealth(change)) return { kind: "late", mark: dots.healthy, but: "" };
  if (!isRolledOut(change)) return { kind: "unwell", ...failing(seen) };
  return { kind: "stuck", ...failing(seen), ...(retreatOf(change)?.state === "gone" && { mark: "❌" }) };
}

/** How the job itself went, as far as it was seen. */
function jobState(seen: Health | undefined): DoneState {
  if (seen === undefined) return { kind: "unpolled", mark: "🔄", but: "" };
  const { kind, level } = seen;
  // Older versions took a job that had started for a success, and stored no level.
  if (seen.level === undefined) return { kind: "unknown", mark: dots.busy, but: "" };
  const { but } = failing(seen);
  if (kind === "reached") return { kind: "well", mark: "✅", but };
  if (kind === "trouble") return { kind: "unwell", mark: "❌", but };
  const isRunning = kind === "watching" && level === "healthy";
  return { kind: "unwell", mark: isRunning ? "🔄" : level === "failing" ? dots.failing : dots.busy, but };
}

function failing(seen: Health): Pick<DoneState, "mark" | "but"> {
  return { mark: dots.failing, but: overtakenWords(seen) ?? seen.outcome ?? "isn't running as it should" };
}

/** Whether a row of kind `done` is about such a Change. Older versions wrote other words. */
export function isUnconfirmed({ result }: Pick<HistoryEvent, "result">): boolean {
  return /^(?:Accepted, can't be confirmed|The workload API doesn't report restarts)\b/u.test(result);
}
