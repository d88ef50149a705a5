export type Flood = { readonly count: () => void; readonly isOn: () => boolean };

/** So many interactions in two neighbouring windows are a flood: people do not type that fast. */
const WINDOW_MS = 50;
const MANY = 16;

/** Notices when interactions come in quickly. Real time, because it is about the load of this machine. */
export function createFlood(): Flood {
  let windowStart = 0;
  let current = 0;
  let previous = 0;
  const roll = (): void => {
    const now = performance.now();
    const passed = now - windowStart;
    if (passed < WINDOW_MS) return;
    previous = passed < 2 * WINDOW_MS ? current : 0;
    current = 0;
    windowStart = now;
  };
  return {
    count() {
      roll();
      current += 1;
    },
    isOn() {
      roll();
      return current + previous > MANY;
    },
  };
}
