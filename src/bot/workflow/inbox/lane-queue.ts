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

type Waiting = { readonly owner: string | undefined; readonly addedMs: number };

export type LaneQueue<Entry> = {
  readonly hasRoom: (owner: string | undefined) => boolean;
  readonly push: (entry: Entry) => void;
  /** The next job that may run now; it counts as running until `done`. Aborted: nobody's limit holds any more. */
  readonly take: (isAborted: boolean) => Entry | undefined;
  readonly done: (entry: Entry) => void;
  readonly counts: () => { readonly running: number; readonly waiting: number; readonly oldestMs: number | undefined };
};

type State<Entry> = {
  readonly limits: LaneLimits;
  /** The owner whose turn is next comes first. */
  readonly waiting: Map<string | undefined, Entry[]>;
  readonly runningOf: Map<string | undefined, number>;
  waitingCount: number;
  running: number;
};

/** Jobs of one lane: in order for one owner, and by turns between owners. Jobs without an owner share their turn. */
export function createLaneQueue<Entry extends Waiting>(limits: LaneLimits): LaneQueue<Entry> {
  const state: State<Entry> = { limits, waiting: new Map(), runningOf: new Map(), waitingCount: 0, running: 0 };
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
    counts() {
      const firsts = [...waiting.values()].map(([first]) => first?.addedMs ?? Number.POSITIVE_INFINITY);
      const oldestMs = firsts.length === 0 ? undefined : Math.min(...firsts);
      return { running: state.running, waiting: state.waitingCount, oldestMs };
    },
  };
}

function take<Entry extends Waiting>(state: State<Entry>, isAborted: boolean): Entry | undefined {
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
    state.running += 1;
    runningOf.set(owner, ofOwner + 1);
    return entry;
  }
  return undefined;
}
