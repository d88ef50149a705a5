import { backOffMs, orAborted, within } from "../../../../platform/waiting.ts";
import { delayAfter } from "../../../workloads/lifecycle/back-off.ts";
import { KubeError, KubeUnreachable } from "../cluster/kube-api.ts";
import type { CollectorParts } from "./collector-parts.ts";
import type { ContainerSource, ContainerState } from "./log-sources.ts";
import { endMark, markRead, WHOLE } from "./read-marks.ts";
import { readLog, type Reading, type ReadingEnd, sourceKey } from "./log-reading.ts";
import type { Place } from "./open-limits.ts";
import { momentOf, type Position, positionOf } from "./log-lines.ts";

export type ContainerLog = {
  /** Takes the container's newest state. */
  readonly update: (source: ContainerSource) => void;
  /** Resolves when it was looked at, if it isn't followed at the moment. */
  readonly look: () => Promise<void>;
  /** The pod is gone: what is being read is read to its end. */
  readonly podGone: () => void;
  /** Resolves, never rejects, when nothing more can be read, or `signal` was aborted. */
  readonly over: Promise<void>;
};

/** Collects the log of one container, through all its restarts, until its pod is gone. */
export function collectContainer(parts: CollectorParts, first: ContainerSource, signal: AbortSignal): ContainerLog {
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const wait = async (ms?: number): Promise<void> => {
    const waiting = changed.promise;
    await orAborted(ms === undefined ? waiting : within(ms, waiting, () => undefined, parts.clock), signal);
  };
  const life: Life = {
    source: first,
    isGone: false,
    position: undefined,
    readRun: -1,
    endedRun: -1,
    openRun: -1,
    marking: Promise.resolve(),
    noted: undefined,
    quietSince: parts.clock.elapsedMs(),
    readAt: Number.NEGATIVE_INFINITY,
    resting: undefined,
    looked: undefined,
    wait,
    signal,
  };
  return {
    update(source) {
      const { state, isLeaving } = life.source;
      const isSame = state.run === source.state.run && state.is === source.state.is;
      // The same object, because readers compare it.
      life.source = isSame ? { ...source, state } : source;
      if (!isSame || isLeaving !== source.isLeaving) wake();
    },
    async look() {
      if (!life.resting) return;
      life.looked ??= Promise.withResolvers<void>();
      wake();
      await life.looked.promise;
    },
    podGone() {
      life.isGone = true;
      wake();
    },
    over: live(life, parts)
      .catch((error: unknown) => {
        if (!signal.aborted) parts.onEvent("collecting a container's log failed", { error, pod: first.pod });
      })
      .finally(() => endRest(life))
      .then(() => life.marking),
  };
}

type Life = {
  source: ContainerSource;
  isGone: boolean;
  position: Position | undefined;
  /** The newest run that was read to its end. */
  readRun: number;
  /** The newest run whose follow ended with it. */
  endedRun: number;
  /** The newest run whose lines up to now were read, which is noted in the log store. */
  openRun: number;
  marking: Promise<void>;
  /** The last note about an error, so that it isn't repeated. */
  noted: string | undefined;
  /** When its newest line was written; of `clock.elapsedMs`. */
  quietSince: number;
  /** When it was read last; of `clock.elapsedMs`. */
  readAt: number;
  /** It gave its place away in this state, and nobody follows it. */
  resting: ContainerState | undefined;
  /** Somebody waits for a look at it. */
  looked: PromiseWithResolvers<void> | undefined;
  /** Until something about the container changes, or for so long. Rejects with the reason of an aborted signal. */
  readonly wait: (ms?: number) => Promise<void>;
  readonly signal: AbortSignal;
};

async function live(life: Life, parts: CollectorParts): Promise<void> {
  const key = { workload: life.source.workload, source: sourceKey(life.source) };
  life.position = await stored(parts, key, life.signal);
  if (life.position) life.quietSince -= ageMs(life.position, parts);
  // A pod that is gone isn't asked again: another one may have its name by now.
  for (let failures = 0; !life.isGone;) {
    if (life.readRun >= life.source.state.run) {
      await life.wait();
      continue;
    }
    try {
      await readTurn(life, parts);
      failures = 0;
    } catch (error) {
      life.signal.throwIfAborted();
      endRest(life);
      parts.opening.failed(error);
      if (error instanceof KubeError && error.status === 404) life.isGone = true;
      else await pauseAfter(error, { life, parts, failures: (failures += 1) });
    }
  }
  noteGone(life, parts);
  // What stays is harmless.
  await parts.logs.endSource(key).catch(() => undefined);
  await life.marking;
  await endMark(parts.logs, life.source).catch(() => undefined);
}

/** A container that was waiting may have run once more, unseen, as a failing job does before its pod is removed. */
function noteGone({ source, readRun, endedRun }: Life, { logs }: CollectorParts): void {
  const { state, workload, pod } = source;
  if (Math.max(readRun, endedRun) >= state.run && state.is !== "waiting") return;
  logs.append(workload, pod, "[gantry] the last lines can be missing: the pod was gone before they were read");
}

/** The database may be away at the start. */
async function stored(
  { logs, clock, backOffMs }: CollectorParts,
  key: { workload: string; source: string },
  signal: AbortSignal,
): Promise<Position | undefined> {
  for (let failures = 1; ; failures += 1) {
    try {
      const cursor = await logs.collected(key);
      return cursor === undefined ? undefined : positionOf(cursor);
    } catch {
      await clock.sleep(delayAfter(failures, backOffMs), signal);
    }
  }
}

/** Reads while it has a place: what is left of the run before, then the current run. */
async function readTurn(life: Life, parts: CollectorParts): Promise<void> {
  if (life.resting) return await rest(life, parts, life.resting);
  const place = await parts.places.take(life.signal);
  const began = parts.clock.elapsedMs();
  try {
    await readPrevious(life, parts);
    const { state } = life.source;
    if (state.is === "running") return await follow(life, parts, { state, place, began });
    const end = await read(life, parts, { run: state.run, which: "rest" });
    if (end !== "end") return;
    life.endedRun = state.run;
    await life.marking;
    await markRead(parts.logs, life.source, { run: state.run, by: WHOLE });
    life.readRun = state.run;
  } finally {
    place.giveBack();
  }
}

type Following = { readonly state: ContainerState; readonly place: Place; readonly began: number };

async function follow(life: Life, parts: CollectorParts, { state, place, began }: Following): Promise<void> {
  const end = await read(life, parts, { run: state.run, which: "follow", place });
  const isSame = life.source.state === state && !life.isGone;
  if (end === "turn" && isSame && !life.source.isLeaving && life.quietSince < began) life.resting = state;
  if (end !== "end") return;
  life.endedRun = state.run;
  // It ended, which its state says in a moment; or the kubelet ended the request, and it is opened again.
  if (isSame) await life.wait(ENDED_MS);
}

/** Looks whether a quiet log has new lines: after a pause, or when somebody reads it. New lines want a place again. */
async function rest(life: Life, parts: CollectorParts, state: ContainerState): Promise<void> {
  const pauseMs = between(parts.turnMs, parts.clock.elapsedMs() - life.quietSince, parts.longestRestMs);
  // A little apart, so that logs that began to rest together aren't looked at together each time.
  if (!life.looked) await life.wait(pauseMs * (0.5 + Math.random() / 2));
  if (life.isGone || life.source.isLeaving || life.source.state !== state) return endRest(life);
  const before = life.position;
  const place = await parts.looks.take(life.signal);
  try {
    await read(life, parts, { run: state.run, which: "look" });
  } finally {
    place.giveBack();
  }
  if (life.position !== before) return endRest(life);
  life.looked?.resolve();
  life.looked = undefined;
}

function endRest(life: Life): void {
  life.resting = undefined;
  life.looked?.resolve();
  life.looked = undefined;
}

function between(least: number, ms: number, most: number): number {
  return Math.min(most, Math.max(least, ms));
}

/** Within this time the API server says that a container ended. */
const ENDED_MS = 1_000;

/**
 * After a restart the run before is read once more: a follow can end before the last lines of a crashed container, or
 * have fallen silent. Says how many runs are gone.
 */
async function readPrevious(life: Life, parts: CollectorParts): Promise<void> {
  const { state, workload, pod } = life.source;
  const previous = state.run - 1;
  if (previous < 0 || life.readRun >= previous) return;
  noteMissedRuns(life, parts, previous);
  try {
    const end = await read(life, parts, { run: previous, which: "previous" });
    if (end !== "end") throw new KubeUnreachable("the log of the run before wasn't sent to its end");
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 400)) throw error;
    if (life.endedRun < previous) {
      parts.logs.append(workload, pod, `[gantry] lines before the last restart can be missing: ${error.message}`);
    }
  }
  life.readRun = previous;
}

/** Before the run that is the oldest which Kubernetes still has. */
function noteMissedRuns({ source, readRun, position }: Life, { logs }: CollectorParts, previous: number): void {
  const note = (text: string): void => logs.append(source.workload, source.pod, `[gantry] ${text}`);
  const begun = position?.run ?? -1;
  if (begun > readRun && begun < previous) {
    note("the last lines of an earlier run can be missing: Kubernetes keeps two runs");
  }
  const missed = previous - Math.max(readRun, begun) - 1;
  if (missed <= 0) return;
  const runs = missed === 1 ? "1 run" : `${missed} runs`;
  note(`the log of ${runs} before is missing: Kubernetes keeps the last two`);
}

/** A line that comes later than this in a follow was just written, whatever the clock of its node says. */
const LIVE_MS = 2_000;

/** Only a follow has no end of its own, so only it may have to give its place to others. */
type What = Pick<Reading, "run" | "which"> & { readonly place?: Place };

async function read(life: Life, parts: CollectorParts, { place, ...what }: What): Promise<ReadingEnd> {
  await parts.opening.take(life.signal);
  const began = parts.clock.elapsedMs();
  const end = await readLog(parts, {
    ...what,
    source: life.source,
    after: life.position,
    wasFollowed: life.endedRun >= what.run,
    signal: life.signal,
    idleMs: () =>
      what.which === "follow" ? between(parts.idleMs, began - life.quietSince, parts.longestIdleMs) : parts.idleMs,
    onLine(position) {
      const at = parts.clock.elapsedMs();
      life.position = position;
      // A new line was written after the last reading.
      life.quietSince = at - began > LIVE_MS ? at : Math.max(at - ageMs(position, parts), life.readAt);
    },
    onCaughtUp() {
      if (what.which === "follow") markOpen(life, parts, what.run);
    },
    onTurnOver: (leave) => place?.offer({ leave, quietSince: () => life.quietSince }),
  });
  life.readAt = parts.clock.elapsedMs();
  parts.opening.succeeded();
  life.noted = undefined;
  return end;
}

/** Tried again with the next lines if the database can't be used. */
function markOpen(life: Life, { logs, collector }: CollectorParts, run: number): void {
  if (life.openRun >= run) return;
  life.openRun = run;
  life.marking = markRead(logs, life.source, { run, by: collector }).catch(() => void (life.openRun = -1));
}

function ageMs({ time }: Position, { clock }: Pick<CollectorParts, "clock">): number {
  return Math.max(0, clock.now().getTime() - momentOf(time).getTime());
}

type Failure = { readonly life: Life; readonly parts: CollectorParts; readonly failures: number };

async function pauseAfter(error: unknown, { life, parts, failures }: Failure): Promise<void> {
  const { workload, pod } = life.source;
  if (error instanceof KubeError && error.status === 403 && !error.isEarly && life.noted !== error.message) {
    life.noted = error.message;
    parts.logs.append(workload, pod, `[gantry] newer lines are missing: ${error.message}`);
  }
  const { first: firstMs, max: longestMs } = parts.backOffMs;
  await life.wait(backOffMs(failures, { firstMs, longestMs, jitter: 0.5 }));
}
