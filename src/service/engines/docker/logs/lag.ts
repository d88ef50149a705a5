import { momentOf } from "./position.ts";

export type Lag = {
  /** Whether entries are read so late, while the container goes on writing, that the daemon may skip some. */
  readonly isLate: (time: string) => boolean;
};

/** Times are compared with the earliest that an entry came, because the daemon's clock can differ from ours. */
export function makeLag(now: () => number = Date.now): Lag {
  let leastMs = Number.POSITIVE_INFINITY;
  return {
    isLate(time) {
      const ms = now() - momentOf(time).getTime();
      leastMs = Math.min(leastMs, ms);
      return ms - leastMs > LATE_MS;
    },
  };
}

/** More than a whole second, because that is how exact Podman's times are. */
const LATE_MS = 2_500;
