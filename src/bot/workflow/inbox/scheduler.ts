import { type Arrivals, createArrivals } from "./arrivals.ts";
import { createLaneQueue, type LaneLimits, type LaneQueue } from "./lane-queue.ts";
import { unawaited } from "../../../platform/unawaited.ts";

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

/** Jobs that may begin in the places of others. */
const MOST_PLACES = 64;
/** Jobs that wait beyond those places. More means that interactions come in faster than they are answered. */
const MOST_BEHIND = 16;
/** Without an interaction. */
const BURST_ENDS_AFTER_MS = 50;
/** Jobs begun in one turn after a lull. They mostly wait for a network; this bounds the bursts between their waits. */
const STARTS_AT_ONCE = 16;
/** No interaction has come in for this long. */
const LULL_MS = 5;
/** In a flood, shorter gaps are jitter of the network: a job that began there would delay the next acks. */
const LULL_IN_FLOOD_MS = 20;
/** Without a lull, jobs run one by one after this. A job that has run for so long waits for a network. */
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
  /** Jobs that ended in this burst, and in whose place none has begun. */
  places: number;
  /** Whether an interaction came in since the last turn. */
  hasArrived: boolean;
  /** Looks for a lull. */
  timer: NodeJS.Timeout | undefined;
  /** Whether jobs begin in the next turn of the event loop. */
  isDue: boolean;
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
    places: 0,
    hasArrived: false,
    timer: undefined,
    isDue: false,
    movedMs: 0,
  };
  return {
    arrived() {
      if (arrivals.quietMs() >= BURST_ENDS_AFTER_MS) state.places = 0;
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

/** In the next turn of the event loop, after the ack; else with a pause, because a look in every turn delays acks. */
function schedule<Lane extends string>(state: State<Lane>): void {
  if (state.isDue || state.waiting === 0) return;
  if (state.controller.signal.aborted || mayBegin(state)) {
    state.isDue = true;
    clearTimeout(state.timer);
    setImmediate(begin, state);
  } else {
    state.timer ??= setTimeout(begin, LULL_MS, state);
  }
}

/**
 * Whether a job may begin without a lull. Acks go first: a job that begins while interactions come in delays them. Alone
 * it begins at once, and in a burst in the place of one that has ended. When many more jobs wait than have ended,
 * interactions come in faster than they are answered, and jobs wait for a lull.
 */
function mayBegin<Lane extends string>(state: State<Lane>): boolean {
  const { waiting, places } = state;
  const hasPlace = places > 0 && waiting <= places + MOST_BEHIND;
  return hasPlace || (waiting === 1 && !isBusy(state));
}

function begin<Lane extends string>(state: State<Lane>): void {
  state.isDue = false;
  state.timer = undefined;
  for (let left = startsNow(state); left > 0; left -= 1) {
    const entry = next(state);
    // Every place is taken. The end of a job looks again.
    if (entry === undefined) return;
    state.movedMs = performance.now();
    state.begun.set(entry, state.movedMs);
    entry.onBegin();
    unawaited(run(state, entry), state.onError);
  }
  schedule(state);
}

/** How many jobs may begin in this turn. */
function startsNow<Lane extends string>(state: State<Lane>): number {
  const { controller, arrivals, movedMs, hasArrived } = state;
  state.hasArrived = false;
  if (controller.signal.aborted) return Number.POSITIVE_INFINITY;
  if (mayBegin(state)) {
    // More interactions may be in the socket.
    if (hasArrived && isBusy(state)) return 0;
    state.places = Math.max(0, state.places - 1);
    return 1;
  }
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
  state.places = Math.min(MOST_PLACES, state.places + 1);
  queueOf(state, entry.lane).done(entry);
  entry.onDone();
  schedule(state);
}
