/** The least time that some work took, in milliseconds: how fast it can be, however busy the machine is just then. */
export function bestOf(times: number, work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round += 1) {
    const from = performance.now();
    work();
    best = Math.min(best, performance.now() - from);
  }
  return best;
}
