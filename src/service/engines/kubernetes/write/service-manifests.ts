import type { ServiceDefinition } from "../../../workloads/definitions.ts";
import {
  annotations,
  labels,
  MANAGED_BY,
  claimOf,
  podVolumeOf,
  domainPortName,
  mappedPortName,
  routeNameOf,
} from "../names.ts";
import { timeZoneVolume, writeRemembered } from "../read/containers.ts";
import { type PodSettings, podContainers, podDefaults, type PodVolume } from "./pod-template.ts";
import type { ClusterConfig, Rollouts } from "../cluster/cluster-config.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import type { Region } from "../regions.ts";

type NewDeployment = {
  readonly name: string;
  readonly definition: ServiceDefinition;
  /** Tells the Deployment of this request from one that somebody else made at the same time. */
  readonly request: string;
  readonly settings: PodSettings;
  readonly rollouts: Rollouts;
  /** Further annotations. */
  readonly notes?: Readonly<Record<string, string>>;
  /** A disk that only one node can write to at a time: instances are replaced one after the other, never side by side. */
  readonly holdsDisk: boolean;
  /** The value of the annotation `gantry/making`; undefined if nothing but the Deployment has to be made. */
  readonly making: string | undefined;
};

/** The oldest minor version of Kubernetes 1 that knows `preStop.sleep`; an older one refuses the whole pod.
 * https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/#hook-handler-implementations */
const SLEEPS_SINCE = 30;

/**
 * Kubernetes' own deadline is ten minutes, which is long for whoever waits for a deploy. It tells a pod to end at the same
 * moment as it begins to send nobody there any more, so a program that ends at once cuts off those who are on their way.
 */
export function rolloutsIn({ config, version }: Pick<Region, "config" | "version">): Rollouts {
  const { progressDeadlineSeconds = 120, preStopSeconds = 5 } = config.rollouts ?? {};
  const [, minor = "0"] = /^v1\.(\d+)\b/u.exec(version) ?? [];
  return { progressDeadlineSeconds, preStopSeconds: Number(minor) >= SLEEPS_SINCE ? preStopSeconds : 0 };
}

/** How long an instance without a port to probe has to run before it counts as ready. Docker waits as long. */
const RUNS_SECONDS = 5;

/**
 * Without a probe, Kubernetes takes a container for ready in the moment in which it starts, and a version that exits at once
 * would replace the old instances one after the other.
 */
export function steadiness({ ports }: Pick<ServiceDefinition, "ports">): { readonly minReadySeconds?: number } {
  return ports.length === 0 ? { minReadySeconds: RUNS_SECONDS } : {};
}

/** A Deployment for a service, without apiVersion and kind. */
export function deploymentManifest(made: NewDeployment): object {
  const { name, definition, holdsDisk } = made;
  return {
    metadata: { name, labels: labelsOf(name), annotations: annotationsOf(made) },
    spec: {
      replicas: definition.size,
      selector: { matchLabels: { [labels.service]: name } },
      ...steadiness(definition),
      progressDeadlineSeconds: made.rollouts.progressDeadlineSeconds,
      strategy: holdsDisk
        ? { type: "Recreate" }
        : { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      template: { metadata: { labels: labelsOf(name) }, spec: podSpec(made) },
    },
  };
}

function labelsOf(service: string): Readonly<Record<string, string>> {
  return { [labels.managedBy]: MANAGED_BY, [labels.name]: service, [labels.service]: service };
}

function annotationsOf({ definition, request, notes, making }: NewDeployment): Readonly<Record<string, string>> {
  const { volumes, ports, syncTimezone, size } = definition;
  const remembered = {
    volumes: volumes.map(({ name, diskName, readOnly }) => ({
      podVolume: podVolumeOf(name),
      name,
      disk: { name: diskName, claim: claimOf(diskName) },
      readOnly,
    })),
    ports: [...ports],
    syncTimezone,
  };
  return {
    [annotations.request]: request,
    ...notes,
    [annotations.remembered]: writeRemembered(remembered),
    ...(size === 0 && { [annotations.idle]: "true" }),
    ...(making !== undefined && { [annotations.making]: making }),
  };
}

function podSpec({ name, definition, settings, holdsDisk, rollouts }: NewDeployment): object {
  const { containers, syncTimezone } = definition;
  // Where the next pod has to wait for the end of this one, it would only make the gap longer.
  const isDrained = !holdsDisk && domainPort(definition) !== undefined;
  const preStopSeconds = isDrained ? rollouts.preStopSeconds : 0;
  const timeZone = syncTimezone ? timeZoneVolume(name) : undefined;
  const disks = definition.volumes.map(({ name, diskName, readOnly }): PodVolume => ({
    name: podVolumeOf(name),
    persistentVolumeClaim: { claimName: claimOf(diskName), readOnly },
  }));
  return {
    ...podDefaults(settings),
    containers: podContainers(containers, { timeZone, probed: probedPorts(definition), preStopSeconds, settings }),
    volumes: [...disks, ...(timeZone ? [timeZone] : [])],
  };
}

/** The first mapped port of each container. One that no container names is taken for the first container's. */
function probedPorts({ containers, ports }: ServiceDefinition): ReadonlyMap<number, number> {
  const probed = new Map<number, number>();
  for (const { containerPort } of ports) {
    const index = Math.max(
      containers.findIndex((container) => container.ports.some(({ port }) => port === containerPort)),
      0,
    );
    if (!probed.has(index)) probed.set(index, containerPort);
  }
  return probed;
}

type Ports = Pick<ServiceDefinition, "ports" | "containers">;

/** The port that domains are routed to: the first mapping's, otherwise the first that a container names. */
export function domainPort({ ports, containers }: Ports): number | undefined {
  return ports[0]?.containerPort ?? containers.flatMap((container) => container.ports)[0]?.port;
}

type OwnedBy = Pick<KubeObject<"Deployment">, "metadata">;

/**
 * Makes an object go with its Deployment. The Deployment doesn't wait for it (`blockOwnerDeletion`): that would take the
 * right to `update` its `finalizers` where the cluster enforces it, as OpenShift does.
 */
function ownedBy({ metadata: { name, uid } }: OwnedBy): object {
  const owner = { apiVersion: "apps/v1", kind: "Deployment", name, uid, controller: true };
  return { labels: labelsOf(name), ownerReferences: [owner] };
}

const types = { cluster: "ClusterIP", "node-port": "NodePort", "load-balancer": "LoadBalancer" } as const;

type Addressed = { readonly mapped: readonly number[]; readonly routed: number | undefined };

/** The v1 Service for the mapped ports and for the one that domains are routed to. */
export function v1ServiceManifest(
  deployment: OwnedBy,
  { mapped, routed }: Addressed,
  { by }: ClusterConfig["ports"],
): object {
  const { name } = deployment.metadata;
  const ports = mapped.map((port) => ({ name: mappedPortName(port), port, targetPort: port, protocol: "TCP" }));
  if (routed !== undefined && !mapped.includes(routed)) {
    ports.push({ name: domainPortName(routed), port: routed, targetPort: routed, protocol: "TCP" });
  }
  // Without a mapping, nothing outside has to reach it.
  const type = mapped.length === 0 ? "ClusterIP" : types[by];
  return {
    metadata: { name, ...ownedBy(deployment) },
    spec: { type, selector: { [labels.service]: name }, ports },
  };
}

export type NewRoute = {
  readonly kind: "Ingress" | "HTTPRoute";
  readonly name: string;
  readonly domains: readonly string[];
  readonly body: object;
};

/** https://gateway-api.sigs.k8s.io/reference/spec/: at most 16 host names in a route. */
const HTTP_ROUTE_NAMES = 16;

/** The routes of a service's domains; none without domains. */
export function routeManifests(
  deployment: OwnedBy,
  { domains, port }: { readonly domains: readonly string[]; readonly port: number },
  config: ClusterConfig["domains"],
): readonly NewRoute[] {
  const { name } = deployment.metadata;
  const routeOf = (kind: NewRoute["kind"], at: number, hosts: readonly string[], spec: object): NewRoute => {
    const route = routeNameOf(name, at);
    const metadata = { name: route, ...ownedBy(deployment) };
    return { kind, name: route, domains: hosts, body: { metadata, spec } };
  };
  if (domains.length === 0 || config.by === "none") return [];
  if (config.by === "ingress") {
    const spec = {
      ...(config.class !== undefined && { ingressClassName: config.class }),
      rules: domains.map((host) => ingressRule(host, { name, port })),
    };
    return [routeOf("Ingress", 0, domains, spec)];
  }
  const { gateway, namespace } = config;
  return Array.from({ length: Math.ceil(domains.length / HTTP_ROUTE_NAMES) }, (_, index) => {
    const hostnames = domains.slice(index * HTTP_ROUTE_NAMES, (index + 1) * HTTP_ROUTE_NAMES);
    return routeOf("HTTPRoute", index, hostnames, {
      parentRefs: [{ name: gateway, ...(namespace !== undefined && { namespace }) }],
      hostnames,
      rules: [{ backendRefs: [{ name, port }] }],
    });
  });
}

/** Sends a domain to a port of a v1 Service. */
export function ingressRule(host: string, to: { readonly name: string; readonly port: number }): object {
  const service = { name: to.name, port: { number: to.port } };
  return { host, http: { paths: [{ path: "/", pathType: "Prefix", backend: { service } }] } };
}

/** A disk. It has no owner: it stays when its service is deleted. */
export function claimManifest(
  name: string,
  { storageClass, size }: NonNullable<ClusterConfig["disks"]>,
  extra: { readonly labels: object; readonly annotations: object },
): object {
  return {
    metadata: { name, ...extra },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: storageClass,
      resources: { requests: { storage: size } },
    },
  };
}
