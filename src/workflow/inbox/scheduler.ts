import { type Arrivals, createArrivals } from "./arrivals.ts";
import { createLaneQueue, type LaneLimits, type LaneQueue } from "./lane-queue.ts";

/** Work that runs after an ack. When aborted, it tells its person and ends. */
export type Work = (signal: AbortSignal) => Promise<void>;

export type Entry<Lane extends string> = {
  readonly lane: Lane;
  readonly owner: string | undefined;
  /** By `performance.now`. */
  readonly addedMs: number;
  readonly work: Work;
  readonly onBegin: () => void;
  /** Called when the work has ended, before the scheduler looks again. */
  readonly onDone: () => void;
};

type Counts = ReturnType<LaneQueue<unknown>["counts"]>;

export type Scheduler<Lane extends string> = {
  readonly arrived: () => void;
  readonly hasRoom: (lane: Lane, owner: string | undefined) => boolean;
  /** Whether or not the lane has room. */
  readonly add: (entry: Entry<Lane>) => void;
  /** Jobs that wait or run. */
  readonly size: () => number;
  readonly counts: (lane: Lane) => Counts;
  readonly abort: () => void;
};

export type SchedulerParts<Lane extends string> = {
  readonly limits: Readonly<Record<Lane, LaneLimits>>;
  readonly onError: (error: unknown) => void;
  readonly arrivals?: Arrivals | undefined;
};

/** So many jobs wait only when interactions come in faster than jobs end. Then acks go first. */
const CROWD = 20;
/** Jobs of a crowd begun in one turn. They mostly wait for a network; this bounds the bursts between their waits. */
const STARTS_AT_ONCE = 16;
/** A crowd waits until no interaction has come in for this long. */
const LULL_MS = 5;
/** In a flood, shorter gaps are jitter of the network: a job that began there would delay the next acks. */
const LULL_IN_FLOOD_MS = 20;
/** Without a lull, a crowd runs one by one after this. A job that has run for so long waits for a network. */
const LONGEST_HOLD_MS = 1_000;

type State<Lane extends string> = {
  /** The lane whose turn is next comes first. */
  readonly queues: Map<Lane, LaneQueue<Entry<Lane>>>;
  readonly controller: AbortController;
  readonly arrivals: Arrivals;
  readonly onError: (error: unknown) => void;
  /** When each running job began; by `performance.now`. */
  readonly begun: Map<Entry<Lane>, number>;
  waiting: number;
  isScheduled: boolean;
  /** Whether an interaction came in since the last turn. */
  hasArrived: boolean;
  /** When a job last began, or began to wait; by `performance.now`. */
  movedMs: number;
};

/** Runs jobs of several lanes after the acks: lanes take turns, and each has places of its own. */
export function createScheduler<Lane extends string>(parts: SchedulerParts<Lane>): Scheduler<Lane> {
  const { limits, onError, arrivals = createArrivals() } = parts;
  const names = Object.keys(limits) as Lane[]; // the keys of a Record
  const state: State<Lane> = {
    queues: new Map(names.map((name) => [name, createLaneQueue(limits[name])])),
    controller: new AbortController(),
    arrivals,
    onError,
    begun: new Map(),
    waiting: 0,
    isScheduled: false,
    hasArrived: false,
    movedMs: 0,
  };
  return {
    arrived() {
      state.hasArrived = true;
      arrivals.count();
    },
    hasRoom: (lane, owner) => queueOf(state, lane).hasRoom(owner),
    add: (entry) => add(state, entry),
    size: () => state.waiting + state.begun.size,
    counts: (lane) => queueOf(state, lane).counts(),
    abort() {
      state.controller.abort();
      schedule(state);
    },
  };
}

function queueOf<Lane extends string>({ queues }: State<Lane>, lane: Lane): LaneQueue<Entry<Lane>> {
  const queue = queues.get(lane);
  if (queue === undefined) throw new Error(`there is no lane ${lane}`);
  return queue;
}

function add<Lane extends string>(state: State<Lane>, entry: Entry<Lane>): void {
  if (state.waiting === 0) state.movedMs = performance.now();
  queueOf(state, entry.lane).push(entry);
  state.waiting += 1;
  schedule(state);
}

/** In the next turn of the event loop, after the ack. A crowd pauses: looking in every turn would delay acks. */
function schedule<Lane extends string>(state: State<Lane>): void {
  if (state.isScheduled || state.waiting === 0) return;
  state.isScheduled = true;
  if (isCrowd(state)) setTimeout(begin, LULL_MS, state);
  else setImmediate(begin, state);
}

function isCrowd<Lane extends string>({ waiting, controller }: State<Lane>): boolean {
  return waiting >= CROWD && !controller.signal.aborted;
}

function begin<Lane extends string>(state: State<Lane>): void {
  state.isScheduled = false;
  for (let left = startsNow(state); left > 0; left -= 1) {
    const entry = next(state);
    // Every place is taken. The end of a job looks again.
    if (entry === undefined) return;
    state.movedMs = performance.now();
    state.begun.set(entry, state.movedMs);
    entry.onBegin();
    void run(state, entry);
  }
  schedule(state);
}

/** How many jobs may begin in this turn. */
function startsNow<Lane extends string>(state: State<Lane>): number {
  const { controller, hasArrived } = state;
  state.hasArrived = false;
  if (controller.signal.aborted) return Number.POSITIVE_INFINITY;
  if (isCrowd(state)) return startsOfCrowd(state);
  // More interactions may be in the socket: they are acked first, unless nothing would run meanwhile.
  return hasArrived && isBusy(state) ? 0 : 1;
}

function startsOfCrowd<Lane extends string>(state: State<Lane>): number {
  const { arrivals, movedMs } = state;
  const isFlood = arrivals.isFlood();
  const isLull = arrivals.quietMs() >= (isFlood ? LULL_IN_FLOOD_MS : LULL_MS);
  if (!isLull && performance.now() - movedMs < LONGEST_HOLD_MS) return 0;
  if (!isFlood) return STARTS_AT_ONCE;
  return isBusy(state) ? 0 : 1;
}

function isBusy<Lane extends string>({ begun }: State<Lane>): boolean {
  const now = performance.now();
  return [...begun.values()].some((since) => now - since < LONGEST_HOLD_MS);
}

function next<Lane extends string>(state: State<Lane>): Entry<Lane> | undefined {
  const { queues, controller } = state;
  for (const [lane, queue] of queues) {
    const entry = queue.take(controller.signal.aborted);
    if (entry === undefined) continue;
    queues.delete(lane);
    queues.set(lane, queue);
    state.waiting -= 1;
    return entry;
  }
  return undefined;
}

async function run<Lane extends string>(state: State<Lane>, entry: Entry<Lane>): Promise<void> {
  try {
    await entry.work(state.controller.signal);
  } catch (error) {
    state.onError(error);
  }
  state.begun.delete(entry);
  queueOf(state, entry.lane).done(entry);
  entry.onDone();
  schedule(state);
}
