import { z } from "zod";
import type { Service, JobContainer, ServiceContainer } from "../../../api/answers.ts";
import { requestLimits } from "../../../api/request-limits.ts";
import type { ContainerUpdate } from "../../../api/schema.ts";
import type { FormField } from "../forms/form.ts";
import { UserError } from "../../errors.ts";

export const containerField: FormField = {
  id: "container",
  label: "Container",
  hint: "Only needed if the service has several containers.",
  isMore: true,
  input: { kind: "text", maxLength: requestLimits.containerName },
};

/** `--container`, for services with several. */
export const ContainerName = z
  .string()
  .min(1, "--container needs a value.")
  .max(requestLimits.containerName, `--container takes at most ${requestLimits.containerName} characters.`);

/**
 * All containers whose image can be changed: those that start before the others have the places after them, and an update
 * finds them by their names.
 */
export function deployable(service: Service): Service {
  const { containers, init_containers: init = [] } = service;
  return containers === undefined ? service : { ...service, containers: [...containers, ...init] };
}

/** The position of the only container, or of the named one. Throws a `UserError` when it is unclear. */
export function containerPosition({ name, containers }: Service, wanted: string | undefined): number {
  if (containers === undefined) {
    if (wanted === undefined) return 0;
    throw new UserError(
      `Couldn't find container ${wanted} of ${name}: the workload API doesn't report its containers.`,
      { next: "Nothing was changed. Without --container, it is the first container." },
    );
  }
  if (wanted === undefined && containers.length <= 1) return 0;
  const at = wanted === undefined ? -1 : containers.findIndex((container) => container.name === wanted);
  if (at >= 0) return at;
  const names = containers
    .map((container, index) => container.name ?? `(container ${index + 1} has no name)`)
    .join(", ");
  const what =
    wanted === undefined ? `${name} has ${containers.length} containers` : `${name} has no container named ${wanted}`;
  throw new UserError(`${what}.`, { next: `Say which with --container: ${names}.` });
}

/**
 * The API doesn't document whether an update finds its container by position or by name. With several containers the
 * update has both: each container in its position with its name, and only one with a new limit.
 */
export function containerUpdates(
  { containers = [] }: Service,
  at: number,
  update: (name: string | undefined) => ContainerUpdate,
): ContainerUpdate[] {
  if (containers.length <= 1) return [update(undefined)];
  return containers
    .slice(0, at + 1)
    .map(({ name }, index) => (index === at ? update(name) : name === undefined ? {} : { name }));
}

/** Fields of a service that the API's answer leaves out. They are unknown, which isn't the same as empty. Pure. */
export function unreportedOf(service: Service): string[] {
  const { containers, target_instance_size, port_mappings, volumes, binding_domain_name } = service;
  return [
    ...(target_instance_size === undefined ? ["instances"] : []),
    ...unreportedIn(containers?.[0]),
    ...(containers?.[0]?.command === undefined ? ["command"] : []),
    ...(containers?.[0]?.env === undefined ? ["environment"] : []),
    ...(port_mappings === undefined ? ["ports"] : []),
    ...(volumes === undefined ? ["volumes"] : []),
    ...(binding_domain_name === undefined ? ["domains"] : []),
  ];
}

/** The same of a container. In the API's document, a job's has `env` and `command` only where they were given. */
export function unreportedIn(container: ServiceContainer | JobContainer | undefined): string[] {
  return [
    ...(container?.image === undefined ? ["image"] : []),
    ...(container?.resources === undefined ? ["memory"] : []),
  ];
}
