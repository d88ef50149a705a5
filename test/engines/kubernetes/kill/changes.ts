import type { OperationId } from "../../../../src/api/operations.ts";
import type { NewJob, NewService, Service, ServiceUpdate } from "../../../../src/api/schema.ts";
import { annotations } from "../../../../src/service/engines/kubernetes/names.ts";
import type { Reply } from "../../../service/contract/world.ts";
import { listen, shell, ticking } from "../../../support/container-script.ts";
import type { Found } from "../support/objects.ts";

/** How a change turned out, by what is there afterwards. */
export type Verdict = "took effect" | "did not" | "half";

export type Change = {
  readonly name: string;
  readonly op: OperationId;
  readonly body?: (making: Making) => unknown;
  /** Whether the workload runs before. */
  readonly startsWith: "nothing" | "a service" | "a stopped service" | "a job";
  /** By a read afterwards, and by the objects in the cluster. */
  readonly verdict: (after: Reply, found: readonly Found[]) => Verdict;
};

/** What a body is made of; the name keeps domains apart. */
export type Making = { readonly image: string; readonly name: string };

/** A service with all that can stay behind: a Service of Kubernetes, and a route. */
export function serviceBody({ image, name }: Making): NewService {
  const ports = [{ port: 8080, protocol: "TCP" as const }];
  return {
    containers: [
      { image, command: [...shell(`${listen}; ${ticking}`)], ports, resources: { limits: { memory: "512" } } },
    ],
    port_mappings: [{ container_port: 8080 }],
    binding_domain_name: [`${name}.example.com`],
  };
}

export function jobBody({ image }: Making): NewJob {
  return { containers: [{ image, command: ["sh", "-c", "echo one; echo two"] }] };
}

function updateBody({ name }: Making): ServiceUpdate {
  return {
    target_instance_size: 2,
    containers: [{ resources: { limits: { memory: 256 } } }],
    binding_domain_name: [`${name}-new.example.com`],
  };
}

function isThere({ status }: Reply): Verdict {
  return status === 200 ? "took effect" : "did not";
}

function isGone(after: Reply): Verdict {
  return isThere(after) === "took effect" ? "did not" : "took effect";
}

/** All that is named is as wanted, nothing of it, or some. */
function fields(isNew: (service: Service) => readonly boolean[]) {
  return ({ status, body }: Reply): Verdict => {
    if (status !== 200) return "half";
    const news = isNew(body as Service); // a read that was answered with 200
    if (news.every(Boolean)) return "took effect";
    return news.some(Boolean) ? "half" : "did not";
  };
}

export const changes: readonly Change[] = [
  { name: "create", op: "createService", body: serviceBody, startsWith: "nothing", verdict: isThere },
  {
    name: "update",
    op: "updateService",
    body: updateBody,
    startsWith: "a service",
    verdict: fields(({ containers, target_instance_size: size, binding_domain_name: domains }) => [
      JSON.stringify(containers).includes('"256'),
      size === 2,
      JSON.stringify(domains).includes("-new.example.com"),
    ]),
  },
  {
    name: "scale",
    op: "updateService",
    body: () => ({ target_instance_size: 2 }),
    startsWith: "a service",
    verdict: fields(({ target_instance_size: size }) => [size === 2]),
  },
  { name: "restart", op: "restartService", startsWith: "a service", verdict: restarted },
  {
    name: "stop",
    op: "stopService",
    startsWith: "a service",
    verdict: fields(({ status }) => [status === "Stopped" || status === "Stopping"]),
  },
  {
    name: "start",
    op: "startService",
    startsWith: "a stopped service",
    verdict: fields(({ status }) => [status !== "Stopped"]),
  },
  { name: "delete", op: "deleteService", startsWith: "a service", verdict: isGone },
  { name: "create job", op: "createJob", body: jobBody, startsWith: "nothing", verdict: isThere },
  { name: "delete job", op: "deleteJob", startsWith: "a job", verdict: isGone },
];

/** A restart shows in no field of the answer. */
function restarted({ status }: Reply, found: readonly Found[]): Verdict {
  if (status !== 200) return "half";
  const deployments = found.filter(({ kind }) => kind === "Deployment");
  return JSON.stringify(deployments).includes(annotations.restartedAt) ? "took effect" : "did not";
}
