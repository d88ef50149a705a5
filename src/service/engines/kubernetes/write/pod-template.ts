import type { Container } from "../../../workloads/definitions/container.ts";
import { escaped } from "./literal.ts";
import { podVolumeOf } from "./object-names.ts";

export type PodVolume = { readonly name: string } & (
  | { readonly persistentVolumeClaim: { readonly claimName: string; readonly readOnly: boolean } }
  | { readonly hostPath: { readonly path: string; readonly type?: string } }
);

type Mounted = {
  /** The volume of the time zone, in each container. */
  readonly timeZone: PodVolume | undefined;
  /** The port that has to answer before a container counts as ready, by the index of the container. */
  readonly probed: ReadonlyMap<number, number>;
};

/** The containers of a definition for a pod. */
export function podContainers(containers: readonly Container[], { timeZone, probed }: Mounted): object[] {
  return containers.map((container, index) => ({
    ...podContainer(container),
    volumeMounts: [
      ...container.mounts.map(({ name, mountPath }) => ({ name: podVolumeOf(name), mountPath })),
      ...(timeZone ? [{ name: timeZone.name, mountPath: "/etc/localtime", readOnly: true }] : []),
    ],
    ...readiness(probed.get(index)),
  }));
}

function podContainer({ name, image, command, env, ports, memoryMib, pullAlways }: Container): object {
  return {
    name,
    image,
    imagePullPolicy: pullAlways ? "Always" : "IfNotPresent",
    ...(command && { command: command.map(escaped) }),
    ...(env && {
      env: env.map(({ name, value }) => ({ name, ...(value !== undefined && { value: escaped(value) }) })),
    }),
    ports: ports.map(({ port, protocol }) => ({ containerPort: port, protocol })),
    ...(memoryMib !== undefined && { resources: { limits: { memory: memoryQuantity(memoryMib) } } }),
  };
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
export const podDefaults = { automountServiceAccountToken: false, enableServiceLinks: false } as const;
