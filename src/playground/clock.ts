/** The playground's time: what it stamps on messages and measures every expiry with. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A message's ts: "1763712345.000100", unique and increasing even when time stands still. */
  readonly ts: () => string;
};

export function createClock(now: () => number): Clock {
  let last = 0;
  return {
    now,
    ts() {
      last = Math.max(last + 100, Math.trunc(now()) * 1000);
      const micros = String(last % 1_000_000).padStart(6, "0");
      return `${Math.floor(last / 1_000_000)}.${micros}`;
    },
  };
}
