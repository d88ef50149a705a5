import type { NewJob, NewService, ServiceUpdate } from "../api/schema.ts";
import { type Engine, type Feature, features, type Limit, Refusal } from "./engine.ts";

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
