import { MEMORY_RANGE, memoryMiB, parseMemoryMiB } from "../../api/memory.ts";
import type { NewJob, NewService, ServiceUpdate } from "../../api/schema.ts";
import { firstDuplicate, plainMountPath, wrongMountPath } from "../../api/request-limits.ts";
import { NotServed } from "./answers.ts";

/**
 * Checks rules that a schema can't express, such as duplicate ports, and lower-cases domains. `body` already fits the
 * operation's schema. Done here so that every engine gets the same input. Throws a `NotServed` 400.
 */
export function checkedBody(op: string, body: unknown): unknown {
  switch (op) {
    case "createJob":
      checkNewJob(body as NewJob); // the reader has validated it
      return body;
    case "createService":
      return checkedService(body as NewService); // the reader has validated it
    case "updateService":
      return checkedUpdate(body as ServiceUpdate); // the reader has validated it
    default:
      return body;
  }
}

function checkNewJob(body: NewJob): void {
  const { from_cron_job: cronJob, ...own } = body;
  if (cronJob === undefined) {
    if (body.containers === undefined) throw refused("containers is required");
    checkNew({ ...body, containers: body.containers });
    return;
  }
  const [other] = Object.keys(own);
  if (other !== undefined) throw refused(`${other} can't be used with from_cron_job: the CronJob has it all`);
}

function checkedService(body: NewService): NewService {
  checkNew(body);
  const mapped = (body.port_mappings ?? []).map(({ container_port }) => container_port);
  refuseDuplicate("port_mappings", mapped);
  return { ...body, ...checkedDomains(body.binding_domain_name) };
}

function checkedUpdate(body: ServiceUpdate): ServiceUpdate {
  const { revision, ...rest } = body;
  const [other] = Object.keys(rest);
  if (revision !== undefined && other !== undefined) {
    throw refused(`${other} can't be updated with revision: send revision alone`);
  }
  const changes = body.containers ?? [];
  for (const [index, { resource, resources, env }] of changes.entries()) {
    const { set = [], remove = [] } = env ?? {};
    refuseDuplicate(`containers[${index}].env`, [...set.map(({ name }) => name), ...remove]);
    checkMemory({ resources }, `containers[${index}].resources`);
    checkMemory({ resources: resource }, `containers[${index}].resource`);
    if (resource && resources && limitOf(resource) !== limitOf(resources)) {
      throw refused(`containers[${index}] has resource and resources with different values: send only resources`);
    }
  }
  refuseDuplicate(
    "containers",
    changes.flatMap(({ name }) => name ?? []),
  );
  return { ...body, ...checkedDomains(body.binding_domain_name) };
}

type Resources = { readonly limits?: { readonly memory?: string | number } };

function limitOf({ limits }: Resources): number | undefined {
  return parseMemoryMiB(limits?.memory);
}

function checkedDomains(requested: readonly string[] | undefined): Pick<ServiceUpdate, "binding_domain_name"> {
  if (!requested) return {};
  const domains = requested.map((domain) => domain.toLowerCase());
  refuseDuplicate("binding_domain_name", domains);
  return { binding_domain_name: domains };
}

type NewWorkload = (NewJob | NewService) & { readonly containers: NonNullable<(NewJob | NewService)["containers"]> };
type NewContainer = NewWorkload["containers"][number];

function checkNew({ containers, volumes = [] }: NewWorkload): void {
  const names = volumes.map(({ name }) => name);
  refuseDuplicate("volumes", names);
  for (const [index, container] of containers.entries()) {
    const where = `containers[${index}]`;
    const opened = (container.ports ?? []).map(({ port }) => port);
    refuseDuplicate(`${where}.ports`, opened);
    checkMemory(container, `${where}.resources`);
    checkMounts(container, where, names);
  }
}

function checkMemory({ resources }: { readonly resources?: Resources | undefined }, where: string): void {
  const memory = resources?.limits?.memory;
  if (memory === undefined || memoryMiB(memory) !== undefined) return;
  throw refused(`${where}.limits.memory must be ${MEMORY_RANGE}`);
}

function checkMounts({ volumeMounts = [] }: NewContainer, where: string, volumes: readonly string[]): void {
  const paths = volumeMounts.map(({ mountPath }) => plainMountPath(mountPath));
  refuseDuplicate(`${where}.volumeMounts`, paths);
  for (const [index, { name, mountPath }] of volumeMounts.entries()) {
    const wrong = wrongMountPath(mountPath);
    if (wrong !== undefined) throw refused(`${where}.volumeMounts[${index}].mountPath ${wrong}`);
    if (volumes.includes(name)) continue;
    const known = volumes.length > 0 ? `there are ${volumes.join(", ")}` : "there are none";
    throw refused(`${where}.volumeMounts names ${JSON.stringify(name)}, which isn't in volumes: ${known}`);
  }
}

function refuseDuplicate(where: string, entries: readonly (string | number)[]): void {
  const duplicate = firstDuplicate(entries);
  if (duplicate !== undefined) throw refused(`${where} has ${duplicate} twice: send each once`);
}

function refused(message: string): NotServed {
  return new NotServed(400, message);
}
