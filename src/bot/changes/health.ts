import type { Redacted } from "../../api/redacted.ts";
import { operationTable } from "../../api/operations.ts";
import { Problem } from "../../api/problem.ts";
import { isIdle, levelOf } from "../../api/workload-status.ts";
import type { Change, Outcome } from "./change.ts";
import { type Effect, effectOf } from "./effect.ts";
import {
  type Failing,
  failingLines,
  type LogReading,
  presentIn,
  readSnapshot,
  type SnapshotRead,
  type WorkloadRead,
} from "./read-workload.ts";
import { jobHealth, isVisible } from "./workload-health.ts";
import { callsNow, judge, type PollContext, MOST_CALLS, nextPollMs } from "./service-poll.ts";
import { isAnother, jobSnapshot, otherKeyHint, setsRevision, type Snapshot } from "./updatable-fields.ts";
import type { Health, PollState } from "./stored-change.ts";

/** HTTP statuses that another read would get again. */
const HOPELESS: ReadonlySet<number> = new Set([400, 401, 403, 405, 429]);

function isHopeless({ status }: Problem): boolean {
  return status !== undefined && HOPELESS.has(status);
}

/**
 * Health in the read that shows a scaling, by the API's own count of ready instances; by the status alone, it isn't healthy yet.
 * Undefined for any other Change, because its ready instances may be the old ones. Pure.
 */
export function healthAtOnce(context: PollContext, { service }: WorkloadRead): Health | undefined {
  if (service === undefined || !isScaling(context.change)) return undefined;
  const { ready_instances: ready, target_instance_size: size } = service;
  const seen = judge(context, service);
  if (seen.watch?.wellSinceMs === undefined) return undefined;
  if (ready !== undefined) return ready === size ? seen : undefined;
  // Without a count, the status may be from before the Change: its healthy time begins with the first poll.
  return seen.kind === "watching" ? { ...seen, watch: { ...seen.watch, wellSinceMs: undefined } } : undefined;
}

/** To at least one instance, with nothing that restarts them. */
function isScaling({ call }: Change): boolean {
  if (call.op !== "updateService") return false;
  const { target_instance_size: size = 0, ...others } = call.body;
  return size > 0 && Object.keys(others).length === 0;
}

export type ChangedSince = {
  /**
   * What all later requests did. `scaled`: only set the number of instances, so running ones go on. `restarted`: only
   * replaced instances, so their number is the same.
   */
  readonly how: "scaled" | "restarted" | "otherwise";
  /** The latest request that did more than scale or restart; without one, the latest. */
  readonly by: NonNullable<Health["overtakenBy"]>;
};

export type Poll = PollContext & {
  /** The read-back, or an earlier poll, showed the Change. */
  readonly isConfirmed: boolean;
  /** Tells the workload from a later one of the same name. */
  readonly uid: string | undefined;
  /** The workload as the Change left it, where that was read. */
  readonly left: Snapshot;
  /** Set when other requests changed how the workload runs since this one was done. */
  readonly changedSince: ChangedSince | undefined;
  readonly resourcesKey: "resources" | "resource";
};

/** Without `nextMs`, it was the last poll. */
export type PollResult = {
  readonly health: Health;
  /** Set when the workload shows the accepted Change for the first time. */
  readonly outcome?: Outcome | undefined;
  readonly nextMs?: number | undefined;
  /** The service as it was read, if the rollout that this Change began is stuck. */
  readonly stuck?: NonNullable<Snapshot> | undefined;
};

/**
 * Polls the workload of a Change, except a new job: one call, and a page of the log when it first fails; `MOST_CALLS` in all polls
 * together. Never throws a `Problem`.
 */
export async function pollChanged(poll: Poll, deps: LogReading, known?: SnapshotRead | Problem): Promise<PollResult> {
  const { workload } = poll.change;
  const read = known ?? (await readSnapshot(workload, deps));
  return judgePoll(poll, read, async (failing) => {
    // Lists name no instances.
    const now = known === undefined ? read : await readSnapshot(workload, deps);
    const present = now instanceof Problem ? undefined : presentIn(now.read);
    return failingLines(workload, { ...failing, present }, deps);
  });
}

/** The same for a workload that was already read. `lines` makes one call, for the log of the failing instance. */
export async function judgePoll(
  poll: Poll,
  read: SnapshotRead | Problem,
  lines: (failing: Failing) => Promise<readonly Redacted[]>,
): Promise<PollResult> {
  if (read instanceof Problem) return unread(poll, read);
  const { outcome, health: seen } = judgeRead(poll, read);
  const { stuck, ...health } =
    seen.kind === "trouble" && seen.watch !== undefined
      ? await inTrouble(poll, { seen, read, lines })
      : { ...untilWell(poll, seen), stuck: undefined };
  const nextMs = nextPollMs(health, poll);
  if (nextMs !== undefined) return { outcome, health, nextMs, stuck };
  const isOpen = health.kind === "watching" || health.kind === "not-yet";
  // The other request may have undone the effect that this poll waits for.
  if (isOpen && poll.changedSince !== undefined && health.gone === undefined)
    return { outcome, health: changedAgain(poll) };
  // It is ready now, but no later poll can prove that it stays ready.
  const isWell = health.kind === "trouble" && health.watch?.wellSinceMs !== undefined;
  return { outcome, health: atLast(isWell ? seen : health), stuck };
}

type InTrouble = {
  readonly seen: Health;
  readonly read: SnapshotRead;
  readonly lines: (failing: Failing) => Promise<readonly Redacted[]>;
};

/** Only the first poll that sees trouble reads the log. */
async function inTrouble(poll: Poll, { seen, read, lines }: InTrouble): Promise<Health & Pick<PollResult, "stuck">> {
  const known = poll.progress?.kind === "trouble" ? poll.progress : undefined;
  const calls = seen.watch?.calls ?? 0;
  const readsLog = known === undefined && callsNow(poll) < MOST_CALLS;
  const excerpt = known?.excerpt ?? (readsLog ? await lines({ sentence: seen.line }) : []);
  const { stuck, why = "" } = stuckSince(poll, read);
  const watch: PollState = {
    ...seen.watch,
    calls: readsLog ? calls + 1 : calls,
    troubleSinceMs: known?.watch?.troubleSinceMs ?? poll.nowMs,
  };
  return { ...seen, line: joined(seen.line, why), excerpt, watch, stuck };
}

/** Joins the facts of a line, without empty ones. */
export function joined(...facts: readonly string[]): string {
  return facts.filter((fact) => fact !== "").join(" · ");
}

/** A workload stays in trouble until it has been ready for long enough. */
function untilWell({ progress }: Poll, seen: Health): Health {
  const known = progress?.kind === "trouble" ? progress : undefined;
  if (seen.kind === "reached" && (known !== undefined || progress?.recovered)) return { ...seen, recovered: true };
  if (known === undefined || seen.watch === undefined) return seen;
  return { ...known, watch: { ...seen.watch, troubleSinceMs: known.watch?.troubleSinceMs } };
}

type Stuck = {
  /** Only in the first poll that sees it stuck: that poll begins the way back. */
  readonly stuck: Snapshot;
  /** Why the way back that the card promised isn't begun. */
  readonly why?: string | undefined;
};

/** The rollout of another revision than the one that this Change made is somebody else's. */
function stuckSince({ change, left, progress }: Poll, { snapshot, read: { service } }: SnapshotRead): Stuck {
  const { state, to } = service?.rollout ?? {};
  if (!setsRevision(change) || snapshot === undefined) return { stuck: undefined };
  const isPromised = promisesWayBack(change.diff);
  if (state !== "stuck") return { stuck: undefined, why: isPromised ? "not rolled back: its rollout is over" : "" };
  const made = madeRevision(change.before, left);
  const wasStuck = progress?.kind === "trouble" && progress.watch?.rolling !== undefined;
  if (made !== undefined && to === made) return { stuck: wasStuck ? undefined : snapshot };
  if (!isPromised) return { stuck: undefined };
  const runs = to === undefined ? "the workload API doesn't say which version is stuck" : `version ${to} runs`;
  const own = made === undefined ? "" : `, and this request made ${made}`;
  return { stuck: undefined, why: `not rolled back: ${runs}${own}` };
}

/** By the lines of the Change. */
export function promisesWayBack(diff: readonly string[]): boolean {
  return diff.some((line) => /^back to (?:version|revision) \d+ automatically if /u.test(line));
}

/**
 * The number of the revision that a Change made: from the read-back if it was numbered by then, else one more than before.
 */
function madeRevision(before: Snapshot, left: Snapshot): number | undefined {
  if (before?.revision === undefined) return undefined;
  const read = left?.revision;
  return read !== undefined && read > before.revision ? read : before.revision + 1;
}

function judgeRead(poll: Poll, { snapshot, read: { service } }: SnapshotRead): PollResult {
  const { change, isConfirmed, uid } = poll;
  const { op } = change.call;
  const effect = isConfirmed ? undefined : effectOf(change, snapshot);
  // What another request did since may look like this restart.
  const isOvertaken = op === "restartService" && poll.changedSince !== undefined;
  const outcome: Outcome | undefined =
    effect?.kind === "done" && !isOvertaken
      ? { kind: "done", after: snapshot, alsoMoved: effect.alsoMoved }
      : undefined;
  const isSeen = isConfirmed || outcome !== undefined;
  if (op === "deleteService" || op === "deleteJob") {
    return { outcome, health: isSeen ? unwatched : notShown(poll, effect, snapshot?.status) };
  }
  if (service === undefined) {
    const isStillNew = op === "createService" && !isSeen;
    return { health: isStillNew ? notShown(poll, effect, undefined) : gone(poll, "deleted") };
  }
  if (isAnother(uid, snapshot?.uid)) return { health: gone(poll, "replaced") };
  const isShown = isSeen || isOvertaken || (op === "restartService" && effect?.kind === "unseen");
  if (isShown && (!isVisible(change, service) || runsAnother(poll, snapshot) || isOutlived(poll, snapshot)))
    return { outcome, health: changedAgain(poll) };
  const health = judge(poll, service);
  // The other request's card reports this failure.
  if (outlasts(change) !== undefined && poll.changedSince !== undefined && health.kind === "trouble")
    return { outcome, health: changedAgain(poll) };
  if (poll.progress?.kind === "reached" && health.kind === "watching")
    return { health: afterWell(poll.progress, health) };
  const isWell = health.kind !== "watching" || health.watch?.wellSinceMs !== undefined;
  const isJudged = isSeen || isWell || effect?.kind === "unseen";
  return { outcome, health: isJudged ? health : notShown(poll, effect, service.status) };
}

/**
 * Another version was deployed since. The fields of a creation, a scaling or a restart don't show that, so images and
 * revisions are compared. A Change that sets containers is visible in its fields; its own revision may be counted late.
 */
function runsAnother({ change: { call, before: asked }, left }: Poll, now: Snapshot): boolean {
  const isRestart = call.op === "restartService";
  const images = (left ?? asked)?.images;
  if (isRestart && images !== undefined && now?.images !== undefined && String(now.images) !== String(images))
    return true;
  // A restart may count as a revision.
  const own = isRestart ? (asked?.revision ?? Number.POSITIVE_INFINITY) + 1 : left?.revision;
  const replaces = call.op === "updateService" && call.body.containers !== undefined;
  return !replaces && own !== undefined && now?.revision !== undefined && now.revision > own;
}

/**
 * Another request made it impossible to judge this one: instances no longer show the effect of a stop, a restart or a
 * scaling. Except: a confirmed restart before a scaling, or a confirmed scaling before a restart. Other changes stay
 * visible in the workload's fields, until it is stopped.
 */
function isOutlived({ change, changedSince, isConfirmed, progress }: Poll, now: Snapshot): boolean {
  if (changedSince === undefined) return false;
  if (isIdle(now?.status) || change.call.op === "stopService") return true;
  const other = outlasts(change);
  return other !== undefined && (changedSince.how !== other || !isConfirmed || progress?.kind === "reached");
}

/** The kind of later request after which this Change can still be judged. */
function outlasts(change: Change): ChangedSince["how"] | undefined {
  if (isScaling(change)) return "restarted";
  return change.call.op === "restartService" ? "scaled" : undefined;
}

/** A workload that was healthy once stays so: neither a later restart nor a stop on purpose is a failure of this Change. */
function afterWell(before: Health, { watch, ...now }: Health): Health {
  if (now.level !== "busy") return { ...before, watch };
  return { ...now, kind: "not-yet", outcome: undefined, watch };
}

/** Accepted, but the workload doesn't show it. A transitional status means that the API still works on it. */
function notShown(poll: Poll, effect: Effect | undefined, status: string | undefined): Health {
  const { change, ageMs } = poll;
  const isLate = ageMs > operationTable[change.call.op].timeoutMs;
  return {
    kind: "not-yet",
    level: status === undefined ? undefined : levelOf(status),
    outcome: isLate ? "accepted, but it doesn't show" : "accepted, not visible yet",
    line: [effectWords(effect), isLate ? otherKeyHint(change, poll.resourcesKey) : undefined]
      .filter(Boolean)
      .join(". ")
      .replace(/\.$/u, ""),
    excerpt: [],
    watch: { calls: callsNow(poll) },
  };
}

/** A lower-case fact without a full stop. */
function effectWords(effect: Effect | undefined): string {
  if (effect === undefined || effect.kind === "done" || effect.kind === "unseen") return "";
  return effect.kind === "nothing" ? effect.still.join(", ") : effect.why.replace(/\.$/u, "");
}

/** It was seen to be well or in trouble, which a failed poll or somebody else's change doesn't take back. */
function isKnown(progress: Health | undefined): progress is Health & { readonly kind: "reached" | "trouble" } {
  return progress?.kind === "reached" || progress?.kind === "trouble";
}

export const unwatched: Health = { kind: "unwatched", line: "", excerpt: [] };

/** The card keeps what it said, and adds why polling has ended. */
function gone(poll: Poll, how: "deleted" | "replaced"): Health {
  const { progress } = poll;
  if (isKnown(progress)) return { ...atLast(progress), gone: how };
  // It was never seen to take effect.
  if (progress === undefined || progress.kind === "not-yet") {
    return { ...overtaken(poll, `was ${how} meanwhile`), gone: how };
  }
  const { watch: _watch, ...seen } = progress;
  return { ...seen, kind: "not-yet", gone: how, line: joined(withoutWatch(seen.line), `${how} meanwhile`) };
}

function withoutWatch(line: string): string {
  return line.replace(/, watching for .*$/u, "");
}

function changedAgain(poll: Poll): Health {
  const health = overtaken(poll, "was changed again meanwhile");
  const by = poll.changedSince?.by;
  // A Change that was healthy until then stays healthy.
  return health.kind === "reached" || by === undefined ? health : { ...health, overtakenBy: by };
}

/** Another change made it: its health now says nothing about this one. */
function overtaken({ progress }: Poll, outcome: string): Health {
  if (isKnown(progress)) return atLast(progress);
  return { kind: "not-yet", level: "busy", outcome, line: "", excerpt: [] };
}

/** A failed poll keeps the last known health. */
function unread(poll: Poll, problem: Problem): PollResult {
  const { progress } = poll;
  const watch = { ...progress?.watch, calls: callsNow(poll) };
  const line = `couldn't check it: ${problem.sentence}`;
  const health: Health = isKnown(progress)
    ? { ...progress, watch }
    : { kind: "watching", excerpt: [], ...progress, line, watch };
  const nextMs = isHopeless(problem) ? undefined : nextPollMs(health, poll);
  if (nextMs !== undefined) return { health, nextMs };
  return { health: isKnown(progress) ? atLast(health) : { kind: "not-yet", line, excerpt: [] } };
}

/** Its health once polling has ended. */
export function atLast({ watch, ...health }: Health): Health {
  if (health.kind !== "watching") return health;
  if (watch?.wellSinceMs === undefined) return { ...health, kind: "not-yet" };
  const line = withoutWatch(health.line);
  return { ...health, kind: "not-yet", outcome: "hasn't been ready for long enough", line };
}

/** Lists may lack a new job for this long. */
const UNLISTED_MS = 15_000;

export type JobPoll = {
  /** Tells it from a later job of the same name. */
  readonly uid: string | undefined;
  /** Milliseconds since it was created. */
  readonly ageMs: number;
};

/**
 * Polls a job that was created: `watching` until it has ended. One call, and one page of its log if it failed.
 * Never throws a `Problem`.
 */
export async function pollJob(
  { workload }: Change,
  poll: JobPoll,
  deps: LogReading,
  known?: SnapshotRead | Problem,
): Promise<Health> {
  const found = known ?? (await readSnapshot(workload, deps));
  const read = found instanceof Problem ? found : found.read;
  if (read instanceof Problem) {
    const kind = isHopeless(read) ? "not-yet" : "watching";
    const outcome = kind === "watching" ? "is running" : "was created, outcome unknown";
    return { kind, level: "busy", outcome, line: `couldn't check it: ${read.sentence}`, excerpt: [] };
  }
  const { job } = read;
  if (job === undefined && poll.ageMs >= UNLISTED_MS) return ended("was deleted before it ended");
  if (job === undefined) return { kind: "watching", level: "busy", outcome: "is starting", line: "", excerpt: [] };
  if (isAnother(poll.uid, jobSnapshot(job).uid)) return ended("was replaced by another job of this name");
  const { kind, instance, ranMs, ...now } = jobHealth(job);
  if (kind === "waiting") return { kind: "watching", ...now, excerpt: [] };
  const excerpt = kind === "trouble" ? await failingLines(workload, { instance }, deps) : [];
  return { kind, ...now, ...(ranMs !== undefined && { afterMs: ranMs }), excerpt };
}

function ended(outcome: string): Health {
  return { kind: "not-yet", level: "busy", outcome, line: "", excerpt: [] };
}
