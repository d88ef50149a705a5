import { createScheduler, type LaneLimits, type LaneName, type Work } from "./scheduler.ts";
import type { Clock } from "../../../platform/clock.ts";
import { later, annotate } from "../../../platform/trail.ts";
import { unawaited, within } from "../../../platform/waiting.ts";

export type Job = {
  readonly lane: LaneName;
  /** Owners take turns: the id of the person who waits for the job. */
  readonly owner?: string;
};

export type LaneStatus = {
  readonly running: number;
  readonly waiting: number;
  /** Age of the job that has waited longest, in milliseconds; 0 when none waits. */
  readonly oldestMs: number;
};

export type Lanes = {
  /** An interaction came in. Jobs step back while they come in quickly. */
  readonly arrived: () => void;
  /** Runs work after the acks. False, and nothing is done, when the lane is full. */
  readonly add: (job: Job, work: Work) => boolean;
  /** Whether `add` would accept a job now. */
  readonly hasRoom: (job: Job) => boolean;
  /** Counts something outside the lanes that has to end before the bot does. */
  readonly track: <Result>(work: Promise<Result>) => Promise<Result>;
  /** The same for work without a caller that waits: errors are logged. */
  readonly background: (work: Promise<unknown>) => void;
  readonly isStopping: () => boolean;
  /** Resolves when nothing runs or waits. */
  readonly idle: () => Promise<void>;
  /** Waits for a while, then aborts the remaining work and waits until its people have an answer. Never rejects. */
  readonly drain: () => Promise<DrainResult>;
  readonly status: () => Readonly<Record<LaneName, LaneStatus>>;
};

export type LanesParts = {
  readonly drain: DrainLimits;
  readonly onError: (error: unknown) => void;
  readonly clock: Pick<Clock, "elapsedMs" | "after">;
  /** A lane had no room for a job. */
  readonly onFull?: ((lane: LaneName) => void) | undefined;
};

/** Each lane has places of its own, so none can hold up another. An entry holds a command's words and no more. */
const limits: Readonly<Record<LaneName, LaneLimits>> = {
  /** Reads, forms, and requests until they are stored. Most of it waits for the workload API or for Slack. */
  people: { atOnce: 96, perOwner: 8, most: 5_000 },
  /** Approvals, rejections and cancellations. */
  decisions: { atOnce: 32, perOwner: 4, most: 2_000 },
  /** Runs, polls, messages. Kinds of due work have limits of their own; the runs of a person are limited here. */
  due: { atOnce: 256, perOwner: 32, most: 5_000 },
};

export const laneNames = Object.keys(limits) as LaneName[]; // the keys of the table above

/** Lanes that a person waits for. */
const answering: ReadonlySet<LaneName> = new Set(["people", "decisions"]);

/** Work that begins after its ack, in bounded and fair lanes. */
export function createLanes({ drain: ending, onError, clock, onFull }: LanesParts): Lanes {
  const scheduler = createScheduler({ limits, onError, clock });
  const { look, ...drain } = createDrain(ending, scheduler, clock);
  const hasRoom: Lanes["hasRoom"] = ({ lane, owner }) => {
    if (scheduler.hasRoom(lane, owner)) return true;
    onFull?.(lane);
    annotate({ outcome: "busy" });
    return false;
  };
  return {
    arrived: scheduler.arrived,
    add(job, work) {
      if (!hasRoom(job)) return false;
      const { lane, owner } = job;
      const entry = { lane, owner, addedMs: clock.elapsedMs(), work: later(lane, work, answering.has(lane)) };
      scheduler.add({ ...entry, onDone: look });
      return true;
    },
    hasRoom,
    ...drain,
    background: (work) => unawaited(drain.track(work), onError),
    status: () =>
      Object.fromEntries(
        laneNames.map((name) => {
          const { running, waiting, oldestMs } = scheduler.counts(name);
          const ageMs = oldestMs === undefined ? 0 : Math.round(clock.elapsedMs() - oldestMs);
          return [name, { running, waiting, oldestMs: ageMs }];
        }),
      ) as Readonly<Record<LaneName, LaneStatus>>, // all names
  };
}

export type DrainLimits = {
  /** How long work may go on after the bot was asked to stop, in milliseconds. */
  readonly graceMs: number;
  /** How long aborted work may take to tell its people. */
  readonly goodbyeMs: number;
};

export type DrainResult = { readonly aborted: number; readonly left: number };

/** Together below 20 s: within that time an accepted command ends, or its person gets an answer. */
export const drainLimits: DrainLimits = { graceMs: 12_000, goodbyeMs: 6_000 };

type Jobs = {
  /** Jobs that wait or run. */
  readonly size: () => number;
  readonly abort: () => void;
};

/** Counts what has to end before the bot does, and ends it. */
function createDrain({ graceMs, goodbyeMs }: DrainLimits, jobs: Jobs, clock: Pick<Clock, "after">) {
  let tracked = 0;
  let isStopping = false;
  const size = (): number => tracked + jobs.size();
  const waiting = new Set<() => void>();
  /** To be called after the end of each job. */
  const look = (): void => {
    if (size() > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const idle = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    // In a later turn: by then, a delivery that was just acked has added its job.
    setImmediate(look);
    return promise;
  };
  return {
    track<Result>(work: Promise<Result>): Promise<Result> {
      tracked += 1;
      // The promise of `finally`: a failure that nobody awaits must not pass for handled.
      return work.finally(() => {
        tracked -= 1;
        look();
      });
    },
    isStopping: () => isStopping,
    idle,
    async drain(): Promise<DrainResult> {
      isStopping = true;
      await within(graceMs, idle(), () => undefined, clock);
      const aborted = size();
      if (aborted > 0) {
        jobs.abort();
        await within(goodbyeMs, idle(), () => undefined, clock);
      }
      return { aborted, left: size() };
    },
    look,
  };
}
