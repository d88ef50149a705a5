import type { FoundJob } from "../read/jobs/found-job.ts";
import type { FoundService } from "../read/found-service.ts";
import type { Place } from "../read/place.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import type { LoggedWorkload } from "./region-logs.ts";

export function loggedService(place: Place, { source, service, pods }: FoundService): LoggedWorkload {
  return loggedWorkload(place, source, { name: service.name, pods });
}

export function loggedJob(place: Place, { object, job, pods }: FoundJob): LoggedWorkload {
  return loggedWorkload(place, { kind: "Job", object }, { name: job.name, pods });
}

type Source = Pick<LoggedWorkload, "kind"> & { readonly object: Pick<KubeObject<"Pod">, "metadata"> };

function loggedWorkload(
  { region }: Pick<Place, "region">,
  { kind, object: { metadata } }: Source,
  { name, pods }: { readonly name: string; readonly pods: readonly KubeObject<"Pod">[] },
): LoggedWorkload {
  return {
    region: region.config.region,
    namespace: metadata.namespace,
    uid: metadata.uid,
    name,
    kind,
    objectName: metadata.name,
    createdAt: metadata.creationTimestamp,
    pods: pods.map(({ metadata }) => metadata.name),
  };
}
