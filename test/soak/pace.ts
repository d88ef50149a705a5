/** So many turns a second, however many ask for one. */
export type Pace = {
  /** Resolves when it is time for the next delivery. */
  readonly turn: () => Promise<void>;
  /** Turns that nobody took, because everybody was busy. */
  readonly unused: () => number;
  readonly stop: () => void;
};

export function createPace(perSecond: number): Pace {
  const waiting: (() => void)[] = [];
  const sinceMs = performance.now();
  let given = 0;
  let unused = 0;
  const timer = setInterval(
    () => {
      const due = Math.floor(((performance.now() - sinceMs) / 1000) * perSecond);
      for (; given < due; given += 1) {
        const next = waiting.shift();
        if (next === undefined) unused += 1;
        else next();
      }
    },
    1000 / perSecond / 2,
  );
  return {
    turn: () => new Promise((resolve) => waiting.push(resolve)),
    unused: () => unused,
    stop() {
      clearInterval(timer);
      for (const next of waiting.splice(0)) next();
    },
  };
}
