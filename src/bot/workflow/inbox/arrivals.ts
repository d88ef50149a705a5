export type Arrivals = {
  readonly count: () => void;
  /** How long ago the last interaction came in, in milliseconds. */
  readonly quietMs: () => number;
  /** Whether interactions come in faster than people type. */
  readonly isFlood: () => boolean;
};

/** More than so many interactions in two neighbouring windows. */
const WINDOW_MS = 50;
const FEW = 30;

/** Notices how quickly interactions come in. Real time, because it is about the load of this machine. */
export function createArrivals(now: () => number = () => performance.now()): Arrivals {
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
      last = now();
      roll(last);
      current += 1;
    },
    quietMs: () => now() - last,
    isFlood() {
      roll(now());
      return current + previous > FEW;
    },
  };
}
