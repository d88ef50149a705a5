import type { Container } from "../../../workloads/definitions/container.ts";
import type { PodDefaults } from "../cluster/cluster-config.ts";
import { quantityMib } from "../read/quantity.ts";
import { escaped } from "./literal.ts";
import { podVolumeOf } from "./object-names.ts";
import { type PodSettings, securityContexts } from "./pod-security.ts";

export type PodVolume = { readonly name: string } & (
  | { readonly persistentVolumeClaim: { readonly claimName: string; readonly readOnly: boolean } }
  | { readonly hostPath: { readonly path: string; readonly type?: string } }
);

type Mounted = {
  /** The volume of the time zone, in each container. */
  readonly timeZone: PodVolume | undefined;
  /** The port that has to answer before a container counts as ready, by the index of the container. */
  readonly probed: ReadonlyMap<number, number>;
  readonly settings: PodSettings;
};

/** The containers of a definition for a pod. */
export function podContainers(containers: readonly Container[], { timeZone, probed, settings }: Mounted): object[] {
  const { container: security } = securityContexts(settings);
  return containers.map((container, index) => ({
    ...podContainer(container),
    ...resourcesOf(container, settings.defaults),
    ...security,
    volumeMounts: [
      ...container.mounts.map(({ name, mountPath }) => ({ name: podVolumeOf(name), mountPath })),
      ...(timeZone ? [{ name: timeZone.name, mountPath: "/etc/localtime", readOnly: true }] : []),
    ],
    ...readiness(probed.get(index)),
  }));
}

function podContainer({ name, image, command, env, ports, pullAlways }: Container): object {
  return {
    name,
    image,
    imagePullPolicy: pullAlways ? "Always" : "IfNotPresent",
    ...(command && { command: command.map(escaped) }),
    ...(env && {
      env: env.map(({ name, value }) => ({ name, ...(value !== undefined && { value: escaped(value) }) })),
    }),
    ports: ports.map(({ port, protocol }) => ({ containerPort: port, protocol })),
  };
}

/** What was asked for, and the defaults of the region where nothing was. */
function resourcesOf({ memoryMib }: Pick<Container, "memoryMib">, defaults: PodDefaults): object {
  const memory = memoryMib === undefined ? defaults.limits?.memory : memoryQuantity(memoryMib);
  const limits = { ...defaults.limits, ...(memory !== undefined && { memory }) };
  const requests = { ...defaults.requests, ...requestFor(memory, defaults) };
  const resources = {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  return Object.keys(resources).length > 0 ? { resources } : {};
}

/** Kubernetes refuses a container that requests more than its limit. */
export function requestFor(limit: string | undefined, { requests }: PodDefaults): { readonly memory?: string } {
  const requested = requests?.memory;
  if (requested === undefined) return {};
  const isMore = limit !== undefined && (quantityMib(requested) ?? 0) > (quantityMib(limit) ?? 0);
  return { memory: isMore ? limit : requested };
}

export function memoryQuantity(mib: number): string {
  return `${mib}Mi`;
}

/** An instance is ready when its port takes connections: nobody is sent to one that doesn't answer yet. */
function readiness(port: number | undefined): object {
  if (port === undefined) return {};
  return { readinessProbe: { tcpSocket: { port }, periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 3 } };
}

/** Parts that each pod of Gantry has: no access to the cluster, and only the variables that were asked for. */
export function podDefaults(settings: PodSettings): object {
  return { automountServiceAccountToken: false, enableServiceLinks: false, ...securityContexts(settings).pod };
}
