/** Lets callers through in order while there is room. */
export type Turnstile = {
  /** Undefined when the caller may continue immediately; otherwise resolves when it may. */
  readonly pass: () => Promise<void> | undefined;
  /** Call when there may be room again. */
  readonly turn: () => void;
  /** Lets everyone through from now on. */
  readonly open: () => void;
};

export function makeTurnstile(hasRoom: () => boolean): Turnstile {
  let waiters: (() => void)[] = [];
  let isOpen = false;

  function turn(): void {
    if (waiters.length === 0 || !hasRoom()) return;
    waiters.shift()?.();
    // Wait until the released caller has taken its room.
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
