import type { Clock, Timer } from "../../../platform/clock.ts";
import { unawaited } from "../../../platform/waiting.ts";

/** Work that runs after an ack. When aborted, it tells its person and ends. */
export type Work = (signal: AbortSignal, outsideLane: OutsideLane) => Promise<void>;

/** Awaits a pause without a place in the lane: another job has it meanwhile. */
export type OutsideLane = (pause: Promise<void>) => Promise<void>;

export type LaneName = "people" | "decisions" | "due";

export type Entry = {
  readonly lane: LaneName;
  readonly owner: string | undefined;
  /** By the clock's `elapsedMs`. */
  readonly addedMs: number;
  readonly work: Work;
  /** Called when the work has ended, before the scheduler looks again. */
  readonly onDone: () => void;
};

export type Scheduler = {
  readonly arrived: () => void;
  readonly hasRoom: (lane: LaneName, owner: string | undefined) => boolean;
  /** Whether or not the lane has room. */
  readonly add: (entry: Entry) => void;
  /** Jobs that wait or run. */
  readonly size: () => number;
  readonly counts: (lane: LaneName) => ReturnType<LaneQueue["counts"]>;
  readonly abort: () => void;
};

export type SchedulerParts = {
  readonly limits: Readonly<Record<LaneName, LaneLimits>>;
  readonly onError: (error: unknown) => void;
  readonly clock: Pick<Clock, "elapsedMs" | "after">;
};

/** Jobs that begin beside each other while interactions come in: between two turns of the event loop, each may delay an ack. */
const MOST_BESIDE = 3;
/** A job that has run for so long waits for a network. */
const BUSY_MS = 5;
/** When more jobs wait in a flood, interactions come in faster than they can be answered. */
const MOST_BEHIND = 16;
/** No interaction has come in for this long. Shorter gaps are jitter of the network. */
const LULL_MS = 2;
/** Without a lull in a flood, a job begins after this. */
const LONGEST_HOLD_MS = 100;
/** Jobs outside their lane: they go on after a pause without a place, so their number is bounded. */
const MOST_OUTSIDE = 500;

type State = {
  /** The lane whose turn is next comes first. */
  readonly queues: Map<LaneName, LaneQueue>;
  readonly controller: AbortController;
  readonly clock: SchedulerParts["clock"];
  readonly arrivals: Arrivals;
  readonly onError: (error: unknown) => void;
  /** When each running job began; by the clock's `elapsedMs`. */
  readonly begun: Map<Entry, number>;
  waiting: number;
  /** Jobs in a pause. */
  outside: number;
  /** Whether an interaction came in since the last look. */
  hasArrived: boolean;
  /** Looks for a lull. */
  timer: Timer | undefined;
  /** Whether the next turn of the event loop looks. */
  isDue: boolean;
  /** When a job last began, or began to wait; by the clock's `elapsedMs`. */
  movedMs: number;
};

/** Runs jobs of several lanes after the acks: lanes take turns, and each has places of its own. */
export function createScheduler({ limits, onError, clock }: SchedulerParts): Scheduler {
  const arrivals = createArrivals(clock);
  const names = Object.keys(limits) as LaneName[]; // the keys of a Record
  const state: State = {
    queues: new Map(names.map((name) => [name, createLaneQueue(limits[name])])),
    controller: new AbortController(),
    clock,
    arrivals,
    onError,
    begun: new Map(),
    waiting: 0,
    outside: 0,
    hasArrived: false,
    timer: undefined,
    isDue: false,
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

function queueOf({ queues }: State, lane: LaneName): LaneQueue {
  const queue = queues.get(lane);
  if (queue === undefined) throw new Error(`there is no lane ${lane}`);
  return queue;
}

function add(state: State, entry: Entry): void {
  if (state.waiting === 0) state.movedMs = state.clock.elapsedMs();
  queueOf(state, entry.lane).push(entry);
  state.waiting += 1;
  schedule(state);
}

/** In the next turn of the event loop, after the ack; else with a pause, because a look in every turn delays acks. */
function schedule(state: State): void {
  if (state.isDue || state.waiting === 0) return;
  if (mayBegin(state)) {
    state.isDue = true;
    state.timer?.cancel();
    setImmediate(begin, state);
  } else {
    state.timer ??= state.clock.after(LULL_MS, () => begin(state));
  }
}

/**
 * Whether a job may begin now. Acks go first: a job that begins while interactions come in delays them. So only a few run
 * beside each other then, and none begins while many more interactions come in than are answered.
 */
function mayBegin(state: State): boolean {
  const { waiting, movedMs, arrivals, controller, clock } = state;
  if (controller.signal.aborted || arrivals.quietMs() >= LULL_MS) return true;
  if (clock.elapsedMs() - movedMs >= LONGEST_HOLD_MS) return true;
  const isBehind = waiting > MOST_BEHIND && arrivals.isFlood();
  return !isBehind && busy(state) < MOST_BESIDE;
}

function begin(state: State): void {
  state.isDue = false;
  state.timer = undefined;
  for (let left = startsNow(state); left > 0; left -= 1) {
    const entry = next(state);
    // Every place is taken. The end of a job looks again.
    if (entry === undefined) return;
    state.movedMs = state.clock.elapsedMs();
    state.begun.set(entry, state.movedMs);
    unawaited(run(state, entry), state.onError);
  }
  schedule(state);
}

/** How many jobs begin in this turn: one, so that acks can go between two. */
function startsNow(state: State): number {
  const { controller, hasArrived } = state;
  state.hasArrived = false;
  if (controller.signal.aborted) return Number.POSITIVE_INFINITY;
  // More interactions may be in the socket.
  if (hasArrived && busy(state) > 0) return 0;
  return mayBegin(state) ? 1 : 0;
}

/** Jobs that may need this process now. */
function busy({ begun, clock }: State): number {
  const now = clock.elapsedMs();
  return [...begun.values()].filter((since) => now - since < BUSY_MS).length;
}

function next(state: State): Entry | undefined {
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

async function run(state: State, entry: Entry): Promise<void> {
  try {
    await entry.work(state.controller.signal, (pause) => leaveLane(state, entry, pause));
  } catch (error) {
    state.onError(error);
  }
  state.begun.delete(entry);
  queueOf(state, entry.lane).done(entry);
  entry.onDone();
  schedule(state);
}

async function leaveLane(state: State, entry: Entry, pause: Promise<void>): Promise<void> {
  if (state.outside >= MOST_OUTSIDE) return pause;
  const queue = queueOf(state, entry.lane);
  state.outside += 1;
  queue.done(entry);
  schedule(state);
  try {
    await pause;
  } finally {
    state.outside -= 1;
    queue.resume(entry);
  }
}

export type LaneLimits = {
  /** Jobs that run at once. */
  readonly atOnce: number;
  /** Of these, jobs of one owner. */
  readonly perOwner: number;
  /** Jobs that wait; one owner may use half of the places. */
  readonly most: number;
};

/** Aborted jobs only post a sentence. */
const AT_ONCE_ABORTED = 64;

export type LaneQueue = {
  readonly hasRoom: (owner: string | undefined) => boolean;
  readonly push: (entry: Entry) => void;
  /** The next job that may run now; it counts as running until `done`. Aborted: nobody's limit holds any more. */
  readonly take: (isAborted: boolean) => Entry | undefined;
  readonly done: (entry: Entry) => void;
  /** Counts one that was done as running again, whether or not the lane has a place. */
  readonly resume: (entry: Entry) => void;
  readonly counts: () => { readonly running: number; readonly waiting: number; readonly oldestMs: number | undefined };
};

type QueueState = {
  readonly limits: LaneLimits;
  /** The owner whose turn is next comes first. */
  readonly waiting: Map<string | undefined, Entry[]>;
  readonly runningOf: Map<string | undefined, number>;
  waitingCount: number;
  running: number;
};

/** Jobs of one lane: in order for one owner, and by turns between owners. Jobs without an owner share their turn. */
export function createLaneQueue(limits: LaneLimits): LaneQueue {
  const state: QueueState = { limits, waiting: new Map(), runningOf: new Map(), waitingCount: 0, running: 0 };
  const { waiting, runningOf } = state;
  const { most } = limits;
  return {
    hasRoom: (owner) =>
      state.waitingCount < most && (owner === undefined || (waiting.get(owner)?.length ?? 0) < Math.ceil(most / 2)),
    push(entry) {
      const jobs = waiting.get(entry.owner);
      if (jobs === undefined) waiting.set(entry.owner, [entry]);
      else jobs.push(entry);
      state.waitingCount += 1;
    },
    take: (isAborted) => take(state, isAborted),
    done({ owner }) {
      state.running -= 1;
      const left = (runningOf.get(owner) ?? 0) - 1;
      if (left > 0) runningOf.set(owner, left);
      else runningOf.delete(owner);
    },
    resume: ({ owner }) => occupy(state, owner),
    counts() {
      const firsts = [...waiting.values()].map(([first]) => first?.addedMs ?? Number.POSITIVE_INFINITY);
      const oldestMs = firsts.length === 0 ? undefined : Math.min(...firsts);
      return { running: state.running, waiting: state.waitingCount, oldestMs };
    },
  };
}

function take(state: QueueState, isAborted: boolean): Entry | undefined {
  const { limits, waiting, runningOf } = state;
  if (state.running >= (isAborted ? Math.max(limits.atOnce, AT_ONCE_ABORTED) : limits.atOnce)) return undefined;
  // Skips at most atOnce / perOwner owners.
  for (const [owner, jobs] of waiting) {
    const ofOwner = runningOf.get(owner) ?? 0;
    if (owner !== undefined && ofOwner >= limits.perOwner && !isAborted) continue;
    const entry = jobs.shift();
    waiting.delete(owner);
    if (jobs.length > 0) waiting.set(owner, jobs);
    state.waitingCount -= 1;
    occupy(state, owner);
    return entry;
  }
  return undefined;
}

function occupy(state: QueueState, owner: string | undefined): void {
  state.running += 1;
  state.runningOf.set(owner, (state.runningOf.get(owner) ?? 0) + 1);
}

type Arrivals = {
  readonly count: () => void;
  /** How long ago the last interaction came in, in milliseconds. */
  readonly quietMs: () => number;
  /** Whether interactions come in faster than people type. */
  readonly isFlood: () => boolean;
};

/** More than so many interactions in two neighbouring windows. */
const WINDOW_MS = 50;
const FEW = 60;

/** Notices how quickly interactions come in. */
export function createArrivals({ elapsedMs }: Pick<Clock, "elapsedMs">): Arrivals {
  let windowStart = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let current = 0;
  let previous = 0;
  const roll = (at: number): void => {
    const passed = at - windowStart;
    if (passed < WINDOW_MS) return;
    previous = passed < 2 * WINDOW_MS ? current : 0;
    current = 0;
    windowStart = at;
  };
  return {
    count() {
      last = elapsedMs();
      roll(last);
      current += 1;
    },
    quietMs: () => elapsedMs() - last,
    isFlood() {
      roll(elapsedMs());
      return current + previous > FEW;
    },
  };
}
