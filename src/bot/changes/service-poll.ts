import type { Service } from "../../api/answers.ts";
import type { Change } from "./change.ts";
import { setsRevision } from "./updatable-fields.ts";
import { imagesSeen, serviceHealth } from "./workload-health.ts";
import type { Health, PollState } from "./stored-change.ts";

/** The first poll is early: some workloads are ready, or fail, at once. */
export const FIRST_POLL_MS = 2_000;
/** A service is polled for this long after a Change. */
export const FOLLOWED_FOR_MS = 10 * 60_000;
const LONGEST_PERIOD_MS = 9 * 60_000;
/** API calls for the health of one Change, with the page of its log when it fails. */
export const MOST_CALLS = 5;

/** Context of a poll: everything that its verdict depends on, except the workload as it was read. */
export type PollContext = {
  readonly change: Change;
  /** Result of the last poll. */
  readonly progress: Health | undefined;
  readonly nowMs: number;
  /** Milliseconds since the Change was done. */
  readonly ageMs: number;
  /** Calls that this poll makes: none for a workload that was read for others. */
  readonly calls: 0 | 1;
  /** For so long a service has to be ready, without a restart, to count as healthy, unless the API says how long. */
  readonly healthyAfterMs: number;
};

/** Before this poll. */
function callsSoFar({ progress }: Pick<PollContext, "progress">): number {
  return progress?.watch?.calls ?? 0;
}

/** With this poll. */
export function callsNow(context: Pick<PollContext, "progress" | "calls">): number {
  return callsSoFar(context) + context.calls;
}

/**
 * Health of a service as it was read: `watching` until it has been well for the whole period. The period starts again when the API's
 * restart count or status time shows a restart. Pure.
 */
export function judge(context: PollContext, service: Service): Health {
  const { change, progress, nowMs, ageMs } = context;
  const { kind, level, line, outcome } = serviceHealth(change, service, ageMs);
  const seen = { level, line, excerpt: [] };
  const { state: rollout } = service.rollout ?? {};
  const isRolling = setsRevision(change) && (rollout === "progressing" || rollout === "stuck");
  const rolling = isRolling ? (progress?.watch?.rolling ?? 0) + 1 : undefined;
  const watch: PollState = {
    // Polls of a rollout cost nothing of the budget: only our own API reports rollouts.
    calls: isRolling ? callsSoFar(context) : callsNow(context),
    ...(rolling !== undefined && { rolling }),
    restarts: service.restart_count ?? service.restarts?.count,
    statusSince: service.status_since,
    periodMs: ownPeriodMs(service),
  };
  const healthyAfterMs = watch.periodMs ?? context.healthyAfterMs;
  if (kind === "trouble") return { kind, ...seen, outcome, afterMs: ageMs, watch };
  if (kind === "waiting") return { kind: "watching", ...seen, outcome, afterMs: ageMs, watch };
  // Nothing runs, as requested.
  if (level !== "healthy" || service.target_instance_size === 0) return { kind, ...seen, afterMs: ageMs };
  const isShaken = hasRestarted(progress?.watch, watch);
  const before = isShaken ? undefined : progress?.watch?.wellSinceMs;
  const wellSinceMs = before ?? startOf(service, context);
  const well = { ...watch, wellSinceMs };
  const { digest, moved } = imagesSeen(change, service);
  const running = { ...seen, ...(digest !== undefined && { digest }) };
  if (nowMs - wellSinceMs >= healthyAfterMs) {
    const health = steady({ ageMs, healthyAfterMs }, { ...running, watch: well });
    return { ...health, line: [health.line, ...moved].join(" · ") };
  }
  // Without a count it may have been another change, such as more instances.
  const again = isCounted(progress?.watch, watch) ? " after a restart" : " again";
  const ready = `${line.replace(/ running$/u, " ready")}${isShaken ? again : ""}`;
  return { kind: "watching", ...running, line: `${ready}, watching for ${seconds(healthyAfterMs)}`, watch: well };
}

function steady(
  { ageMs, healthyAfterMs }: Pick<PollContext, "ageMs" | "healthyAfterMs">,
  { line, ...seen }: Omit<Health, "kind"> & { readonly watch: PollState },
): Health {
  if (healthyAfterMs === 0) return { kind: "reached", ...seen, line, ...(ageMs > 0 && { afterMs: ageMs }) };
  const period = seconds(healthyAfterMs);
  const known =
    seen.watch.restarts === undefined ? `${line} after ${period} · restarts not reported` : `${line} for ${period}`;
  return { kind: "reached", ...seen, line: known };
}

/** The engine's own period, cut so that one poll is left after it. */
function ownPeriodMs({ min_ready_seconds: seconds }: Service): number | undefined {
  return seconds === undefined || seconds <= 0 ? undefined : Math.min(seconds * 1_000, LONGEST_PERIOD_MS);
}

function isCounted(before: PollState | undefined, now: PollState): boolean {
  return now.restarts !== undefined && before?.restarts !== undefined && now.restarts > before.restarts;
}

function hasRestarted(before: PollState | undefined, now: PollState): boolean {
  if (before?.wellSinceMs === undefined && before?.restarts === undefined) return false;
  const { statusSince } = before;
  const isOther = statusSince !== undefined && now.statusSince !== undefined && statusSince !== now.statusSince;
  return isCounted(before, now) || (isOther && before.wellSinceMs !== undefined);
}

/** Start of its healthy time, at the first poll that sees it well. A status from before the Change doesn't count. */
function startOf({ status_since: since = "" }: Service, { nowMs, ageMs }: PollContext): number {
  const sinceMs = Date.parse(since);
  return sinceMs >= nowMs - ageMs && sinceMs <= nowMs ? sinceMs : nowMs;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/** Shows a crash that comes ten seconds after the start. */
const EARLY_MS = 15_000;
/** After a crash the next one often follows soon. */
const AGAIN_MS = 15_000;
/** Tolerance for the clock of another machine. */
const SLACK_MS = 1_000;

/** Milliseconds to the next poll; undefined after the last one. Pure. */
export function nextPollMs({ kind, watch }: Health, context: PollContext): number | undefined {
  const { nowMs, ageMs, progress } = context;
  const healthyAfterMs = watch?.periodMs ?? context.healthyAfterMs;
  if (watch === undefined || watch.calls >= MOST_CALLS) return undefined;
  const { wellSinceMs, rolling, troubleSinceMs = nowMs - ageMs } = watch;
  if (rolling !== undefined && nowMs - troubleSinceMs < FOLLOWED_FOR_MS) return rolloutPollMs(rolling);
  const endInMs = laterThan(ageMs, [FOLLOWED_FOR_MS]);
  const callsLeft = MOST_CALLS - watch.calls;
  if (kind === "reached") return endInMs;
  if (wellSinceMs === undefined && kind === "trouble") return laterThan(ageMs, AFTER_TROUBLE_MS.slice(-callsLeft));
  if (wellSinceMs === undefined) return laterThan(ageMs, timesOf({ ...context, healthyAfterMs }));
  // Keep the last call for the end: don't show green when polling has ended and it may be unwell.
  if (callsLeft === 1 && endInMs !== undefined) return endInMs;
  const steadyInMs = Math.max(wellSinceMs + healthyAfterMs - nowMs, 0) + SLACK_MS;
  if (ageMs < EARLY_MS - SLACK_MS) return Math.min(EARLY_MS - ageMs, steadyInMs);
  return callsLeft > 2 && hasRestarted(progress?.watch, watch) ? Math.min(AGAIN_MS, steadyInMs) : steadyInMs;
}

/** Ages at which a service that was in trouble is polled: the second poll shows whether it stayed well since the first. */
const AFTER_TROUBLE_MS = [FOLLOWED_FOR_MS / 2, FOLLOWED_FOR_MS];

/** Every three seconds at first, then less and less often: about 40 polls in ten minutes. */
function rolloutPollMs(polls: number): number {
  return Math.min(3_000 * 1.1 ** Math.max(0, polls - 10), 30_000);
}

/** Ages at which a service that isn't well is polled. A stop or a deletion needs no healthy period. */
function timesOf({ change: { call }, healthyAfterMs }: PollContext): readonly number[] {
  if (call.op === "stopService" || call.op === "deleteService" || call.op === "deleteJob")
    return [FIRST_POLL_MS, 7_000, 17_000, 75_000, FOLLOWED_FOR_MS];
  return [FIRST_POLL_MS, EARLY_MS, EARLY_MS + healthyAfterMs, FOLLOWED_FOR_MS];
}

function laterThan(ageMs: number, times: readonly number[]): number | undefined {
  const next = times.find((each) => each > ageMs + SLACK_MS);
  return next === undefined ? undefined : next - ageMs;
}
