import type { KubeObject } from "../../cluster/kinds.ts";

/** A Service of Kubernetes: an address, not a service of the workload API. */
export type V1Service = KubeObject<"Service">;

type Labels = Readonly<Record<string, string>>;

/** Finds the v1 Services that send traffic to pods with these labels. */
export type V1Services = (podLabels: Labels) => readonly V1Service[];

/**
 * Each v1 Service is filed under the rarest pair of its selector, so that a lookup compares a few of them and not
 * thousands, even where all of them select a common label.
 */
export function indexV1Services(services: readonly V1Service[]): V1Services {
  const pairsOf = new Map(services.map((service) => [service, Object.entries(service.spec.selector).map(pairKey)]));
  const counts = new Map<string, number>();
  for (const pair of [...pairsOf.values()].flat()) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  const byPair = Map.groupBy(services, (service) => {
    const pairs = pairsOf.get(service) ?? [];
    // One without a selector has its addresses from somebody else.
    return pairs.toSorted((left, right) => (counts.get(left) ?? 0) - (counts.get(right) ?? 0))[0] ?? "";
  });
  return (podLabels) => {
    const candidates = Object.entries(podLabels).flatMap((pair) => byPair.get(pairKey(pair)) ?? []);
    return candidates.filter(({ spec }) => Object.entries(spec.selector).every(([key, of]) => podLabels[key] === of));
  };
}

function pairKey([key, value]: readonly [string, string]): string {
  return `${key}=${value}`;
}
