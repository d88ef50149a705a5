import type { Service, ServiceContainer, ServiceVolume } from "../../../../api/answers.ts";
import { endWords, isFirstRollout, serviceStatus, type WorkloadStatus } from "../../../../api/workload-status.ts";
import { context, fields, type Line } from "../../../views/kit/blocks.ts";
import { serviceButtons } from "./card-buttons.ts";
import { type Head, isInVerdict, wholeName } from "./verdict.ts";
import { card, definitionFields, headContext, imageText, logLines, ownerLines, type CardFacts } from "./card-parts.ts";
import { firstOf, hostLink, words, type Inline } from "../../../views/kit/inline.ts";
import type { Message } from "../../../views/kit/post.ts";
import { memoryNowText, memoryText, serviceMemory } from "../../../views/kit/container-text.ts";
import { counted, grouped } from "../../../views/kit/text.ts";
import { age } from "../../../views/kit/time.ts";
import { unreportedOf } from "../../lookup/service-change.ts";

export type ServiceCard = CardFacts & { readonly service: Service };

const LISTED = 4;
/** In which the workload API counts restarts: see Restarts in openapi.yaml. */
const WINDOW_MS = 10 * 60_000;
/** A service can have 200 domains. */
const DOMAINS = 8;

/** How the service is, and where it is reached. */
export function serviceCard({ service, ...given }: ServiceCard): Message {
  const { region, now, log, verdict } = given;
  const status = serviceStatus(service);
  const unreported = unreportedOf(service);
  const head = { name: service.name, status, now, verdict, log, lastEnd: lastEndOf(service, status, now) };
  return card(given, {
    head,
    about: headContext(
      [
        "service",
        wholeName(service.name),
        service.region ?? region,
        service.namespace && `namespace ${service.namespace}`,
        imageText(service.containers ?? []),
      ],
      service.created_at,
      now,
    ),
    facts: factsOf(service, status, now),
    lines: [
      ...rolloutLine(service),
      ...reasonLines(service, head),
      ...(verdict === undefined ? logLines(log) : []),
      ...ownerLines(service),
      ...(addresses(service).length === 0 ? [] : [addresses(service)]),
    ],
    definition: [
      ...fields([
        ...definitionFields(service.containers ?? [], service),
        { label: "Ports", value: (service.port_mappings ?? []).length > 0 ? [] : containerPorts(service.containers) },
        { label: "Volumes", value: volumes(service) },
      ]),
      ...(unreported.length === 0 ? [] : [context(`Not reported by the workload API: ${unreported.join(", ")}`)]),
    ],
    buttons: (placed) => serviceButtons(service, placed),
  });
}

/** "2 of 2 instances · 256 MiB each · 0 restarts in the last 10 min": only what the API says. */
function factsOf(service: Service, { facts }: WorkloadStatus, now: Date): string {
  const { target_instance_size: size, ready_instances: ready, containers = [], instance_memory: whole } = service;
  // Several containers have a line each.
  const memory = containers.length === 1 ? serviceMemory(service) : "–";
  const instances = size === undefined ? undefined : counted(size, "instance");
  return [
    ready === undefined || size === undefined ? instances : `${grouped(ready)} of ${instances}`,
    memory === "–" && memoryNowText(containers[0]) === "" ? undefined : `${memory}${memoryNowText(containers[0])} each`,
    whole === undefined ? undefined : `at most ${memoryText(whole)} for an instance`,
    // Otherwise the first line counts them.
    facts === undefined ? restartsOf(service, now) : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

/** "Rollout: 1 of 3 updated". */
function rolloutLine(service: Service): Line[] {
  const { state = "", updated, target } = service.rollout ?? {};
  if (!["progressing", "stuck"].includes(state) || updated === undefined || target === undefined) return [];
  if (isFirstRollout(service)) return [];
  return [[words(`Rollout: ${grouped(updated)} of ${grouped(target)} updated`)]];
}

/** Instances that were replaced take their restarts with them, so none in ten minutes says too much of those of a minute ago. */
function restartsOf(
  { restarts, restart_count: ever = 0, status_since: since }: Service,
  now: Date,
): string | undefined {
  if (restarts?.count !== undefined) {
    const isFresh = now.getTime() - Date.parse(since ?? "") < WINDOW_MS;
    return restarts.count === 0 && isFresh ? undefined : `${counted(restarts.count, "restart")} in the last 10 min`;
  }
  return ever === 0 ? undefined : counted(ever, "restart");
}

/** "Last restart 2m ago: exit code 1" */
function lastEndOf(service: Service, status: WorkloadStatus, now: Date): string | undefined {
  const { last_at: at = service.last_state?.finished_at } = service.restarts ?? {};
  const ended = endOf(service, status);
  const ago = age(at, now);
  return ended === undefined ? undefined : `Last restart${ago === undefined ? "" : ` ${ago} ago`}: ${ended}`;
}

function endOf({ restarts, last_state: last }: Service, { cause }: WorkloadStatus): string | undefined {
  return restarts?.last_reason ?? (cause === undefined ? endWords(last) : undefined);
}

/** Why it isn't well, if that isn't how an instance ended. */
function reasonLines(service: Service, head: Head): Line[] {
  const { reason } = head.status;
  if (reason === undefined || reason === endOf(service, head.status) || isInVerdict(reason, head)) return [];
  return [[words(`Reason: ${reason}`, 600)]];
}

/** Where it answers: the address of each port, then its domains. */
function addresses({ port_mappings, default_domain_name, binding_domain_name }: Service): Inline[] {
  const ports = (port_mappings ?? []).filter(({ service_url }) => service_url !== undefined);
  const mapped = ports.slice(0, LISTED).map(({ service_url, container_port }) => {
    const port = ports.length > 1 && container_port !== undefined ? [words(`${container_port} → `, 40)] : [];
    return [...port, hostLink(service_url)];
  });
  const isKnown = ports.some(({ service_url }) => service_url === default_domain_name);
  const own = default_domain_name === undefined || isKnown ? [] : [[hostLink(default_domain_name)]];
  const more = ports.length > LISTED ? [[words(`${ports.length - LISTED} more ports`)]] : [];
  const bound = firstOf(binding_domain_name ?? [], DOMAINS, (domain) => hostLink(domain));
  const all = [...mapped, ...more, ...own, ...(bound.length === 0 ? [] : [bound])];
  return all.flatMap((each, at) => (at === 0 ? each : [words(" · "), ...each]));
}

function containerPorts(containers: readonly ServiceContainer[] | undefined): Inline[] {
  const all = (containers ?? []).flatMap((each) => each.ports ?? []);
  return firstOf(all, LISTED, ({ container_port, port, protocol }) =>
    words(`${container_port ?? port ?? "?"}/${protocol ?? "TCP"}`, 40),
  );
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
