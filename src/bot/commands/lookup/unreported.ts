import type { JobContainer, Service, ServiceContainer } from "../../../api/answers.ts";

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
