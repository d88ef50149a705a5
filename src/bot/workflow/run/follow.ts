import type { WorkloadLogs } from "../access/env-values.ts";
import type { Redacted } from "../../../api/redacted.ts";
import { type Poll, pollChanged, pollJob, type PollResult, unwatched } from "../../changes/health.ts";
import {
  type LogReading,
  type ReadInList,
  type Reading,
  snapshotIn,
  type SnapshotRead,
} from "../../changes/read-workload.ts";
import { FIRST_POLL_MS, FOLLOWED_FOR_MS } from "../../changes/service-poll.ts";
import { doneOf, type Health, requestIdOf, type StoredChange, uidOf } from "../../changes/stored-change.ts";
import { isFollowed } from "../../views/kit/health.ts";
import { LRUCache } from "lru-cache";
import { UserError } from "../../errors.ts";
import type { Due } from "../due-kinds.ts";
import type { OutsideLane } from "../inbox/scheduler.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Inserted } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import { isNews, savePoll } from "./save-poll.ts";
import type { Lease } from "./send.ts";
import { usualTime } from "./usual-time.ts";
import { apiFor, openRequest, type OpenRequest } from "../open-request.ts";
import { changeIn } from "../stored-request.ts";
import { storeWayBack } from "./way-back.ts";
import type { Service } from "../../../api/answers.ts";
import { Problem } from "../../../api/problem.ts";

/** After a longer gap, a poll no longer shows what this Change did. */
export const LEFT_ALONE_MS = 3 * FOLLOWED_FOR_MS;

export type Followed = {
  readonly change: StoredChange;
  readonly lease: Lease;
  /** Another process got it done, maybe long ago. */
  readonly isLeftOver: boolean;
  /** The request, if it is open already. */
  readonly opened?: OpenRequest | undefined;
  /** For the pause before the first poll. */
  readonly outsideLane: OutsideLane;
  /** What was read for others. */
  readonly known?: ReadInList | undefined;
  /** Others are leased, and have to be polled with the list that is read for this one. */
  readonly withOthers: (others: readonly Due[], known: ReadInList) => void;
  /** The way back of a deploy that doesn't get ready is stored and has to be carried on. */
  readonly onBack: (back: Inserted) => void;
};

/** Then the bot stops watching a job, and says so. */
const JOB_FOR_MS = 24 * 60 * 60_000;

/**
 * Polls the workload of a Change that was done, and stores the result with the time of the next poll. Any replica makes that one: no
 * lane is held between two polls, and a restart loses nothing. Resolves to whether the lease has ended.
 */
export async function follow(deps: WorkflowParts, followed: Followed, signal: AbortSignal): Promise<boolean> {
  const { change, isLeftOver, outsideLane } = followed;
  if (signal.aborted) return false;
  if (!isFollowed(change)) return saveAndDeliver(deps, followed, { health: unwatched });
  const age = ageMs(deps.clock, change);
  if (isLeftOver && change.op !== "createJob" && age > LEFT_ALONE_MS) {
    return saveAndDeliver(deps, followed, { health: leftAlone(change) });
  }
  const request = followed.opened ?? (await openRequest(deps, change).catch((error: unknown) => unopened(error)));
  if (signal.aborted) return false;
  if (request === undefined) return saveAndDeliver(deps, followed, { health: leftAlone(change) });
  const { wait, ...reading } = readingFor(deps, followed, { request, signal });
  if (!isLeftOver) await outsideLane(wait(FIRST_POLL_MS));
  if (signal.aborted) return false;
  const known = await readWithOthers(deps, followed, reading);
  const isFree = followed.known !== undefined && known !== undefined;
  const seen = await pollWorkload(deps, { change, request, known, calls: isFree ? 0 : 1 }, reading);
  if (signal.aborted) return false;
  // Before the trouble is stored: a later poll doesn't begin a way back.
  const back = seen.stuck && (await storeWayBack(deps, { stored: change, content: request.content, now: seen.stuck }));
  try {
    return !signal.aborted && (await saveAndDeliver(deps, followed, seen));
  } finally {
    if (back !== undefined) followed.onBack(back);
  }
}

/** Its last known health, when polling ends early. */
function leftAlone({ progress }: StoredChange): Health {
  const { watch: _, ...seen } = progress ?? unwatched;
  return seen.kind === "watching" ? { ...seen, kind: "not-yet" } : seen;
}

type Polling = Pick<Poll, "calls"> & {
  readonly change: StoredChange;
  readonly request: OpenRequest;
  readonly known: SnapshotRead | Problem | undefined;
};

async function pollWorkload(
  deps: WorkflowParts,
  { change: stored, request, known, calls }: Polling,
  reading: LogReading,
): Promise<PollResult> {
  const change = changeIn(request.content);
  const age = ageMs(deps.clock, stored);
  if (stored.op === "createJob") {
    const health = await pollJob(change, { uid: uidOf(stored), ageMs: age }, reading, known);
    const { startedAt, usual = await usualTime(deps, stored, change) } = stored.progress ?? {};
    return jobResult({ ...(startedAt !== undefined && { startedAt }), ...(usual && { usual }), ...health }, age);
  }
  return pollChanged(await pollOf(deps, { stored, change, ageMs: age, calls }), reading, known);
}

type Changed = Pick<Poll, "change" | "ageMs" | "calls"> & { readonly stored: StoredChange };

/** What `judgePoll` needs beside the workload it reads. */
async function pollOf(
  { clock, settings, store }: WorkflowParts,
  { stored, change, ageMs, calls }: Changed,
): Promise<Poll> {
  const { healthyAfterMs, resourcesKey } = settings;
  const done = doneOf(stored);
  const uid = done?.after?.uid ?? change.workload.uid;
  const nowMs = clock.now().getTime();
  const changedSince = await store.changedSince(stored);
  const seen = { isConfirmed: done !== undefined, uid, left: done?.after, changedSince };
  return { change, progress: stored.progress, nowMs, ageMs, calls, healthyAfterMs, resourcesKey, ...seen };
}

/** A job is polled until it ends. */
function jobResult(health: Health, age: number): PollResult {
  if (health.kind !== "watching") return { health };
  return age >= JOB_FOR_MS ? { health: stillRunning(health) } : { health, nextMs: pauseAfter(age) };
}

/** 2 s at first and a minute after four; from twenty minutes on 5 % of its age. About 120 polls a day. */
export function pauseAfter(age: number): number {
  return Math.max(Math.min(Math.max(FIRST_POLL_MS, age / 4), 60_000), age / 20);
}

function stillRunning({ level, line, startedAt, usual }: Health): Health {
  const outcome = "is still running after 24 h";
  return {
    startedAt,
    usual,
    kind: "not-yet",
    level,
    outcome,
    line: ["I stopped watching", line].filter(Boolean).join(" · "),
    excerpt: [],
  };
}

/** False: the lease was lost. */
async function saveAndDeliver(deps: WorkflowParts, { change, lease }: Followed, polled: PollResult): Promise<boolean> {
  const moved = await savePoll(deps, { change, lease }, polled);
  if (moved !== undefined && isNews(change, polled)) await deps.deliver({ id: requestIdOf(change.id) }, change.teamId);
  return moved !== undefined;
}

/** Polling ends for a request that can't be opened any more. */
function unopened(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
}

type Opened = { readonly request: OpenRequest; readonly signal: AbortSignal };

function readingFor(deps: WorkflowParts, { change }: Pick<Followed, "change">, { request, signal }: Opened) {
  const reading = apiFor(deps, request, signal);
  const { id, workload } = change;
  const of = { ...reading, account: request.account.username, workload, who: `health ${id}` };
  return {
    ...reading,
    clock: deps.clock,
    logZone: deps.settings.logZone,
    redact: (lines: readonly string[]) => redacted(deps, lines, of),
  };
}

/** Lines that can't be redacted in time, or before the stop, are not shown. */
async function redacted(
  { logs }: WorkflowParts,
  lines: readonly string[],
  of: Parameters<WorkloadLogs["redact"]>[1],
): Promise<readonly Redacted[]> {
  try {
    return await logs.redact(lines, of);
  } catch (error) {
    if (error instanceof UserError || of.signal.aborted) return [];
    throw error;
  }
}

/** Between two clocks, the database's and ours: good for minutes. */
function ageMs({ now }: Pick<Clock, "now">, { settledAt, createdAt }: StoredChange): number {
  return now().getTime() - (settledAt ?? createdAt).getTime();
}

/** Polls of one list that are due within this time share a call. */
const TOGETHER_MS = 20_000;

type List = Promise<ReadonlyMap<string, Service> | Problem>;

/** Lists by the token of the leases that were taken together: the first poll reads one, and the others use it. */
const listsOfTaken = new LRUCache<string, List>({ max: 8, ttl: 5_000, ttlAutopurge: true });

/**
 * Finds the workload in what was read for others. If other polls of the same list are due soon, reads the list, and has them polled with it.
 * Undefined: the workload has to be read by itself, as during a rollout, which is polled too often for a list.
 */
async function readWithOthers(
  { store }: WorkflowParts,
  { change, lease, isLeftOver, known, withOthers }: Followed,
  reading: Reading,
): Promise<SnapshotRead | Problem | undefined> {
  const { teamId, account, workload, progress } = change;
  if (known !== undefined) return known(workload);
  const { kind, region } = workload;
  if (!isLeftOver || kind !== "service" || progress?.watch?.rolling !== undefined) return undefined;
  const list = { teamId, account: account.username, region, kind } as const; // a literal kind
  const key = `${lease.due.token} ${account.username} ${region}`;
  const kept = listsOfTaken.get(key);
  // No others: they may have been changed since it was read.
  if (kept !== undefined) return findIn(kept)(workload);
  const { isShared, taken } = await store.takeFollowed(list, { withinMs: TOGETHER_MS, beside: lease.due });
  if (!isShared) return undefined;
  const listed = (taken.length === 0 ? listsOfTaken.get(key) : undefined) ?? listServices(region, reading);
  listsOfTaken.set(key, listed);
  withOthers(taken, findIn(listed));
  return findIn(listed)(workload);
}

function findIn(listed: List): ReadInList {
  return async (workload) => {
    const services = await listed;
    return services instanceof Problem ? services : snapshotIn(services, workload);
  };
}

async function listServices(region: string, { api, signal }: Reading): Promise<ReadonlyMap<string, Service> | Problem> {
  try {
    const asked = { op: "listServices", path: { region }, query: undefined, body: undefined } as const; // a literal operation
    const { services } = await api.send(asked, { signal });
    return new Map(services.map((service) => [service.name, service]));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
