import type { Service } from "../../../api/answers.ts";
import type { ServiceVolume } from "../../../api/service-shape.ts";
import { counted } from "../../../views/kit/text.ts";
import { copied, isTimeZone, some } from "./create-like.ts";
import type { FormFacts } from "../../forms/form.ts";

/** The form of a service like this one. Its domains stay its own: a domain leads to one service. Pure. */
export function valuesOfService(service: Service): FormFacts {
  const {
    name,
    containers = [],
    port_mappings: published = [],
    volumes = [],
    binding_domain_name: domains = [],
  } = service;
  const { target_instance_size: size } = service;
  const open = containers[0]?.ports ?? [];
  const belongs = `Not copied, because they belong to ${name}: ${counted(domains.length, "domain")}.`;
  return copied({
    kind: "service",
    name,
    containers,
    args: {
      instances: size === undefined ? undefined : String(size),
      port: some(open.flatMap(({ container_port, port, protocol }) => portText(container_port ?? port, protocol))),
      publish: some(published.flatMap(({ container_port, protocol }) => portText(container_port, protocol))),
      volume: some(volumes.filter((volume) => !isTimeZone(volume)).map(volumeText)),
    },
    notes: domains.length > 0 ? [belongs] : [],
  });
}

/** `8080`, or `8080/udp`; nothing of a port without a number. */
function portText(port: number | undefined, protocol = "tcp"): string[] {
  if (port === undefined) return [];
  return [protocol.toLowerCase() === "tcp" ? String(port) : `${port}/${protocol.toLowerCase()}`];
}

function volumeText({ name, disk_name: disk = "", is_read_only: isReadOnly }: ServiceVolume): string {
  return `${name}=${disk}${isReadOnly === true ? ":ro" : ""}`;
}
