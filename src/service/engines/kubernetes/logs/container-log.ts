import { setTimeout as sleep } from "node:timers/promises";
import { type BackOff, delayAfter } from "../../../workloads/lifecycle/back-off.ts";
import { KubeError } from "../cluster/kube-api.ts";
import type { ContainerSource } from "./container-source.ts";
import { readLog, type Reading, type ReadingDeps, type ReadingEnd, sourceKey } from "./log-reading.ts";
import type { Opening } from "./opening.ts";
import type { Places } from "./places.ts";
import { type Position, positionOf } from "./position.ts";

export type ContainerLogDeps = ReadingDeps & {
  readonly opening: Opening;
  readonly places: Places;
  /** After an error of this container's log. */
  readonly backOffMs: BackOff;
  readonly onEvent: (message: string, data: object) => void;
};

export type ContainerLog = {
  /** Takes the container's newest state. */
  readonly update: (source: ContainerSource) => void;
  /** The pod is gone: what is being read is read to its end. */
  readonly podGone: () => void;
  /** Resolves, never rejects, when nothing more can be read, or `signal` was aborted. */
  readonly over: Promise<void>;
};

/** Collects the log of one container, through all its restarts, until its pod is gone. */
export function collectContainer(deps: ContainerLogDeps, first: ContainerSource, signal: AbortSignal): ContainerLog {
  const life: Life = { source: first, isGone: false, position: undefined, readRun: -1, endedRun: -1, noted: undefined };
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const wait = (ms?: number) => waitFor(changed.promise, { ms, signal });
  return {
    update(source) {
      const { run, is } = life.source.state;
      life.source = source;
      if (run !== source.state.run || is !== source.state.is) wake();
    },
    podGone() {
      life.isGone = true;
      wake();
    },
    over: live(life, { ...deps, wait, signal }).catch((error: unknown) => {
      if (!signal.aborted) deps.onEvent("collecting a container's log failed", { error, pod: first.pod });
    }),
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
  /** The last note about an error, so that it isn't repeated. */
  noted: string | undefined;
};

type Wait = (ms?: number) => Promise<void>;
type LiveDeps = ContainerLogDeps & { readonly wait: Wait; readonly signal: AbortSignal };

async function live(life: Life, deps: LiveDeps): Promise<void> {
  const key = { workload: life.source.workload, source: sourceKey(life.source) };
  life.position = await stored(deps, key);
  // A pod that is gone isn't asked again: another one may have its name by now.
  for (let failures = 0; !life.isGone;) {
    if (life.readRun >= life.source.state.run) {
      await deps.wait();
      continue;
    }
    try {
      await readTurn(life, deps);
      failures = 0;
    } catch (error) {
      deps.signal.throwIfAborted();
      deps.opening.failed(error);
      if (isGoneError(error)) life.isGone = true;
      else await pauseAfter(error, { life, deps, failures: (failures += 1) });
    }
  }
  noteGone(life, deps);
  await deps.logs.endSource(key).catch(() => undefined); // a cursor that stays is harmless
}

/** A container that was waiting may have run once more, unseen, as a failing job does before its pod is removed. */
function noteGone({ source, readRun, endedRun }: Life, { logs }: LiveDeps): void {
  const { state, workload, pod } = source;
  if (Math.max(readRun, endedRun) >= state.run && state.is !== "waiting") return;
  logs.append(workload, pod, "[gantry] the last lines can be missing: the pod was gone before they were read");
}

/** The database may be away at the start. */
async function stored({ logs, backOffMs, signal }: LiveDeps, key: { workload: string; source: string }) {
  for (let failures = 1; ; failures += 1) {
    try {
      const cursor = await logs.collected(key);
      return cursor === undefined ? undefined : positionOf(cursor);
    } catch {
      await sleep(delayAfter(failures, backOffMs), undefined, { signal });
    }
  }
}

/** Reads while it has a place: what is left of the run before, then the current run. */
async function readTurn(life: Life, deps: LiveDeps): Promise<void> {
  const giveBack = await deps.places.take(deps.signal);
  try {
    await readPrevious(life, deps);
    const { state } = life.source;
    const isRunning = state.is === "running";
    const end = await read(life, deps, { run: state.run, which: isRunning ? "follow" : "rest" });
    if (end !== "end") return;
    life.endedRun = state.run;
    if (!isRunning) life.readRun = state.run;
    // It ended, which its state says in a moment; or the kubelet ended the request, and it is opened again.
    else if (life.source.state === state && !life.isGone) await deps.wait(ENDED_MS);
  } finally {
    giveBack();
  }
}

/** Within this time the API server says that a container ended. */
const ENDED_MS = 1_000;

/**
 * After a restart the run before is read once more: a follow can end before the last lines of a crashed container, or
 * have fallen silent. Says how many runs are gone.
 */
async function readPrevious(life: Life, deps: LiveDeps): Promise<void> {
  const { state, workload, pod } = life.source;
  const previous = state.run - 1;
  if (previous < 0 || life.readRun >= previous) return;
  noteMissedRuns(life, deps, previous);
  try {
    await read(life, deps, { run: previous, which: "previous" });
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 400)) throw error;
    if (life.endedRun < previous) {
      deps.logs.append(workload, pod, `[gantry] lines before the last restart can be missing: ${error.message}`);
    }
  }
  life.readRun = previous;
}

/** Before the run that is the oldest which Kubernetes still has. */
function noteMissedRuns({ source, readRun, position }: Life, { logs }: LiveDeps, previous: number): void {
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

async function read(life: Life, deps: LiveDeps, what: Pick<Reading, "run" | "which">): Promise<ReadingEnd> {
  await deps.opening.take(deps.signal);
  const began = performance.now();
  const reading = readLog(deps, {
    ...what,
    source: life.source,
    after: life.position,
    signal: deps.signal,
    onLine: (position) => (life.position = position),
    isTurnOver: () => performance.now() - began > deps.turnMs && deps.places.isContended(),
  });
  const end = await reading;
  deps.opening.succeeded();
  life.noted = undefined;
  return end;
}

function isGoneError(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404;
}

type Failure = { readonly life: Life; readonly deps: LiveDeps; readonly failures: number };

async function pauseAfter(error: unknown, { life, deps, failures }: Failure): Promise<void> {
  const { workload, pod } = life.source;
  if (error instanceof KubeError && error.status === 403 && life.noted !== error.message) {
    life.noted = error.message;
    deps.logs.append(workload, pod, `[gantry] newer lines are missing: ${error.message}`);
  }
  const pause = delayAfter(failures, deps.backOffMs);
  await deps.wait(pause / 2 + (Math.random() * pause) / 2);
}

async function waitFor(
  changed: Promise<void>,
  { ms, signal }: { readonly ms: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const late = ms ?? 2 ** 31 - 1;
  const either = AbortSignal.any([signal, over.signal]);
  try {
    await Promise.race([changed, sleep(late, undefined, { signal: either, ref: false })]);
    signal.throwIfAborted();
  } finally {
    over.abort();
  }
}
