import type { JobDefinition } from "../../../workloads/definitions/job-definition.ts";
import { annotations, labels, MANAGED_BY } from "../names.ts";
import { timeZoneVolume, writeRemembered } from "../read/remembered.ts";
import { hostPathOf, podVolumeOf } from "./object-names.ts";
import type { PodSettings } from "./pod-security.ts";
import { podContainers, podDefaults, type PodVolume } from "./pod-template.ts";

export type NewJob = {
  readonly name: string;
  readonly namespace: string;
  readonly definition: JobDefinition;
  readonly request: string;
  readonly settings: PodSettings;
  /** Further annotations. */
  readonly notes?: Readonly<Record<string, string>>;
  /** How many times a failed one is tried again. */
  readonly retries: number;
  /** Where volumes are on the nodes; only needed for a job with volumes. */
  readonly hostPath: string | undefined;
};

/** A Job, without apiVersion and kind. */
export function jobManifest(made: NewJob): object {
  const { name, namespace, definition, settings, request, notes, retries, hostPath = "" } = made;
  const own = { [labels.managedBy]: MANAGED_BY, [labels.name]: name, [labels.job]: name };
  const timeZone = definition.syncTimezone ? timeZoneVolume(name) : undefined;
  const volumes = definition.volumes.map((volume): PodVolume => {
    const path = hostPathOf(hostPath, namespace, volume);
    return { name: podVolumeOf(volume), hostPath: { path, type: "DirectoryOrCreate" } };
  });
  const remembered = {
    volumes: definition.volumes.map((volume) => ({ podVolume: podVolumeOf(volume), name: volume })),
    syncTimezone: definition.syncTimezone,
  };
  return {
    metadata: {
      name,
      labels: own,
      annotations: { [annotations.request]: request, ...notes, [annotations.remembered]: writeRemembered(remembered) },
    },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: retries,
      template: {
        metadata: { labels: own },
        spec: {
          ...podDefaults(settings),
          restartPolicy: "OnFailure",
          containers: podContainers(definition.containers, { timeZone, probed: new Map(), settings }),
          volumes: [...volumes, ...(timeZone ? [timeZone] : [])],
        },
      },
    },
  };
}
