import { createFlood, type Flood } from "./flood.ts";

/** Something to do after an ack. Aborted: it says that it could not, and ends. */
export type Work = (signal: AbortSignal) => Promise<void>;

type WorkQueue = {
  /** Says that an interaction came in. */
  readonly arrived: () => void;
  /** False, and nothing is done, when too much waits already. */
  readonly add: (work: Work) => boolean;
  /** Waiting and running. */
  readonly size: () => number;
  readonly abort: () => void;
};

type QueueEvents = { readonly onError: (error: unknown) => void; readonly onDone: () => void };

/** How much runs at once. Most of it waits for a network, so this bounds the bursts of work between the waits. */
const AT_ONCE = 16;
/** In a flood, acks go first. */
const AT_ONCE_IN_FLOOD = 1;
/** Aborted work only posts a sentence. */
const AT_ONCE_ABORTED = 64;
/** What waits beyond this is refused in the ack; each entry holds a command's words and no more. */
const MOST_WAITING = 5_000;
const LOOK_AGAIN_MS = 20;

type State = {
  readonly waiting: Work[];
  readonly controller: AbortController;
  readonly flood: Flood;
  readonly events: QueueEvents;
  running: number;
  isScheduled: boolean;
};

/** Work that begins after the turn of the event loop in which it was added, so that no ack waits for it. */
export function createWorkQueue(events: QueueEvents): WorkQueue {
  const controller = new AbortController();
  const state: State = { waiting: [], controller, flood: createFlood(), events, running: 0, isScheduled: false };
  return {
    arrived: state.flood.count,
    add(work) {
      if (state.waiting.length >= MOST_WAITING) return false;
      state.waiting.push(work);
      schedule(state);
      return true;
    },
    size: () => state.waiting.length + state.running,
    abort() {
      controller.abort();
      schedule(state);
    },
  };
}

function atOnce({ controller, flood }: State): number {
  if (controller.signal.aborted) return AT_ONCE_ABORTED;
  return flood.isOn() ? AT_ONCE_IN_FLOOD : AT_ONCE;
}

function schedule(state: State): void {
  if (state.isScheduled || state.waiting.length === 0) return;
  state.isScheduled = true;
  setImmediate(() => {
    state.isScheduled = false;
    pump(state);
  });
}

function pump(state: State): void {
  while (state.running < atOnce(state)) {
    const work = state.waiting.shift();
    if (work === undefined) return;
    state.running += 1;
    void run(state, work);
  }
  // When the flood is over, nothing that runs need end for the rest to begin.
  if (state.waiting.length > 0 && state.flood.isOn()) setTimeout(schedule, LOOK_AGAIN_MS, state);
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
