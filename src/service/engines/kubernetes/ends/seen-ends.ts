import { orAborted } from "../../../../platform/waiting.ts";
import type { NamespaceCache } from "../cache/namespace-cache.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { isLater, type JobEnd, jobEndOf } from "../read/jobs/job-end.ts";
import { indexPods, podsOfOwner } from "../read/pods.ts";

type Pod = KubeObject<"Pod">;

/** How the jobs of a namespace failed, seen as it happens: the next change may be that the pod is gone. */
export type SeenEnds = {
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

export function watchEnds(cache: NamespaceCache): SeenEnds {
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
  const owner = metadata.ownerReferences.find(({ controller }) => controller === true);
  return owner?.kind === "Job" ? [owner.uid] : [];
}
