import { type Arrivals, createArrivals } from "./arrivals.ts";

/** Something to do after an ack. Aborted: it says that it could not, and ends. */
export type Work = (signal: AbortSignal) => Promise<void>;

type WorkQueue = {
  /** Says that an interaction came in. */
  readonly arrived: () => void;
  /** False, and nothing is done, when too much waits already. */
  readonly add: (work: Work) => boolean;
  readonly hasRoom: () => boolean;
  /** Waiting and running. */
  readonly size: () => number;
  readonly abort: () => void;
};

type QueueEvents = { readonly onError: (error: unknown) => void; readonly onDone: () => void };

/** How much runs at once. Most of it waits for a network, so this bounds the bursts of work between the waits. */
const AT_ONCE = 16;
const AT_ONCE_IN_FLOOD = 1;
/** Aborted work only posts a sentence. */
const AT_ONCE_ABORTED = 64;
/** What waits beyond this is refused in the ack; each entry holds a command's words and no more. */
const MOST_WAITING = 5_000;
/** Work begins when no interaction has come in for so long: acks go first. Nobody notices five milliseconds. */
const LULL_MS = 5;
/** Within a flood, short gaps are only the network's: work that began there would meet the next volley. */
const LULL_IN_FLOOD_MS = 20;
/** When there is no lull, it goes on singly after this. */
const LONGEST_HOLD_MS = 1_000;

type State = {
  readonly waiting: Work[];
  readonly controller: AbortController;
  readonly arrivals: Arrivals;
  readonly events: QueueEvents;
  running: number;
  isScheduled: boolean;
  /** When work was last begun, or began to wait; in milliseconds of the process. */
  movedAt: number;
};

/** Work that begins after its ack, in a lull, so that no ack waits for it. */
export function createWorkQueue(events: QueueEvents, arrivals: Arrivals = createArrivals()): WorkQueue {
  const controller = new AbortController();
  const state: State = {
    waiting: [],
    controller,
    arrivals,
    events,
    running: 0,
    isScheduled: false,
    movedAt: 0,
  };
  return {
    arrived: arrivals.count,
    add(work) {
      if (state.waiting.length >= MOST_WAITING) return false;
      if (state.waiting.length === 0) state.movedAt = performance.now();
      state.waiting.push(work);
      schedule(state);
      return true;
    },
    hasRoom: () => state.waiting.length < MOST_WAITING,
    size: () => state.waiting.length + state.running,
    abort() {
      controller.abort();
      schedule(state);
    },
  };
}

/** Soon: looking in each turn of the event loop would itself be work. */
function schedule(state: State): void {
  if (state.isScheduled || state.waiting.length === 0) return;
  state.isScheduled = true;
  setTimeout(pump, LULL_MS, state);
}

function pump(state: State): void {
  state.isScheduled = false;
  const isHeld = isAckFirst(state);
  const atOnce = isHeld ? 0 : roomFor(state);
  while (state.running < atOnce) {
    const work = state.waiting.shift();
    if (work === undefined) return;
    state.running += 1;
    state.movedAt = performance.now();
    void run(state, work);
  }
  // Otherwise the end of something that runs looks again, unless a flood narrowed the room and is over by then.
  if (isHeld || state.running < AT_ONCE) schedule(state);
}

function roomFor({ controller, arrivals }: State): number {
  if (controller.signal.aborted) return AT_ONCE_ABORTED;
  return arrivals.isFlood() ? AT_ONCE_IN_FLOOD : AT_ONCE;
}

function isAckFirst({ controller, arrivals, movedAt }: State): boolean {
  const lullMs = arrivals.isFlood() ? LULL_IN_FLOOD_MS : LULL_MS;
  if (controller.signal.aborted || arrivals.quietMs() >= lullMs) return false;
  return performance.now() - movedAt < LONGEST_HOLD_MS;
}

async function run(state: State, work: Work): Promise<void> {
  try {
    await work(state.controller.signal);
  } catch (error) {
    state.events.onError(error);
  }
  state.running -= 1;
  state.events.onDone();
  schedule(state);
}
