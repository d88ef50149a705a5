import type { Clock } from "../../../../../src/platform/clock.ts";
import type { KubeApi } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";

/** Notes when lists and watches are sent; the further pages of a list belong to it. */
export function countStarts(
  api: KubeApi,
  clock: Pick<Clock, "elapsedMs">,
): { readonly counted: KubeApi; readonly starts: readonly number[] } {
  const starts: number[] = [];
  const counted: KubeApi = {
    ...api,
    list(place, options, signal) {
      if (options.next === undefined) starts.push(clock.elapsedMs());
      return api.list(place, options, signal);
    },
    watch(place, options, signal) {
      starts.push(clock.elapsedMs());
      return api.watch(place, options, signal);
    },
  };
  return { counted, starts };
}

/** The most that happened within any window of this length. */
export function mostWithin(times: readonly number[], windowMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));
}
