/** The value below which `share` of the values lie, by nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}

export type Interval = { readonly low: number; readonly high: number };

const DOUBT = 0.05;

/** Where the median lies with 95 % certainty, whatever the distribution; of less than six values, all of them. */
export function medianInterval(values: readonly number[]): Interval {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  // How likely it is that at most so many of the values lie below the median.
  let chance = 0.5 ** count;
  let outside = 0;
  for (let below = 0, ways = chance; chance <= DOUBT / 2; below += 1) {
    outside = below;
    ways *= (count - below) / (below + 1);
    chance += ways;
  }
  return { low: sorted[outside] ?? Number.NaN, high: sorted[count - 1 - outside] ?? Number.NaN };
}
