import type { Service } from "../../api/answers.ts";
import type { Change } from "./change.ts";
import { setsRevision } from "./updatable-fields.ts";
import { imagesSeen, serviceHealth } from "./workload-health.ts";
import type { Health, Watch } from "./stored-change.ts";

/** A service is looked at for this long after a Change. */
export const FOLLOWED_FOR_MS = 10 * 60_000;
const LONGEST_PERIOD_MS = 9 * 60_000;
/** API calls for the health of one Change, with the page of its log when it fails. */
export const MOST_CALLS = 5;

/** Everything that a look is judged by, besides what it sees. */
export type Looking = {
  readonly change: Change;
  /** The last look. */
  readonly progress: Health | undefined;
  readonly nowMs: number;
  /** Milliseconds since the Change was done. */
  readonly ageMs: number;
  /** For so long a service has to be ready, without a restart, to count as healthy, unless the API says how long. */
  readonly healthyAfterMs: number;
};

export function callsSoFar({ progress }: Pick<Looking, "progress">): number {
  return progress?.watch?.calls ?? 0;
}

/**
 * What a look at a service shows: `watching` until it has been well for the whole period. The API's own evidence of a
 * restart in between, its count or the time of its status, starts the period again. Pure.
 */
export function judge(looking: Looking, service: Service, calls = callsSoFar(looking) + 1): Health {
  const { change, progress, nowMs, ageMs } = looking;
  const { kind, level, line, outcome } = serviceHealth(change, service, ageMs);
  const seen = { level, line, excerpt: [] };
  const { state: rollout } = service.rollout ?? {};
  const isRolling = setsRevision(change) && (rollout === "progressing" || rollout === "stuck");
  const rolling = isRolling ? (progress?.watch?.rolling ?? 0) + 1 : undefined;
  const watch: Watch = {
    // The looks at a rollout don't count: only an API of ours tells of one.
    calls: isRolling ? callsSoFar(looking) : calls,
    ...(rolling !== undefined && { rolling }),
    restarts: service.restart_count ?? service.restarts?.count,
    statusSince: service.status_since,
    periodMs: ownPeriodMs(service),
  };
  const healthyAfterMs = watch.periodMs ?? looking.healthyAfterMs;
  if (kind === "trouble") return { kind, ...seen, outcome, afterMs: ageMs, watch };
  if (kind === "waiting") return { kind: "watching", ...seen, outcome, afterMs: ageMs, watch };
  // Nothing runs, as requested.
  if (level !== "healthy" || service.target_instance_size === 0) return { kind, ...seen, afterMs: ageMs };
  const isShaken = hasRestarted(progress?.watch, watch);
  const before = isShaken ? undefined : progress?.watch?.wellSinceMs;
  const wellSinceMs = before ?? startOf(service, looking);
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
  { ageMs, healthyAfterMs }: Pick<Looking, "ageMs" | "healthyAfterMs">,
  { line, ...seen }: Omit<Health, "kind"> & { readonly watch: Watch },
): Health {
  if (healthyAfterMs === 0) return { kind: "reached", ...seen, line, ...(ageMs > 0 && { afterMs: ageMs }) };
  const period = seconds(healthyAfterMs);
  const known =
    seen.watch.restarts === undefined ? `${line} after ${period} · restarts not reported` : `${line} for ${period}`;
  return { kind: "reached", ...seen, line: known };
}

/** The period of the engine that runs it. A last look has to be left after it. */
function ownPeriodMs({ min_ready_seconds: seconds }: Service): number | undefined {
  return seconds === undefined || seconds <= 0 ? undefined : Math.min(seconds * 1_000, LONGEST_PERIOD_MS);
}

function isCounted(before: Watch | undefined, now: Watch): boolean {
  return now.restarts !== undefined && before?.restarts !== undefined && now.restarts > before.restarts;
}

function hasRestarted(before: Watch | undefined, now: Watch): boolean {
  if (before?.wellSinceMs === undefined && before?.restarts === undefined) return false;
  const { statusSince } = before;
  const isOther = statusSince !== undefined && now.statusSince !== undefined && statusSince !== now.statusSince;
  return isCounted(before, now) || (isOther && before.wellSinceMs !== undefined);
}

/** Since when it has been well, at a look that is the first to see it so: an earlier status tells nothing of this Change. */
function startOf({ status_since: since = "" }: Service, { nowMs, ageMs }: Looking): number {
  const sinceMs = Date.parse(since);
  return sinceMs >= nowMs - ageMs && sinceMs <= nowMs ? sinceMs : nowMs;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/** A crash ten seconds after the start has shown by then. */
const EARLY_MS = 15_000;
/** A crash that was seen is often followed by the next one. */
const AGAIN_MS = 15_000;
/** A look is this much too early by the clock of another machine. */
const SLACK_MS = 1_000;

/** Milliseconds to the next look; undefined after the last one. Pure. */
export function nextLookMs({ kind, watch }: Health, looking: Looking): number | undefined {
  const { nowMs, ageMs, progress } = looking;
  const healthyAfterMs = watch?.periodMs ?? looking.healthyAfterMs;
  if (watch === undefined || watch.calls >= MOST_CALLS) return undefined;
  const { wellSinceMs, rolling, troubleSinceMs = nowMs - ageMs } = watch;
  if (rolling !== undefined && nowMs - troubleSinceMs < FOLLOWED_FOR_MS) return rolloutLookMs(rolling);
  const endInMs = laterThan(ageMs, [FOLLOWED_FOR_MS]);
  const callsLeft = MOST_CALLS - watch.calls;
  if (kind === "reached") return endInMs;
  if (wellSinceMs === undefined && kind === "trouble") return laterThan(ageMs, AFTER_TROUBLE_MS.slice(-callsLeft));
  if (wellSinceMs === undefined) return laterThan(ageMs, timesOf({ ...looking, healthyAfterMs }));
  // Green, and then nobody looks: that would be better than the truth.
  if (callsLeft === 1 && endInMs !== undefined) return endInMs;
  const steadyInMs = Math.max(wellSinceMs + healthyAfterMs - nowMs, 0) + SLACK_MS;
  if (ageMs < EARLY_MS - SLACK_MS) return Math.min(EARLY_MS - ageMs, steadyInMs);
  return callsLeft > 2 && hasRestarted(progress?.watch, watch) ? Math.min(AGAIN_MS, steadyInMs) : steadyInMs;
}

/** When to look again at a service that was in trouble: the second look shows whether it stayed well since the first. */
const AFTER_TROUBLE_MS = [FOLLOWED_FOR_MS / 2, FOLLOWED_FOR_MS];

/** Every three seconds at first, then less and less often: about 40 looks in ten minutes. */
function rolloutLookMs(looks: number): number {
  return Math.min(3_000 * 1.1 ** Math.max(0, looks - 10), 30_000);
}

/** When to look at a service that isn't well: what stops or only has to show needs no further time to prove itself. */
function timesOf({ change: { call }, healthyAfterMs }: Looking): readonly number[] {
  if (call.op === "stopService" || call.op === "deleteService" || call.op === "deleteJob")
    return [2_000, 7_000, 17_000, 75_000, FOLLOWED_FOR_MS];
  return [2_000, EARLY_MS, EARLY_MS + healthyAfterMs, FOLLOWED_FOR_MS];
}

function laterThan(ageMs: number, times: readonly number[]): number | undefined {
  const next = times.find((each) => each > ageMs + SLACK_MS);
  return next === undefined ? undefined : next - ageMs;
}
