import type { Clock } from "../../../../platform/clock.ts";
import { delayAfter } from "../../../workloads/lifecycle/back-off.ts";
import type { NamespaceCache } from "../cache/namespace-cache.ts";
import { type KubeApi, KubeError } from "../cluster/kube-api.ts";
import type { KubeObject, Pod } from "../cluster/kinds.ts";
import { annotations, labels } from "../names.ts";
import { controllerOf, isGantrys, indexPods, podsOfOwner } from "../read/owner.ts";
import { isLater, type JobEnd, readJobEnd, jobEndOf } from "../read/job-status.ts";
import type { Region } from "../regions.ts";
import { inEachNamespace } from "../region-namespaces.ts";
import { orAborted, unawaited, restUnlessAborted } from "../../../../platform/waiting.ts";
import { forgetStopPatch } from "./service-patches.ts";
import type { WriteParts } from "./target.ts";

type RecordEndsDeps = {
  readonly api: Pick<KubeApi, "patch">;
  readonly cache: NamespaceCache;
  readonly clock: Pick<Clock, "sleep">;
  readonly onEvent: (message: string, data: object) => void;
};

/** After an error. */
const BACK_OFF_MS = { first: 1_000, max: 60_000 };

type Job = KubeObject<"Job">;
type InRegion = Pick<RecordEndsDeps, "clock" | "onEvent"> & { readonly region: Region };

/** In all namespaces of a region in which jobs run. */
export async function recordEndsOf({ region, clock, onEvent }: InRegion, signal: AbortSignal): Promise<void> {
  const { config, api, namespaces, cacheOf } = region;
  if (!config.jobs) return;
  const data = { region: config.region };
  const tell = (message: string, more: object): void => onEvent(message, { ...data, ...more });
  await inEachNamespace(namespaces, signal, (namespace, ended) =>
    recordEnds({ api, cache: cacheOf(namespace), clock, onEvent: tell }, ended),
  );
}

/**
 * Writes on each of Gantry's jobs of a namespace how it last failed, once for each failure, until the signal is aborted.
 * Jobs of others are not written to. One write at a time; of a job only the latest failure waits. Never rejects.
 */
export async function recordEnds(deps: RecordEndsDeps, signal: AbortSignal): Promise<void> {
  const { cache, clock, onEvent } = deps;
  const seen = watchEnds(cache);
  const data = { namespace: cache.namespace };
  for (let failures = 0; !signal.aborted;) {
    try {
      await recordAll(deps, seen, signal);
      if (failures > 0) onEvent("recording failed jobs works again", data);
      failures = 0;
      await seen.changed(signal);
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      if (failures === 1) onEvent("can't record how a job failed", { ...data, error });
      await clock.sleep(delayAfter(failures, BACK_OFF_MS), signal).catch(() => undefined); // aborted
    }
  }
  seen.close();
}

/** Rejects at the first failed write that may work later; the rest is retried. */
async function recordAll(
  { api, cache }: RecordEndsDeps,
  seen: ReturnType<typeof watchEnds>,
  signal: AbortSignal,
): Promise<void> {
  await cache.current(["Job", "Pod"], signal);
  const waiting = seen.waiting();
  const jobs = new Map(cache.all("Job").map((job) => [job.metadata.uid, job]));
  const owners = new Set(cache.all("Pod").flatMap(({ metadata }) => metadata.ownerReferences.map(({ uid }) => uid)));
  for (const [uid, end] of waiting) {
    const job = jobs.get(uid);
    // Its pod can be known a moment earlier than the job.
    if (!job && owners.has(uid)) continue;
    if (!job || !isToRecord(job, end) || (await isRecorded({ api, cache }, job, { end, signal }))) seen.done(uid, end);
  }
}

function isToRecord({ metadata }: Job, end: JobEnd): boolean {
  if (!isGantrys(metadata, labels.job) || metadata.deletionTimestamp !== undefined) return false;
  const recorded = readJobEnd(metadata.annotations);
  return recorded === undefined || isLater(end, recorded);
}

/** False if somebody changed the job since it was compared, perhaps another replica: the new version is looked at again. */
async function isRecorded(
  { api, cache }: Pick<RecordEndsDeps, "api" | "cache">,
  { metadata }: Job,
  { end, signal }: { readonly end: JobEnd; readonly signal: AbortSignal },
): Promise<boolean> {
  const { namespace, name, uid, resourceVersion } = metadata;
  const body = { metadata: { uid, resourceVersion, annotations: { [annotations.lastEnd]: JSON.stringify(end) } } };
  try {
    cache.applyWrite("Job", await api.patch({ kind: "Job", namespace, name }, { type: "merge", body }, signal));
  } catch (error) {
    if (!(error instanceof KubeError && [404, 409].includes(error.status))) throw error;
    return error.status === 404;
  }
  return true;
}

/** Jobs of which a failure waits to be written; with more, the oldest stay unwritten as if nobody had seen them. */
const MOST = 1_000;

/** How the jobs of a namespace failed, seen as it happens: the next change may be that the pod is gone. */
function watchEnds(cache: NamespaceCache) {
  const ends = new Map<string, JobEnd>();
  let changed = Promise.withResolvers<void>();
  const see = (uid: string, end: JobEnd | undefined): void => {
    const before = ends.get(uid);
    if (!end || (before && !isLater(end, before))) return;
    ends.set(uid, end);
    const [oldest] = ends.keys();
    if (ends.size > MOST && oldest !== undefined) ends.delete(oldest);
    changed.resolve();
  };
  const subscriptions = [
    cache.onChange("Pod", (pod) => (pod ? lookAt(cache, pod, see) : lookAtAll(cache, see))),
    cache.onChange("Job", () => {
      if (ends.size > 0) changed.resolve();
    }),
  ];
  lookAtAll(cache, see);
  return {
    /** By the uid of the job; one that is seen meanwhile is there the next time. */
    waiting() {
      changed = Promise.withResolvers<void>();
      return [...ends];
    },
    /** Forgets it, unless a later one came. */
    done(uid: string, end: JobEnd) {
      if (ends.get(uid) === end) ends.delete(uid);
    },
    /** Resolves when something waits, or a job changed for which something waits. Rejects with the signal's reason. */
    changed: (signal: AbortSignal) => orAborted(changed.promise, signal),
    close() {
      for (const end of subscriptions) end();
    },
  };
}

type See = (uid: string, end: JobEnd | undefined) => void;

function lookAtAll(cache: NamespaceCache, see: See): void {
  const pods = cache.all("Pod");
  const index = indexPods(pods);
  for (const uid of new Set(pods.flatMap(jobOf))) see(uid, jobEndOf(podsOfOwner(uid, index)));
}

/** The pod may be gone by now. */
function lookAt(cache: NamespaceCache, pod: Pod, see: See): void {
  for (const uid of jobOf(pod)) {
    const others = cache.all("Pod").filter((each) => each.metadata.uid !== pod.metadata.uid);
    see(uid, jobEndOf([...podsOfOwner(uid, indexPods(others)), pod]));
  }
}

function jobOf({ metadata }: Pod): readonly string[] {
  const owner = controllerOf(metadata);
  return owner?.kind === "Job" ? [owner.uid] : [];
}

type Stopped = "Deployment" | "StatefulSet";

/**
 * Takes the note of a stop off each service that somebody else scales while it is stopped: later, when they set it to 0
 * again, a start would return to a size from before. Only objects that Gantry stopped have one. Returns what ends it.
 */
export function forgetStops(parts: WriteParts): () => void {
  const closing = new AbortController();
  for (const region of parts.regions.values()) {
    unawaited(
      inEachNamespace(region.namespaces, closing.signal, async (namespace, signal) => {
        const subscriptions = watching(parts, region, region.cacheOf(namespace));
        await restUnlessAborted(new Promise(() => undefined), signal);
        for (const end of subscriptions) end();
      }),
    );
  }
  return () => closing.abort();
}

function watching(parts: WriteParts, region: Region, cache: NamespaceCache): (() => void)[] {
  /** What was tried: a note that may not be changed is left. */
  const tried = new Map<string, string>();
  const look = (kind: Stopped, object: KubeObject<Stopped>): void => {
    const { metadata, spec } = object;
    const at = metadata.annotations[annotations.stoppedAt] ?? metadata.annotations[annotations.size];
    if (at === undefined) tried.delete(metadata.uid);
    if (at === undefined || spec.replicas === 0 || tried.get(metadata.uid) === at) return;
    tried.set(metadata.uid, at);
    unawaited(forget(parts, region, kind, object), (error) => {
      // Somebody was faster: the change is seen, and looked at.
      const isOvertaken = error instanceof KubeError && [404, 409, 422].includes(error.status);
      if (isOvertaken) tried.delete(metadata.uid);
      else parts.onEvent("couldn't forget the size of a service that was stopped and scaled since", { error });
    });
  };
  const kinds: readonly Stopped[] =
    region.config.adopt.workloads === "none" ? ["Deployment"] : ["Deployment", "StatefulSet"];
  return kinds.map((kind) =>
    cache.onChange(kind, (seen) => {
      for (const object of seen ? [seen] : cache.all(kind)) look(kind, object);
    }),
  );
}

async function forget(
  { queue }: WriteParts,
  { api, cacheOf }: Region,
  kind: Stopped,
  object: KubeObject<Stopped>,
): Promise<void> {
  const { namespace, name } = object.metadata;
  const key = JSON.stringify(["forget", namespace, kind, name]);
  const work = () => api.patch({ kind, namespace, name }, forgetStopPatch(object));
  cacheOf(namespace).applyWrite(kind, await queue.run(key, work));
}
