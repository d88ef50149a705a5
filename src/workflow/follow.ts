import { lookAtJob, watchHealth } from "../changes/health.ts";
import type { Health, StoredChange } from "../changes/stored-change.ts";
import type { Settings } from "../commands/command.ts";
import { UserError } from "../errors.ts";
import { isFollowed } from "../views/cards/headline.ts";
import type { LogPool } from "../log-worker/log-pool.ts";
import type { EnvValues } from "./access/env-values.ts";
import { advance, type AdvanceDeps } from "./advance.ts";
import { changeKey, step } from "./lifecycle.ts";
import type { Lanes } from "./inbox/lanes.ts";
import type { Cards, Clock } from "./ports.ts";
import { type ApiDeps, apiFor, changeIn, type OpenDeps, openRequest, type OpenRequest } from "./stored-request.ts";

/** Later, the health of a workload says little about the Change. */
const FOLLOWED_FOR_MS = 5 * 60_000;

export type FollowDeps = AdvanceDeps &
  ApiDeps &
  OpenDeps & {
    readonly cards: Pick<Cards, "draw" | "tellRequester">;
    readonly clock: Clock;
    readonly envValues: Pick<EnvValues, "values">;
    readonly logs: Pick<LogPool, "redact">;
    readonly settings: Pick<Settings, "logZone">;
    readonly lanes: Pick<Lanes, "rest">;
  };

type Followed = {
  readonly change: StoredChange;
  /** Another process got it done, maybe long ago. */
  readonly isLeftOver: boolean;
  /** The request, if it is open already. */
  readonly opened?: OpenRequest | undefined;
  /** It looked well when it was read back, and not any more in another look. */
  readonly wasLookedAt?: boolean;
};

const unwatched: Health = { kind: "unwatched", line: "", excerpt: [] };

/**
 * After a success: does the workload run? A service is watched for half a minute, a job is looked at until it ends. Ends
 * early when the bot has to stop; another replica then follows it.
 */
export async function follow(deps: FollowDeps, followed: Followed, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { change, isLeftOver, wasLookedAt } = followed;
  // Parts are followed before their request ends.
  if (!isFollowed(change) || change.parts !== undefined) return record(deps, followed, unwatched);
  if (change.op === "createJob") return followJob(deps, followed, signal);
  const isOld = isLeftOver && ageMs(deps.clock, change) > FOLLOWED_FOR_MS;
  const health = isOld
    ? unwatched
    : await withRequest(deps, followed, (request) =>
        watchHealth(changeIn(request.content), looking(deps, followed, { request, signal }), wasLookedAt),
      );
  if (!signal.aborted) await record(deps, followed, health ?? unwatched);
}

/** A job that just began is looked at soon, for those that end at once. */
const FIRST_LOOK_MS = 2_000;
/** Then the bot stops watching, and says so. */
const JOB_FOR_MS = 24 * 60 * 60_000;

/**
 * One look at a job; the sweep follows it again after a rest, on any replica. So no lane is held while it runs, and its
 * stored state is all that a restart of the bot needs.
 */
async function followJob(deps: FollowDeps, followed: Followed, signal: AbortSignal): Promise<void> {
  const { change, isLeftOver } = followed;
  const health = await withRequest(deps, followed, async (request) => {
    const look = looking(deps, followed, { request, signal });
    if (!isLeftOver) await look.wait(FIRST_LOOK_MS);
    if (signal.aborted) return undefined;
    return lookAtJob(changeIn(request.content), { uid: uidOf(change), ageMs: ageMs(deps.clock, change) }, look);
  });
  if (signal.aborted || health === undefined) return;
  if (health.kind !== "watching") return record(deps, followed, health);
  const age = ageMs(deps.clock, change);
  if (age >= JOB_FOR_MS) return record(deps, followed, stillRunning(health));
  await observe(deps, followed, health);
  deps.lanes.rest(changeKey(change.id), pauseAfter(age));
}

/** 2 s at first and a minute after four; from twenty minutes on 5 % of its age. About 120 looks a day. */
export function pauseAfter(age: number): number {
  return Math.max(Math.min(Math.max(FIRST_LOOK_MS, age / 4), 60_000), age / 20);
}

function stillRunning({ level, line }: Health): Health {
  const outcome = "is still running after 24 h";
  return {
    kind: "not-yet",
    level,
    outcome,
    line: ["I stopped watching", line].filter(Boolean).join(" · "),
    excerpt: [],
  };
}

function uidOf({ ending }: StoredChange): string | undefined {
  return ending?.kind === "run" && ending.outcome.kind === "done" ? ending.outcome.after?.uid : undefined;
}

/** Redraws the card only if it would change. */
async function observe(deps: FollowDeps, { change, opened }: Followed, progress: Health): Promise<void> {
  if (JSON.stringify(shownOf(progress)) === JSON.stringify(shownOf(change.progress))) return;
  const observed = await deps.store.advance(change.id, step("observe", { progress }), undefined);
  if (observed.kind === "moved") await deps.cards.draw(change.id, { opened: opened?.content });
}

function shownOf(progress: Health | undefined) {
  return [progress?.level, progress?.outcome, progress?.line];
}

/** Trouble is news: it is written to history. It is told to the requester where there is no card, as is a job's end. */
async function record(deps: FollowDeps, { change, opened }: Followed, health: Health): Promise<void> {
  const bare = step("follow", { health });
  const isTrouble = health.kind === "trouble";
  const followed = isTrouble
    ? await advance(deps, change, { ...bare, result: newsOf(change, health) })
    : await deps.store.advance(change.id, bare, undefined);
  if (followed.kind !== "moved") return;
  const isNews = isTrouble || change.op === "createJob";
  if (isNews && followed.change.card === undefined) await deps.cards.tellRequester(followed.change);
  await deps.cards.draw(change.id, { opened: opened?.content });
}

/** "web keeps restarting: exited with code 137". */
function newsOf({ workload }: StoredChange, { outcome = "isn't well", line }: Health): string {
  const what = /^\d/u.test(outcome) ? `${workload.name}: ${outcome}` : `${workload.name} ${outcome}`;
  return line === "" ? what : `${what} · ${line}`;
}

/** Undefined for an aborted look. A request that can't be opened any more can't be followed. */
async function withRequest(
  deps: FollowDeps,
  { change, opened }: Followed,
  look: (request: OpenRequest) => Promise<Health | undefined>,
): Promise<Health | undefined> {
  let request: OpenRequest;
  try {
    request = opened ?? (await openRequest(deps, change));
  } catch (error) {
    if (error instanceof UserError) return unwatched;
    throw error;
  }
  return look(request);
}

type Opened = { readonly request: OpenRequest; readonly signal: AbortSignal };

function looking(deps: FollowDeps, { change }: Followed, { request, signal }: Opened) {
  return {
    ...apiFor(deps, request, signal),
    nowMs: () => deps.clock.now().getTime(),
    logZone: deps.settings.logZone,
    redact: (lines: readonly string[]) => redacted(deps, { id: change.id, lines, request }, signal),
  };
}

type Lines = {
  /** Of the Change. */
  readonly id: string;
  readonly lines: readonly string[];
  readonly request: OpenRequest;
};

/** Lines that can't be redacted in time, or before the stop, are not shown. */
async function redacted(
  { logs, envValues }: FollowDeps,
  { id, lines, request }: Lines,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const secrets = envValues.values(request.account.username, changeIn(request.content).workload);
  try {
    return await logs.redact({ lines, secrets }, { who: `health ${id}`, signal });
  } catch (error) {
    if (error instanceof UserError || signal.aborted) return [];
    throw error;
  }
}

/** Between two clocks, the database's and ours: good for minutes. */
function ageMs({ now }: Pick<Clock, "now">, { settledAt, createdAt }: StoredChange): number {
  return now().getTime() - (settledAt ?? createdAt).getTime();
}
