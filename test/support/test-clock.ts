/** When the world of each test begins: a Wednesday afternoon, far from midnight and from the hours of digests and quiet. */
export const BEGINNING = new Date("2026-12-02T13:00:00.000Z");

/** A clock that begins at a set moment, whatever this machine's says, and goes on as fast. */
export type TestClock = {
  readonly nowMs: () => number;
  readonly now: () => Date;
  /** How far it is ahead of this machine's: what a database has to add to its own. */
  readonly offsetMs: () => number;
  /** Moves it. */
  readonly passMs: (ms: number) => void;
};

export function testClock(beginning = BEGINNING): TestClock {
  let offsetMs = beginning.getTime() - Date.now();
  const nowMs = (): number => Date.now() + offsetMs;
  return {
    nowMs,
    now: () => new Date(nowMs()),
    offsetMs: () => offsetMs,
    passMs: (ms) => void (offsetMs += ms),
  };
}
