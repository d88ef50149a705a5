/** Entries that are remembered: Docker repeats those at the beginning of a new log file, which are few. */
const REMEMBERED = 2_048;

export type Repeats = {
  readonly add: (time: string) => void;
  /** Whether an entry of this time came before. */
  readonly has: (time: string) => boolean;
};

/**
 * The times of the newest entries of a stream. A follow of Docker can repeat entries when a log file is rotated; two
 * entries have the same nanosecond only as parts of one line. A clock that was set back by a moment repeats none.
 */
export function makeRepeats(): Repeats {
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
