import { DISORDER_MS, hasWholeSeconds, momentOf, START, type StreamPosition } from "./position.ts";

export type EntryFilter = {
  /** The position of the next entry; undefined if it came before. `isPart` says that it goes on with a line. */
  readonly next: (time: string, isPart: boolean) => StreamPosition | undefined;
  /** Whether the entry at the position after which the reading goes on came again. */
  readonly isConnected: () => boolean;
};

/** Numbers the entries of a stream, and passes on those after a position. */
export function makeEntryFilter(after: StreamPosition): EntryFilter {
  const repeats = makeRepeats();
  let last = START;
  let isConnected = after.time === "";

  function isRepeated(time: string, isPart: boolean): boolean {
    if (time > last.time || (isPart && time === last.time) || hasWholeSeconds(time)) return false;
    return !isSetBack(time, last.time) && repeats.has(time);
  }

  return {
    next(time, isPart) {
      if (isRepeated(time, isPart)) return undefined;
      repeats.add(time);
      const isNewer = time > last.time || isSetBack(time, last.time);
      last = isNewer ? { ...START, time, count: 1 } : { ...START, time: last.time, count: last.count + 1 };
      if (last.time === after.time && last.count === after.count) isConnected = true;
      const isNew = last.time === after.time ? last.count > after.count : last.time > after.time;
      return isNew ? last : undefined;
    },
    isConnected: () => isConnected,
  };
}

/** Whether the machine's clock was set back between two entries: they are never as much out of order. */
export function isSetBack(time: string, newest: string): boolean {
  return newest !== "" && momentOf(newest).getTime() - momentOf(time).getTime() > DISORDER_MS;
}

/** Entries that are remembered: Docker repeats those at the beginning of a new log file, which are few. */
const REMEMBERED = 2_048;

type Repeats = {
  readonly add: (time: string) => void;
  /** Whether an entry of this time came before. */
  readonly has: (time: string) => boolean;
};

/**
 * The times of the newest entries of a stream. A follow of Docker can repeat entries when a log file is rotated; two
 * entries have the same nanosecond only as parts of one line. A clock that was set back by a moment repeats none.
 */
function makeRepeats(): Repeats {
  let times = new Float64Array(16);
  let count = 0;
  return {
    add(time) {
      if (count === times.length && count < REMEMBERED) {
        const longer = new Float64Array(count * 2);
        longer.set(times);
        times = longer;
      }
      times[count % times.length] = numberOf(time);
      count += 1;
    },
    has(time) {
      const number = numberOf(time);
      if (count <= times.length) return times.subarray(0, count).includes(number);
      // What is older than all that is remembered can only be a repetition.
      return number < (times[count % times.length] ?? 0) || times.includes(number);
    },
  };
}

/** Nanoseconds without the highest digits, which a number can hold exactly. */
function numberOf(time: string): number {
  return Number(time.slice(4));
}
