import { unawaited, restUnlessAborted } from "../../../../platform/waiting.ts";
import type { NamespaceCache } from "../cache/namespace-cache.ts";
import { KubeError } from "../cluster/kube-api.ts";
import { annotations } from "../names.ts";
import type { FoundService } from "../read/services.ts";
import type { Region } from "../regions.ts";
import { inEachNamespace } from "../region-namespaces.ts";
import { forgetStopPatch } from "./service-patches.ts";
import type { WriteParts } from "./target.ts";

type Stopped = Exclude<FoundService["source"], { kind: "DaemonSet" }>;

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
  const look = (source: Stopped): void => {
    const { metadata, spec } = source.object;
    const at = metadata.annotations[annotations.stoppedAt] ?? metadata.annotations[annotations.size];
    if (at === undefined) tried.delete(metadata.uid);
    if (at === undefined || spec.replicas === 0 || tried.get(metadata.uid) === at) return;
    tried.set(metadata.uid, at);
    unawaited(forget(parts, region, source), (error) => {
      // Somebody was faster: the change is seen, and looked at.
      const isOvertaken = error instanceof KubeError && [404, 409, 422].includes(error.status);
      if (isOvertaken) tried.delete(metadata.uid);
      else parts.onEvent("couldn't forget the size of a service that was stopped and scaled since", { error });
    });
  };
  const ends = [
    cache.onChange("Deployment", (seen) => {
      for (const object of seen ? [seen] : cache.all("Deployment")) look({ kind: "Deployment", object });
    }),
  ];
  if (region.config.adopt.workloads === "none") return ends;
  const end = cache.onChange("StatefulSet", (seen) => {
    for (const object of seen ? [seen] : cache.all("StatefulSet")) look({ kind: "StatefulSet", object });
  });
  return [...ends, end];
}

async function forget({ queue }: WriteParts, { api, cacheOf }: Region, { kind, object }: Stopped): Promise<void> {
  const { namespace, name } = object.metadata;
  const key = JSON.stringify(["forget", namespace, kind, name]);
  const work = () => api.patch({ kind, namespace, name }, forgetStopPatch(object));
  cacheOf(namespace).applyWrite(kind, await queue.run(key, work));
}
