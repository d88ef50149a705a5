import type { WorkloadLogs } from "../access/workload-logs.ts";
import type { Redacted } from "../../../api/redacted.ts";
import type { Change, WorkloadRef } from "../../changes/change.ts";
import {
  type Poll,
  pollChanged,
  pollJob,
  type PollResult,
  unwatched,
  atLast,
  joined,
  judgePoll,
  promisesWayBack,
} from "../../changes/health.ts";
import {
  type LogReading,
  type Failing,
  failingLines,
  type Reading,
  readSnapshot,
  type SnapshotRead,
} from "../../changes/read-workload.ts";
import { keeping } from "../../changes/execute.ts";
import { FOLLOWED_FOR_MS, MOST_CALLS } from "../../changes/service-poll.ts";
import { doneOf, type Health, isPartId, type StoredChange, uidOf } from "../../changes/stored-change.ts";
import { isFollowed, isLateHealth, overtakenWords, seenOf } from "../../views/kit/health.ts";
import { UserError } from "../../errors.ts";
import { advance } from "../history.ts";
import { type Next, step } from "../lifecycle.ts";
import type { OutsideLane } from "../inbox/scheduler.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Advanced, Inserted } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import type { Lease } from "./send.ts";
import { usualTime } from "./usual-time.ts";
import { apiFor, openRequest, type OpenRequest } from "../open-request.ts";
import { changeIn, contentOf } from "../stored-request.ts";
import { storeWayBack } from "./way-back.ts";
import type { Service } from "../../../api/answers.ts";
import type { GuardedAccountApi } from "../../../api/client.ts";
import { Problem } from "../../../api/problem.ts";
import { serviceSnapshot } from "../../changes/updatable-fields.ts";

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
  /** The way back of a deploy that doesn't get ready is stored and has to be carried on. */
  readonly onBack: (back: Inserted) => void;
};

/** The first poll is early: some workloads are ready, or fail, at once. */
export const FIRST_POLL_MS = 2_000;
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
  let back: Inserted | undefined;
  const polled = await withRequest(deps, followed, async (request): Promise<PollResult | undefined> => {
    const { wait, ...reading } = readingFor(deps, followed, { request, signal });
    if (!isLeftOver) await outsideLane(wait(FIRST_POLL_MS));
    if (signal.aborted) return undefined;
    const seen = await pollWorkload(deps, { change, request }, reading);
    // Before the trouble is stored: a later poll doesn't begin a way back.
    if (seen.stuck && !signal.aborted) {
      back = await storeWayBack(deps, { stored: change, content: request.content, now: seen.stuck });
    }
    return seen;
  });
  try {
    return !signal.aborted && polled !== undefined && (await saveAndDeliver(deps, followed, polled));
  } finally {
    if (back !== undefined) followed.onBack(back);
  }
}

/** Its last known health, when polling ends early. */
export function leftAlone({ progress }: StoredChange): Health {
  const { watch: _, ...seen } = progress ?? unwatched;
  return seen.kind === "watching" ? { ...seen, kind: "not-yet" } : seen;
}

async function pollWorkload(
  deps: Pick<WorkflowParts, "clock" | "sealer" | "settings" | "store">,
  { change: stored, request }: { readonly change: StoredChange; readonly request: OpenRequest },
  reading: LogReading,
): Promise<PollResult> {
  const change = changeIn(request.content);
  const age = ageMs(deps.clock, stored);
  if (stored.op === "createJob") {
    const health = await pollJob(change, { uid: uidOf(stored), ageMs: age }, reading);
    const { startedAt, usual = await usualTime(deps, stored, change) } = stored.progress ?? {};
    return jobResult({ ...(startedAt !== undefined && { startedAt }), ...(usual && { usual }), ...health }, age);
  }
  return pollChanged(await pollOf(deps, { stored, change, ageMs: age }), reading);
}

type Changed = { readonly stored: StoredChange; readonly change: Change; readonly ageMs: number };

/** What `judgePoll` needs beside the workload it reads. */
export async function pollOf(
  { clock, settings, store }: Pick<WorkflowParts, "clock" | "settings" | "store">,
  { stored, change, ageMs }: Changed,
): Promise<Poll> {
  const { healthyAfterMs, resourcesKey } = settings;
  const done = doneOf(stored);
  const uid = done?.after?.uid ?? change.workload.uid;
  const nowMs = clock.now().getTime();
  const changedSince = await store.changedSince(stored);
  const seen = { isConfirmed: done !== undefined, uid, left: done?.after, changedSince };
  return { change, progress: stored.progress, nowMs, ageMs, healthyAfterMs, resourcesKey, ...seen };
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
async function saveAndDeliver(
  deps: Pick<WorkflowParts, "clock" | "deliver" | "log" | "store">,
  { change, lease }: Followed,
  polled: PollResult,
): Promise<boolean> {
  const moved = await savePoll(deps, { change, lease }, polled);
  if (moved !== undefined && isNews(change, polled)) await deps.deliver(change, change.teamId);
  return moved !== undefined;
}

/** Whether its card changes. */
export function isNews(change: StoredChange, { health, outcome }: PollResult): boolean {
  return outcome !== undefined || JSON.stringify(shownOf(health)) !== JSON.stringify(shownOf(seenOf(change)));
}

function shownOf(seen: Health | undefined) {
  return [seen?.kind, seen?.level, seen?.outcome, seen?.gone, seen?.line, seen?.digest, seen?.startedAt, seen?.usual];
}

/**
 * Stores a poll. History gets a row when the workload is first seen in trouble, and one when it recovers. Undefined: the lease was
 * lost to another replica.
 */
export async function savePoll(
  deps: Pick<WorkflowParts, "clock" | "log" | "store">,
  { change, lease: { due } }: Pick<Followed, "change" | "lease">,
  polled: PollResult,
): Promise<StoredChange | undefined> {
  const kept = withPromise(change, polled);
  const { health, outcome, nextMs } = kept;
  // The request has one lease for all its parts.
  const later = nextMs === undefined ? "over" : { ms: nextMs };
  const next: Next = isPartId(change.id) ? "kept" : later;
  const turn = turnOf(change, health);
  if (outcome !== undefined) {
    const { ending } = change;
    const accepted = ending?.kind === "run" && ending.outcome.kind === "asked" ? ending.outcome : {};
    const progress = turn === undefined ? health : undefined;
    const isAll = nextMs !== undefined && turn === undefined;
    const shown = { due, next: isAll ? next : "kept", outcome: keeping(outcome, accepted), progress } as const; // a literal
    const confirmed = await advance(deps, change, { ...step("confirm", shown), result: "took effect" });
    if (confirmed.kind !== "moved" || isAll) return movedOf(confirmed);
  }
  if (turn !== undefined) {
    const seen = nextMs === undefined ? { due, next, health } : { due, next, progress: health };
    return movedOf(await advance(deps, change, { ...step(turn, seen), result: newsOf(change, health) }));
  }
  const isShown = isNews(change, kept);
  const seen =
    nextMs === undefined
      ? step("follow", { due, next, health, isNews: isShown })
      : step("observe", { due, next, progress: health, isNews: isShown });
  return movedOf(await deps.store.advance(change.id, seen, undefined));
}

/** The row of history that this poll adds: for the first trouble, or for the recovery. */
function turnOf(change: StoredChange, { kind }: Health): "trouble" | "recover" | undefined {
  const wasInTrouble = change.progress?.kind === "trouble";
  if (kind === "trouble") return wasInTrouble ? undefined : "trouble";
  return wasInTrouble && kind === "reached" && !isLateHealth(change) ? "recover" : undefined;
}

/** If the card promised a way back and none was begun, the last poll says so. */
function withPromise({ diff }: Pick<StoredChange, "diff">, polled: PollResult): PollResult {
  const { health, nextMs } = polled;
  const isOpen = (health.kind === "not-yet" || health.kind === "unwatched") && health.level !== "healthy";
  if (nextMs !== undefined || !isOpen || overtakenWords(health) !== undefined || !promisesWayBack(diff)) return polled;
  return { ...polled, health: { ...health, line: joined(health.line, "not rolled back: nobody watches it any more") } };
}

function movedOf(advanced: Advanced): StoredChange | undefined {
  return advanced.kind === "moved" ? advanced.change : undefined;
}

/** "web keeps crashing: exited with code 137", "web got healthy · 3 of 3 running for 30 s". */
function newsOf({ workload }: StoredChange, { kind, outcome: seen, line }: Health): string {
  const outcome = kind === "reached" ? "got healthy" : (seen ?? "isn't healthy");
  const what = /^(?:\d|the |its )/u.test(outcome) ? `${workload.name}: ${outcome}` : `${workload.name} ${outcome}`;
  return line === "" ? what : `${what} · ${line}`;
}

/** Undefined for an aborted poll. Polling ends for a request that can't be opened any more. */
async function withRequest(
  deps: Pick<WorkflowParts, "accounts" | "log" | "sealer">,
  { change, opened }: Pick<Followed, "change" | "opened">,
  poll: (request: OpenRequest) => Promise<PollResult | undefined>,
): Promise<PollResult | undefined> {
  let request: OpenRequest;
  try {
    request = opened ?? (await openRequest(deps, change));
  } catch (error) {
    if (error instanceof UserError) return { health: leftAlone(change) };
    throw error;
  }
  return poll(request);
}

type Opened = { readonly request: OpenRequest; readonly signal: AbortSignal };

export function readingFor(
  deps: Pick<WorkflowParts, "api" | "clock" | "logs" | "settings">,
  { change }: Pick<Followed, "change">,
  { request, signal }: Opened,
) {
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
  { logs }: Pick<WorkflowParts, "logs">,
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
export function ageMs({ now }: Pick<Clock, "now">, { settledAt, createdAt }: StoredChange): number {
  return now().getTime() - (settledAt ?? createdAt).getTime();
}

/**
 * Like `follow`, for a request for several workloads once its last part was sent: one list call polls all of them. Each part stores
 * its own result, so any replica goes on.
 */
export async function followParts(deps: WorkflowParts, followed: Followed, signal: AbortSignal): Promise<boolean> {
  const { change: request, lease } = followed;
  if (signal.aborted) return false;
  const left = (request.parts ?? []).filter(({ state, health }) => state === "done" && health === undefined);
  const polled = await pollParts(deps, { ...followed, left }, signal);
  if (polled === undefined) return false;
  for (const { part, ...seen } of polled) {
    if ((await savePoll(deps, { change: part, lease }, seen)) === undefined) return false;
  }
  const next = together(polled.flatMap(({ nextMs }) => nextMs ?? []));
  const isOver = next === undefined && request.state === "done";
  if (next !== undefined) lease.retryIn(next);
  if (isOver) {
    const last = step("follow", { due: lease.due, next: "over", health: unwatched, isNews: false });
    await deps.store.advance(request.id, last, undefined);
  }
  if (polled.some(({ part, ...seen }) => isNews(part, seen))) await deps.deliver(request, request.teamId);
  return isOver;
}

/** Polls that are due within this time share one call. */
const TOGETHER_MS = 20_000;

function together(pauses: readonly number[]): number | undefined {
  const first = Math.min(...pauses);
  return pauses.length === 0 ? undefined : Math.max(...pauses.filter((each) => each <= first + TOGETHER_MS));
}

type Seen = PollResult & { readonly part: StoredChange };
type Left = Followed & { readonly left: readonly StoredChange[] };

/** Undefined when the bot has to stop. */
async function pollParts(
  deps: WorkflowParts,
  { change: request, isLeftOver, left, outsideLane }: Left,
  signal: AbortSignal,
): Promise<readonly Seen[] | undefined> {
  const age = ageMs(deps.clock, request);
  const isTooLate = isLeftOver && age > LEFT_ALONE_MS;
  const opened = isTooLate || !left.some(isFollowed) ? undefined : await openedIfPossible(deps, request);
  if (opened === undefined) return left.map((part) => ({ part, health: leftAlone(part) }));
  const { api, wait } = readingFor(deps, { change: request }, { request: opened, signal });
  if (!isLeftOver) await outsideLane(wait(FIRST_POLL_MS));
  const services = signal.aborted ? undefined : await listed(api, request, signal);
  if (services === undefined) return undefined;
  const seen: Seen[] = [];
  let isLogRead = request.parts?.some((part) => seenOf(part)?.kind === "trouble");
  for (const part of left) {
    const change = isFollowed(part) ? contentOf(deps.sealer, part)?.change : undefined;
    if (change === undefined) {
      seen.push({ part, health: leftAlone(part) });
      continue;
    }
    const lines = async (failing: Failing): Promise<readonly Redacted[]> => {
      // Of several that fail, the first one's log.
      if (isLogRead === true) return [];
      isLogRead = true;
      return failingLines(part.workload, failing, readingFor(deps, { change: part }, { request: opened, signal }));
    };
    const read = services instanceof Problem ? services : await readOf(services, part.workload, { api, signal });
    seen.push({ part, ...(await judgePoll(await pollOf(deps, { stored: part, change, ageMs: age }), read, lines)) });
  }
  if (signal.aborted) return undefined;
  return isLogRead === true ? seen.map(withoutLastPoll) : seen;
}

/** A workload that is missing from the list is read by its name: lists can be incomplete. */
async function readOf(
  services: ReadonlyMap<string, Service>,
  workload: WorkloadRef,
  deps: Reading,
): Promise<SnapshotRead | Problem> {
  const service = services.get(workload.name);
  return service ? { snapshot: serviceSnapshot(service), read: { service } } : await readSnapshot(workload, deps);
}

/** Reading the log used up the call of the last poll. */
function withoutLastPoll(seen: Seen): Seen {
  const { nextMs, health } = seen;
  const isLast = nextMs !== undefined && (health.watch?.calls ?? 0) >= MOST_CALLS - 1;
  return isLast ? { ...seen, nextMs: undefined, health: atLast(health) } : seen;
}

/** Undefined for one that can't be opened any more. */
async function openedIfPossible(
  deps: Pick<WorkflowParts, "accounts" | "log" | "sealer">,
  request: StoredChange,
): Promise<OpenRequest | undefined> {
  try {
    return await openRequest(deps, request);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** The parts of a request are in one region. */
async function listed(
  api: GuardedAccountApi,
  { parts: [first] = [] }: StoredChange,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Service> | Problem> {
  const path = { region: first?.workload.region ?? "" };
  try {
    const { services } = await api.send({ op: "listServices", path, query: undefined, body: undefined }, { signal });
    return new Map(services.map((service) => [service.name, service]));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
