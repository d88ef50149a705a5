import type { Clock } from "../../../../platform/clock.ts";
import type { NamespaceCache } from "../cache/namespace-cache.ts";
import type { KubeApi } from "../cluster/kube-api.ts";
import type { Evidence, PodEvents } from "./evidence.ts";
import { heldUpBy } from "./held-up.ts";

const EVERY_MS = 10_000;
/** As soon as something else is held up, or by something else. */
const SOONEST_MS = 2_000;
/** An answer doesn't wait longer for events, which only explain it. */
const PATIENCE_MS = 1_000;
/** Repeated ones are one event. */
const PAGE = 500;

type Reading = {
  readonly api: Pick<KubeApi, "list" | "outages">;
  readonly cacheOf: (namespace: string) => Pick<NamespaceCache, "all">;
  readonly clock: Pick<Clock, "now" | "elapsedMs" | "limit">;
};

type Known = {
  readonly at: number;
  /** What held which pods up then, by uid. */
  readonly heldUp: ReadonlyMap<string, string>;
  readonly events: Promise<PodEvents>;
};

/**
 * Reads why pods are held up before their containers run, which their objects don't tell. One request for a namespace, at most
 * every ten seconds, and only while it has such pods. Without an answer, or without the right, nothing more is known.
 */
export function evidenceReader(reading: Reading): (namespaces: readonly string[]) => Promise<Omit<Evidence, "now">> {
  const { api, cacheOf, clock } = reading;
  const known = new Map<string, Known>();
  const eventsIn = async (namespace: string): Promise<PodEvents> => {
    const heldUp = new Map(
      cacheOf(namespace)
        .all("Pod")
        .flatMap((pod): (readonly [string, string])[] => {
          const by = heldUpBy(pod, clock.now());
          return by === undefined ? [] : [[pod.metadata.uid, by]];
        }),
    );
    const before = known.get(namespace);
    if (heldUp.size === 0) {
      known.delete(namespace);
      return new Map();
    }
    const hasNew = [...heldUp].some(([uid, by]) => before?.heldUp.get(uid) !== by);
    if (before && clock.elapsedMs() - before.at < (hasNew ? SOONEST_MS : EVERY_MS)) return await before.events;
    const events = newestEvents(reading, namespace).then(async (newest) => {
      // Kubernetes drops events of what has failed for long: then the last that was said holds.
      const both = new Map([...((await before?.events) ?? []), ...newest]);
      return new Map([...both].filter(([uid]) => heldUp.has(uid)));
    });
    known.set(namespace, { at: clock.elapsedMs(), heldUp, events });
    return await events;
  };
  return async (namespaces) => {
    const all = await Promise.all(namespaces.map(eventsIn));
    return { outages: api.outages(), podEvents: new Map(all.flatMap((events) => [...events])) };
  };
}

async function newestEvents({ api, clock }: Reading, namespace: string): Promise<PodEvents> {
  const options = { fieldSelector: "involvedObject.kind=Pod,type=Warning", limit: PAGE };
  try {
    const { items } = await api.list({ kind: "Event", namespace }, options, clock.limit(PATIENCE_MS));
    return Map.groupBy(items, ({ involvedObject: { uid = "" } }) => uid);
  } catch {
    return new Map();
  }
}
