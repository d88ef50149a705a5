import { machineClock } from "./clock.ts";

/** Others wait no longer than this for one piece of long work: acks of Slack are due within milliseconds. */
const TURN_MS = 4;

const waiting: (() => void)[] = [];

/** One per turn of the event loop: several long works at once would together keep others waiting as long as one without turns. */
function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}

/** For work that takes longer than some milliseconds, such as reading a list of thousands. */
export function createTurns(turnMs: number = TURN_MS) {
  let since = machineClock.elapsedMs();
  return {
    /** To be called often. Resolves at once, or after others had their turn when this work had its own. */
    stepAside: (): Promise<void> | undefined => {
      if (machineClock.elapsedMs() - since < turnMs) return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(() => {
        since = machineClock.elapsedMs();
        resolve();
      });
      if (waiting.length === 1) setImmediate(goOn);
      return promise;
    },
  };
}

/** How many items are gone through before the clock is looked at. */
const FEW = 64;

/** Goes through many items and steps aside in between. */
export async function forEachInTurns<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  const { stepAside } = createTurns();
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % FEW === 0) await stepAside();
  }
}

/** The same, with what the work makes of each. */
export async function mapInTurns<Item, Made>(items: Iterable<Item>, work: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  await forEachInTurns(items, (item) => void made.push(work(item)));
  return made;
}

/** Runs at most so many works at a time; others wait for their turn, in order. */
export function fewAtATime(most: number) {
  let running = 0;
  const next: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running === most) await new Promise<void>((resolve) => next.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // Its place goes to the next one.
      const begin = next.shift() ?? (() => void (running -= 1));
      begin();
    }
  };
}
