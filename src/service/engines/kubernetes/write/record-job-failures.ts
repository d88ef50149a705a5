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
import { orAborted } from "../../../../platform/waiting.ts";

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
  try {
    for (let failures = 0; !signal.aborted;) {
      try {
        await recordAll(deps, seen, signal);
        if (failures > 0) onEvent("recording failed jobs works again", data);
        failures = 0;
        await seen.changed(signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (failures === 1) onEvent("can't record how a job failed", { ...data, error });
        await clock.sleep(delayAfter(failures, BACK_OFF_MS), signal);
      }
    }
  } catch (error) {
    if (!signal.aborted) onEvent("recording failed jobs has stopped", { ...data, error });
  } finally {
    seen.close();
  }
}

/** Rejects at the first failed write that may work later; the rest is retried. */
async function recordAll({ api, cache }: RecordEndsDeps, seen: SeenEnds, signal: AbortSignal): Promise<void> {
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

type Recording = { readonly end: JobEnd; readonly signal: AbortSignal };

/** False if somebody changed the job since it was compared, perhaps another replica: the new version is looked at again. */
async function isRecorded(
  { api, cache }: Pick<RecordEndsDeps, "api" | "cache">,
  { metadata }: Job,
  { end, signal }: Recording,
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

/** How the jobs of a namespace failed, seen as it happens: the next change may be that the pod is gone. */
type SeenEnds = {
  /** By the uid of the job; one that is seen meanwhile is there the next time. */
  readonly waiting: () => readonly (readonly [uid: string, end: JobEnd])[];
  /** Forgets it, unless a later one came. */
  readonly done: (uid: string, end: JobEnd) => void;
  /** Resolves when something waits, or a job changed for which something waits. Rejects with the reason of an aborted signal. */
  readonly changed: (signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
};

/** Jobs of which a failure waits to be written; with more, the oldest stay unwritten as if nobody had seen them. */
const MOST = 1_000;

function watchEnds(cache: NamespaceCache): SeenEnds {
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
    waiting() {
      changed = Promise.withResolvers<void>();
      return [...ends];
    },
    done(uid, end) {
      if (ends.get(uid) === end) ends.delete(uid);
    },
    changed: (signal) => orAborted(changed.promise, signal),
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
