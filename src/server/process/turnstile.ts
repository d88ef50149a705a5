/** Lets callers through while there is room, one after the other: nobody who comes later is let through earlier. */
export type Turnstile = {
  /** Undefined when the caller may go on at once, else resolves when it may. */
  readonly pass: () => Promise<void> | undefined;
  /** There may be room again. */
  readonly turn: () => void;
  /** From now on everybody may go on. */
  readonly open: () => void;
};

export function makeTurnstile(hasRoom: () => boolean): Turnstile {
  let waiters: (() => void)[] = [];
  let isOpen = false;

  function turn(): void {
    if (waiters.length === 0 || !hasRoom()) return;
    waiters.shift()?.();
    // The one that was let through takes its room first.
    setImmediate(turn);
  }

  return {
    pass() {
      if (isOpen || (waiters.length === 0 && hasRoom())) return undefined;
      return new Promise((resolve) => waiters.push(resolve));
    },
    turn,
    open() {
      isOpen = true;
      for (const resolve of waiters) resolve();
      waiters = [];
    },
  };
}
