import type { Service, ServiceContainer, ServiceVolume } from "../../../api/answers.ts";
import { context, fields, header, section, type Field } from "../../../views/kit/blocks.ts";
import { buttonRow, serviceButtons, type CardActions } from "./card-buttons.ts";
import { containerFields, created } from "./card-fields.ts";
import { firstOf, hostLink, words, type Inline } from "../../../views/kit/inline.ts";
import type { Message } from "../../../views/kit/message.ts";
import { serviceMemory } from "../../../views/kit/container-text.ts";
import { post } from "../../../views/kit/post.ts";
import { markedStatus } from "../../../views/kit/status.ts";
import { counted, grouped, truncate, visible } from "../../../views/kit/text.ts";
import { type Waiting, waitingLines } from "./waiting-lines.ts";

export type ServiceCard = {
  readonly service: Service;
  readonly region: string;
  readonly now: Date;
  readonly command: string;
  /** Hints name the region when it differs from this one. */
  readonly defaultRegion?: string;
  /** A card without it has no buttons. */
  readonly actions?: CardActions | undefined;
  /** Its changes that wait for approval; undefined when not checked. */
  readonly waiting?: Waiting | undefined;
};

const LISTED = 4;
/** A service can have 200 domains. */
const DOMAINS = 8;

export function serviceCard(card: ServiceCard): Message {
  const { service, region, now, command, defaultRegion = region } = card;
  const name = truncate(visible(service.name), 255);
  const size = service.target_instance_size;
  const instances = size === undefined ? [] : [counted(size, "instance")];
  const status = service.status ?? "status not told";
  const at = region === defaultRegion ? "" : ` --region ${region}`;
  const all: readonly Field[] = [
    { label: "Status", value: [words(markedStatus(status), 80)] },
    { label: "Why", value: service.status_reason === undefined ? [] : [words(service.status_reason, 600)] },
    { label: "Instances", value: size === undefined ? [] : [words(grouped(size))] },
    ...containerFields(service.containers),
    { label: "Ports", value: ports(service) },
    { label: "Domains", value: domains(service) },
    { label: "Volumes", value: volumes(service) },
    { label: "Created", value: created(service.created_at, now) },
    { label: "Region", value: [words(service.region ?? region, 60)] },
    { label: "UID", value: service.uid === undefined ? [] : [words(service.uid, 80)] },
  ];
  const spoken = [`Service ${name}: ${status}`, ...instances, serviceMemory(service)].join(", ");
  const blocks = [
    header(`Service ${name}`),
    ...fields(all),
    ...waitingLines(card.waiting),
    ...((service.containers ?? []).some(({ env }) => (env ?? []).length > 0)
      ? [context("Values of environment variables are never shown.")]
      : []),
    section(`Log: \`${command} logs ${name}${at}\``),
  ];
  const buttons = card.actions === undefined ? [] : serviceButtons(service, { ...card.actions, region });
  return post(spoken, [...blocks, ...buttonRow(blocks, buttons)]);
}

function ports({ port_mappings, containers }: Service): Inline[] {
  const mapped = port_mappings ?? [];
  if (mapped.length === 0) return containerPorts(containers);
  const shown = mapped
    .slice(0, LISTED)
    .map(({ service_url, container_port, protocol }) => [
      words(`${container_port ?? "?"}/${protocol ?? "tcp"} → `, 40),
      service_url === undefined ? words("no address yet") : hostLink(service_url),
    ]);
  const more = mapped.length > LISTED ? [words(` and ${mapped.length - LISTED} more`)] : [];
  return [...shown.flatMap((pair, at) => (at === 0 ? pair : [words(", "), ...pair])), ...more];
}

function containerPorts(containers: readonly ServiceContainer[] | undefined): Inline[] {
  const all = (containers ?? []).flatMap((each) => each.ports ?? []);
  return firstOf(all, LISTED, ({ container_port, port, protocol }) =>
    words(`${container_port ?? port ?? "?"}/${protocol ?? "TCP"}`, 40),
  );
}

/** The address the service assigned, then the bound ones. */
function domains({ default_domain_name, binding_domain_name }: Service): Inline[] {
  const bound = firstOf(binding_domain_name ?? [], DOMAINS, (domain) => hostLink(domain));
  if (default_domain_name === undefined) return bound;
  return [hostLink(default_domain_name), ...(bound.length === 0 ? [] : [words(", "), ...bound])];
}

function volumes({ volumes: all, containers }: Service): Inline[] {
  const mounts = (containers ?? []).flatMap(({ volumeMounts }) => volumeMounts ?? []);
  const path = (volume: ServiceVolume) => mounts.find((mount) => mount.name === volume.name)?.mountPath;
  return firstOf(all ?? [], LISTED, (volume) => {
    const disk = volume.disk_name === undefined ? "" : ` (disk ${volume.disk_name})`;
    const mounted = path(volume) === undefined ? "" : ` at ${path(volume)}`;
    return words(`${volume.name}${disk}${mounted}${volume.is_read_only === true ? ", read-only" : ""}`, 100);
  });
}
