import { DISORDER_MS, hasWholeSeconds, momentOf, START, type StreamPosition } from "./position.ts";
import { makeRepeats } from "./repeats.ts";

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
