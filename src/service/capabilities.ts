import type { NewJob, NewService, ServiceUpdate } from "../api/schema.ts";
import { Refusal, type Engine } from "./engine.ts";

/**
 * Parts of a request that an engine may be unable to honour: what people call them, and where they are in a body.
 * An engine has one table of its limits (`Limit`); it is asked before anything is started, shown by `/healthz` and
 * `/gantry whoami`, and printed in docs/kubernetes.md and docs/docker.md.
 */
export const features = {
  images: { words: "images outside its catalogue", field: "containers[].image" },
  pullAlways: { words: "pulling an image each time", field: "containers[].pull_always" },
  memory: { words: "exact memory limits", field: "containers[].resources.limits.memory" },
  mountPaths: { words: "mount paths", field: "containers[].volumeMounts[].mountPath" },
  localhost: { words: "containers of an instance on one localhost", field: "containers" },
  ports: { words: "ports reachable from outside", field: "port_mappings" },
  domains: { words: "custom domains", field: "binding_domain_name" },
  disks: { words: "new disks", field: "volumes[].disk_name" },
  sharedDisks: { words: "disks shared by several instances", field: "volumes[].disk_name" },
  readOnlyDisks: { words: "read-only disks", field: "volumes[].is_read_only" },
  jobVolumes: { words: "volumes of jobs", field: "volumes" },
  timezone: { words: "the host's time zone", field: "sync_timezone" },
} as const satisfies Readonly<Record<string, { readonly words: string; readonly field: string }>>;

export type Feature = keyof typeof features;

export type Limit = {
  readonly feature: Feature;
  /**
   * `refused`: a request that asks for it is a 400 before anything is started, see `refusingIncapable`. `kept`: it is
   * accepted, stored and shown, and has no effect. `partly`: `why` says what is different; the engine refuses the rest.
   */
  readonly effect: "refused" | "kept" | "partly";
  /** Why, and what to do if something helps: a clause that ends a sentence, without its full stop. */
  readonly why: string;
};

export type RegionAbout = {
  readonly name: string;
  /** Of what runs the workloads here: `v1.20.2`. Undefined while it can't be reached. */
  readonly version: string | undefined;
  /** Whether services run here. */
  readonly services: boolean;
  /** Whether jobs run here. */
  readonly jobs: boolean;
  readonly cannot: readonly Limit[];
  /** Why its workloads can't be read now, or not all of them, and since when: a sentence. */
  readonly problem?: string | undefined;
};

/** An engine's description of itself. It contains no secrets or addresses, so anybody may read it. */
export type EngineAbout = {
  readonly name: "process" | "docker" | "kubernetes";
  /** For people: `Kubernetes`. */
  readonly title: string;
  readonly regions: readonly RegionAbout[];
};

type Limited = { readonly title: string; readonly cannotIn: (region: string) => readonly Limit[] };

/** Makes an engine answer 400 to requests for unsupported features, before anything starts. */
export function refusingIncapable(engine: Engine, { title, cannotIn }: Limited): Engine {
  const check = ({ region }: { readonly region: string }, asked: Asked): void => {
    for (const limit of cannotIn(region)) {
      const place = asked[limit.feature];
      if (limit.effect === "refused" && place !== undefined) throw incapable(limit, { title, region, place });
    }
  };
  return {
    ...engine,
    async createJob(request) {
      check(request.path, newJob(request.body));
      return await engine.createJob(request);
    },
    async createService(request) {
      check(request.path, newService(request.body));
      return await engine.createService(request);
    },
    async updateService(request) {
      check(request.path, domains(request.body));
      return await engine.updateService(request);
    },
  };
}

type Where = { readonly title: string; readonly region: string; readonly place?: string };

/** The 400 for a feature that the engine lacks. Engines use it too, for limits that depend on more than the body. */
export function incapable({ feature, why }: Pick<Limit, "feature" | "why">, { title, region, place }: Where): Refusal {
  const { words, field } = features[feature];
  const what = `the ${title} engine can't honour ${place ?? field} (${words}) in ${region}`;
  return new Refusal(400, `${what}: ${why}. Nothing was changed.`);
}

/** The first place in a body that asks for each feature. */
type Asked = Readonly<Partial<Record<Feature, string>>>;

function newJob({ containers = [], volumes = [], sync_timezone: timezone }: NewJob): Asked {
  return {
    ...placeOf(
      "pullAlways",
      containers.findIndex((each) => each.pull_always),
      "containers[].pull_always",
    ),
    ...mounts(containers),
    ...(volumes.length > 0 && { jobVolumes: "volumes" }),
    ...(timezone === true && { timezone: "sync_timezone" }),
  };
}

function newService(body: NewService): Asked {
  const { containers, volumes = [], port_mappings: ports = [], sync_timezone: timezone } = body;
  const readOnly = volumes.findIndex((each) => each.is_read_only);
  return {
    ...mounts(containers),
    ...domains(body),
    ...(ports.length > 0 && { ports: "port_mappings" }),
    ...(volumes.length > 0 && { disks: "volumes[0].disk_name" }),
    ...placeOf("readOnlyDisks", readOnly, "volumes[].is_read_only"),
    ...(timezone === true && { timezone: "sync_timezone" }),
  };
}

function domains({ binding_domain_name: names = [] }: Pick<ServiceUpdate, "binding_domain_name">): Asked {
  return names.length > 0 ? { domains: "binding_domain_name" } : {};
}

function mounts(containers: NewService["containers"] | NonNullable<NewJob["containers"]>): Asked {
  const index = containers.findIndex(({ volumeMounts = [] }) => volumeMounts.length > 0);
  return placeOf("mountPaths", index, "containers[].volumeMounts[0].mountPath");
}

function placeOf(feature: Feature, index: number, field: string): Asked {
  return index < 0 ? {} : { [feature]: field.replace("[]", `[${index}]`) };
}
