import type { KubeObject, Pod, Event } from "../cluster/kinds.ts";
import type { Clock } from "../../../../platform/clock.ts";
import type { NamespaceCache } from "../cache/namespace-cache.ts";
import type { KubeApi, Outage } from "../cluster/kube-api.ts";

/** Warnings about pods that are held up, by the uid of the pod. */
export type PodEvents = ReadonlyMap<string, readonly KubeObject<"Event">[]>;

/** What pods are judged by, beside the objects themselves. */
export type Evidence = {
  readonly now: Date;
  /** When the API server didn't answer: nobody could say then that a pod got ready. */
  readonly outages?: readonly Outage[];
  /** What is reported of pods that are held up. */
  readonly podEvents?: PodEvents;
};

/**
 * The time since then, without that in which the API server didn't answer: deadlines stand still meanwhile. NaN without a
 * time.
 */
export function ageMs(since: string | undefined, evidence: Pick<Evidence, "now" | "outages">): number {
  const from = Date.parse(since ?? "");
  return evidence.now.getTime() - from - awayMs(from, evidence);
}

/** For how long the API server hasn't answered since then. */
export function awayMs(from: number, { now, outages = [] }: Pick<Evidence, "now" | "outages">): number {
  const lengths = outages.map((outage) => {
    const end = Math.min(outage.until?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
    return Math.max(0, end - Math.max(from, outage.from.getTime()));
  });
  return lengths.reduce((sum, ms) => sum + ms, 0);
}

/** In the words of Go's network library, of registries, of containerd, CRI-O and Docker, and of webhooks of the cluster. */
const NO_ANSWER = [
  /\bi\/o timeout\b|TLS handshake timeout|\btimed out\b|context deadline exceeded|Client\.Timeout|code = (?:Unavailable|DeadlineExceeded)/iu,
  /connection (?:refused|reset)|broken pipe|no route to host|network is unreachable|transport is closing|\bEOF\b/iu,
  /no such host|server misbehaving|temporary failure in name resolution/iu,
  // "unexpected status code [manifests 1.0]: 503 Service Unavailable"
  /: (?:429|5\d\d) [A-Z]|toomanyrequests|too many requests/iu,
  // What a start that the container runtime didn't answer leaves behind.
  /failed to reserve (?:container|sandbox) name/iu,
] as const;

/** Whether a message says that something beside the workload didn't answer. That is no evidence against it. */
export function isNoAnswer(message: string | undefined): boolean {
  return message !== undefined && NO_ANSWER.some((words) => words.test(message));
}

/** A waiting container with one of these is on its way; every other reason is an error. */
export const ON_ITS_WAY: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);
const PULLS: ReadonlySet<string> = new Set(["ErrImagePull", "ImagePullBackOff", "RegistryUnavailable"]);
/** Errors of the container runtime. Those of the workload's own hooks and settings have other reasons. */
const OF_THE_RUNTIME: ReadonlySet<string> = new Set(["CreateContainerError", "RunContainerError"]);

/**
 * The kubelet tries to pull an image for the third time 40 to 50 s after the first. A registry may have no image for a
 * moment, while it starts or a push goes on.
 */
const PULLED_WITHIN_MS = 60_000;
/** Most pods get their volumes and their network within this time, so that a rollout usually asks for no events. */
const MADE_WITHIN_MS = 10_000;

/** Scheduled, and none of its containers has begun. */
export function isBeingMade({ status }: Pick<Pod, "status">): boolean {
  const all = [...status.initContainerStatuses, ...status.containerStatuses];
  return (
    status.startTime !== undefined &&
    all.every(({ state, lastState }) => ON_ITS_WAY.has(state?.waiting?.reason ?? "") && !lastState?.terminated)
  );
}

/** What holds a pod up before its containers run, if only events tell why; undefined for any other. */
export function heldUpBy({ metadata, status }: Pod, now: Date): string | undefined {
  const isOver = status.phase === "Succeeded" || status.phase === "Failed";
  if (isOver || metadata.deletionTimestamp !== undefined) return undefined;
  const all = [...status.initContainerStatuses, ...status.containerStatuses];
  const pulls = all.map(({ state }) => state?.waiting?.reason ?? "").filter((reason) => PULLS.has(reason));
  if (pulls.length > 0) return pulls.join(" ");
  const isLate = now.getTime() - Date.parse(status.startTime ?? "") > MADE_WITHIN_MS;
  return isLate && isBeingMade({ status }) ? "making" : undefined;
}

type Waiting = {
  readonly name: string;
  readonly reason: string;
  readonly message: string | undefined;
  /** Since when the pod isn't ready. */
  readonly since: string | undefined;
};

type FailedStart =
  | { readonly isOutside: true; readonly doesNotAnswer: string; readonly cause: string }
  /** `isEarly`: it may still succeed. `isUnknown`: nobody has said yet why it didn't. */
  | {
      readonly isOutside: false;
      readonly isEarly: boolean;
      readonly isUnknown: boolean;
      readonly cause: string | undefined;
    };

/** Why a container can't start, and whether that says anything about its workload. */
export function failedStart(pod: Pod, { name, reason, message, since }: Waiting, evidence: Evidence): FailedStart {
  const isPull = PULLS.has(reason);
  const pulls = isPull ? failedPulls(pod, name, evidence) : [];
  // While it waits for the next try, older kubelets don't say why the last one failed.
  const isTold = reason !== "ImagePullBackOff" || message?.includes("ErrImagePull: ") === true;
  const cause = isTold ? message : (pulls.at(-1)?.message?.replace(PULL_OF, "") ?? message);
  if (isPull || OF_THE_RUNTIME.has(reason)) {
    const doesNotAnswer = isPull ? "the registry" : "the node's container runtime";
    if (isNoAnswer(cause) || reason === "RegistryUnavailable")
      return { isOutside: true, doesNotAnswer, cause: cause ?? "" };
  }
  const isEarly = isPull && isYoung(pulls, since, evidence);
  return { isOutside: false, isEarly, isUnknown: isEarly && !isTold && pulls.length === 0, cause };
}

const PULL_OF = /^Failed to pull image "[^"]*": /u;

/** What is reported of its image, the newest last. */
function failedPulls(pod: Pod, name: string, { podEvents }: Evidence): readonly Event[] {
  const image = [...pod.spec.containers, ...pod.spec.initContainers].find((each) => each.name === name)?.image;
  const start = `Failed to pull image ${image === undefined ? "" : `"${image}"`}`;
  const events = podEvents?.get(pod.metadata.uid) ?? [];
  return events
    .filter(({ message }) => message?.startsWith(start))
    .toSorted((left, right) => Date.parse(lastAt(left)) - Date.parse(lastAt(right)));
}

/** The time before counts for nothing in which the registry didn't answer, or another image was pulled. */
function isYoung(pulls: readonly Event[], since: string | undefined, evidence: Evidence): boolean {
  const [first] = pulls.filter(({ message }) => !isNoAnswer(message));
  const away = pulls.findLast(({ message }) => isNoAnswer(message));
  const begins = [since, first && firstAt(first), away && lastAt(away)].map((at) => ageMs(at, evidence));
  return Math.min(...begins.filter((ms) => !Number.isNaN(ms))) < PULLED_WITHIN_MS;
}

/** What keeps a pod from getting its volumes and its network, before its containers. */
const MAKING: ReadonlySet<string> = new Set([
  "FailedMount",
  "FailedAttachVolume",
  "FailedMapVolume",
  "FailedCreatePodSandBox",
]);
/** The kubelet tries again after pauses that double, up to this. */
const LONGEST_PAUSE_MS = 135_000;
const SHORTEST_PAUSE_MS = 15_000;
/** Of several volumes, the ones that are missing: the events of each say why. */
const SUMMARY = /^Unable to attach or mount volumes/u;

/** The newest event about that, if it still holds: an image may be pulled by now, which looks the same. */
export function makingTrouble(
  { metadata }: Pod,
  { now, podEvents }: Evidence,
): { readonly reason: string; readonly message: string | undefined } | undefined {
  const current = (podEvents?.get(metadata.uid) ?? []).filter((event) => {
    const [first, last] = [Date.parse(firstAt(event)), Date.parse(lastAt(event))];
    const pauseMs = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS + last - first);
    return MAKING.has(event.reason ?? "") && now.getTime() - last <= pauseMs;
  });
  const rank = ({ message = "" }: Event): number => (SUMMARY.test(message) ? 0 : 1);
  const [best] = current.toSorted(
    (left, right) => rank(right) - rank(left) || Date.parse(lastAt(right)) - Date.parse(lastAt(left)),
  );
  return best && { reason: best.reason ?? "", message: best.message };
}

/** When an event was last seen, and first. */
export function lastAt({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp;
}

function firstAt({ firstTimestamp, eventTime, metadata }: Event): string {
  return firstTimestamp ?? eventTime ?? metadata.creationTimestamp;
}

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
