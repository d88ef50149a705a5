/**
 * The place of a line in the output of a container. `sinceTime` counts whole seconds, so reading again repeats lines;
 * they are told apart by their time and their number among the lines of that time.
 */
export type Position = {
  /** The newest time up to this line, in nanoseconds: 19 digits. Lines of stdout and stderr can be out of order. */
  readonly time: string;
  /** Counts the lines since that time, from 1. */
  readonly count: number;
  /** The container's restarts when the line was written. */
  readonly run: number;
};

/** A text that sorts like its line, as the log store needs it. */
export function cursorOf({ time, count, run }: Position): string {
  return `${time}-${String(count).padStart(9, "0")}-${run}`;
}

/** Undefined for a text of another form. */
export function positionOf(cursor: string): Position | undefined {
  const [, time, count, run] = /^(\d{19})-(\d{9})-(\d+)$/u.exec(cursor) ?? [];
  return time === undefined ? undefined : { time, count: Number(count), run: Number(run) };
}

/** Numbers the lines of one reading. */
export function makeCounter(run: number): (time: string) => Position {
  let last = { time: "", count: 0 };
  return (time) => {
    last = time > last.time ? { time, count: 1 } : { time: last.time, count: last.count + 1 };
    return { ...last, run };
  };
}

export function isAfter(one: Position, other: Position): boolean {
  return one.time === other.time ? one.count > other.count : one.time > other.time;
}

export function isSame(one: Position, other: Position): boolean {
  return one.time === other.time && one.count === other.count;
}

/** Lines can be out of order by less than this, or else a resumed reading would number them differently. */
export const DISORDER_MS = 2_000;

/** From where to read again, so that the line at this position is among the lines. */
export function sinceOf({ time }: Position): string {
  const second = Math.floor(Number(time.slice(0, 13)) / 1_000) * 1_000;
  return new Date(second - DISORDER_MS).toISOString().replace(".000Z", "Z");
}

/** The moment of a time in nanoseconds. */
export function momentOf(time: string): Date {
  return new Date(Number(time.slice(0, 13)));
}
