import { hostname } from "node:os";
import type { Job as JobBody, JobContainer, Service as ServiceBody, ServiceContainer } from "../../../../api/schema.ts";
import type { Pod } from "../cluster/kinds.ts";
import { type PodTemplate, quantityMib } from "./containers.ts";
import type { FoundService } from "./services.ts";
import type { FoundJob } from "./jobs.ts";
import { rolloutOf } from "./rollout.ts";

/** What only the read of one service tells: what else its instances consist of. */
export function withServiceDetails(body: ServiceBody, found: FoundService): ServiceBody {
  const { source, pods, status } = found;
  const { isUpdated } = rolloutOf(source);
  const { template } = source.object.spec;
  const initDigests = status.imageDigests?.slice(template.spec.containers.length);
  return {
    ...body,
    // Until an update is done, its old instances have the old limits.
    ...(isUpdated && body.containers && { containers: withMemoryNow(body.containers, pods) }),
    ...templateDetails(template, initDigests),
    // The name of a pod is its host name.
    ...(pods.some(({ metadata }) => metadata.name === hostname()) && { runs_this_api: true }),
    ...startCommand(found),
  };
}

function startCommand({ source: { kind, object }, service }: FoundService): Pick<ServiceBody, "start_command"> {
  if (kind === "DaemonSet") return {};
  const { namespace, name } = object.metadata;
  const size = Math.max(1, service.definition.size);
  return { start_command: `kubectl -n ${namespace} scale ${kind.toLowerCase()}/${name} --replicas=${size}` };
}

type Digests = readonly (string | undefined)[];

function digestField(digest: string | undefined) {
  return digest === undefined ? {} : { image_digest: digest };
}

/** The same of a job, or of the next job of a CronJob, which has no pods. */
export function withJobDetails(body: JobBody, { object, pods }: Pick<FoundJob, "object" | "pods">): JobBody {
  const { spec } = body;
  const template = spec?.template;
  const containers = template?.spec?.containers;
  return {
    ...body,
    ...(containers && {
      spec: {
        ...spec,
        template: { ...template, spec: { ...template.spec, containers: withMemoryNow(containers, pods) } },
      },
    }),
    ...templateDetails(object.spec.template),
  };
}

/** https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
function withMemoryNow<C extends ServiceContainer | JobContainer>(containers: readonly C[], pods: readonly Pod[]): C[] {
  const running = pods.filter(({ metadata, status }) => {
    return metadata.deletionTimestamp === undefined && status.phase === "Running";
  });
  const statuses = running.flatMap(({ status }) => status.containerStatuses);
  return containers.map((container) => {
    const limits = statuses.flatMap(({ name, resources }) => {
      return name === container.name ? (memoryMib(resources) ?? []) : [];
    });
    const wanted = Number.parseInt(container.resources?.limits?.memory?.toString() ?? "", 10);
    const now = [...new Set(limits)].toSorted((left, right) => left - right);
    return now.every((limit) => limit === wanted) ? container : { ...container, memory_now: now.map(String) };
  });
}

type Resources = PodTemplate["spec"]["resources"];

function memoryMib(resources: Resources): number | undefined {
  const limit = resources?.limits?.["memory"];
  return limit === undefined ? undefined : quantityMib(limit);
}

function templateDetails(
  { spec }: PodTemplate,
  digests?: Digests,
): Pick<ServiceBody, "init_containers" | "sidecars" | "instance_memory"> {
  const all = spec.initContainers.map(({ name, image, resources, restartPolicy }, at) => {
    const memory = memoryMib(resources);
    const limits = memory === undefined ? {} : { limits: { memory: String(memory) } };
    return { restartPolicy, told: { name, image, ...digestField(digests?.[at]), resources: limits } };
  });
  const sidecars = all.filter(({ restartPolicy }) => restartPolicy === "Always");
  const whole = memoryMib(spec.resources);
  return {
    ...(all.length > 0 && { init_containers: all.map(({ told }) => told) }),
    ...(sidecars.length > 0 && { sidecars: sidecars.map(({ told }) => told) }),
    ...(whole !== undefined && { instance_memory: String(whole) }),
  };
}
