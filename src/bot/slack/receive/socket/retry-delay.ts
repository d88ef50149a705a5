const FIRST_MS = 500;
const MOST_MS = 30_000;

/**
 * How long to wait after so many failures in a row, in milliseconds. Half of it is random: replicas that lost Slack in the
 * same moment don't come back in the same moment.
 */
export function retryDelayMs(failures: number, random: () => number = Math.random): number {
  if (failures === 0) return 0;
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1));
  return most / 2 + (most / 2) * random();
}
