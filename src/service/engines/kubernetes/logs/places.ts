/** Places for logs that are open at the same time. Who finds none waits in line, and holders take turns. */
export type Places = {
  /** Resolves with what gives the place back. Rejects with the reason of an aborted signal. */
  readonly take: (signal: AbortSignal) => Promise<() => void>;
  /** Whether somebody waits for a place: then a holder goes to the end of the line after its turn. */
  readonly isContended: () => boolean;
};

export function makePlaces(count: number, onContended: () => void): Places {
  let free = count;
  let line: (() => void)[] = [];

  function giveBack(): void {
    const next = line.shift();
    if (next) next();
    else free += 1;
  }

  function place(): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) giveBack();
      isHeld = false;
    };
  }

  return {
    isContended: () => line.length > 0,
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return place();
      }
      if (line.length === 0) onContended();
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const leave = () => {
          line = line.filter((each) => each !== go);
          reject(signal.reason);
        };
        line.push(go);
        signal.addEventListener("abort", leave, { once: true });
      });
      return place();
    },
  };
}
