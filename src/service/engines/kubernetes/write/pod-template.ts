import type { Container } from "../../../workloads/definitions.ts";
import { type PodDefaults, type SecurityContext, TITLE } from "../cluster/cluster-config.ts";
import { quantityMib, escaped } from "../read/containers.ts";
import { podVolumeOf } from "../names.ts";
import { incapable } from "../../../engine.ts";
import { reading, type Target } from "./target.ts";

export type PodVolume = { readonly name: string } & (
  | { readonly persistentVolumeClaim: { readonly claimName: string; readonly readOnly: boolean } }
  | { readonly hostPath: { readonly path: string; readonly type?: string } }
);

type Mounted = {
  /** The volume of the time zone, in each container. */
  readonly timeZone: PodVolume | undefined;
  /** The port that has to answer before a container counts as ready, by the index of the container. */
  readonly probed: ReadonlyMap<number, number>;
  /** How long it serves after it was told to end; 0 for not at all. */
  readonly preStopSeconds: number;
  readonly settings: PodSettings;
};

/** The containers of a definition for a pod. */
export function podContainers(containers: readonly Container[], mounted: Mounted): object[] {
  const { timeZone, probed, preStopSeconds, settings } = mounted;
  const { container: security } = securityContexts(settings);
  return containers.map((container, index) => {
    const port = probed.get(index);
    return {
      ...podContainer(container),
      ...resourcesOf(container, settings.defaults),
      ...security,
      volumeMounts: [
        ...container.mounts.map(({ name, mountPath }) => ({ name: podVolumeOf(name), mountPath })),
        ...(timeZone ? [{ name: timeZone.name, mountPath: "/etc/localtime", readOnly: true }] : []),
      ],
      // An instance is ready when its port takes connections: nobody is sent to one that doesn't answer yet.
      ...(port !== undefined && {
        readinessProbe: { tcpSocket: { port }, periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 3 },
      }),
      ...(preStopSeconds > 0 && { lifecycle: { preStop: { sleep: { seconds: preStopSeconds } } } }),
    };
  });
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

/** Parts that each pod of Gantry has: no access to the cluster, and only the variables that were asked for. */
export function podDefaults(settings: PodSettings): object {
  return { automountServiceAccountToken: false, enableServiceLinks: false, ...securityContexts(settings).pod };
}

/** What a new pod has beside its definition. */
export type PodSettings = {
  readonly defaults: PodDefaults;
  /** Its securityContext has to fit PodSecurity `restricted`. */
  readonly isRestricted: boolean;
  /** The level of the namespace, where it is asked for and known. */
  readonly enforced?: string | undefined;
};

/** https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces */
const ENFORCED = "pod-security.kubernetes.io/enforce";

/** Where the labels of the namespace can't be read, nothing is added: the start says so. */
export async function podSettingsOf({ region, namespace, name, signal }: Target): Promise<PodSettings> {
  const { config, api } = region;
  const { defaults = {}, podSecurity = "auto" } = config;
  if (podSecurity === "none") return { defaults, isRestricted: false };
  if (podSecurity === "restricted") return { defaults, isRestricted: true, enforced: "restricted" };
  const found = await reading(`create ${name}`, () => api.namespace(namespace, signal));
  const enforced = typeof found === "object" ? found.labels[ENFORCED] : undefined;
  return { defaults, isRestricted: enforced === "restricted", enforced };
}

/** Such pods are admitted by neither level: a Job would stay without one, and not even say so. */
export function refuseHostPath(
  { enforced = "" }: PodSettings,
  { region }: Pick<Target, "region">,
  { volumes, syncTimezone }: { readonly volumes: readonly unknown[]; readonly syncTimezone: boolean },
): void {
  const isForbidden = ["baseline", "restricted"].includes(enforced);
  if (!isForbidden || (!syncTimezone && volumes.length === 0)) return;
  const feature = syncTimezone ? "timezone" : "jobVolumes";
  const why = `it needs files of the node, and PodSecurity ${enforced} forbids them here`;
  throw incapable({ feature, why }, { title: TITLE, region: region.config.region });
}

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted */
const restricted = {
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
} as const satisfies SecurityContext;

/** The fields that make a pod break `restricted`. */
export function brokenRules(context: SecurityContext): string[] {
  const { runAsUser, runAsNonRoot, seccompProfile, allowPrivilegeEscalation, capabilities = {} } = context;
  const { drop = ["ALL"], add = [] } = capabilities;
  const broken: Readonly<Record<string, boolean>> = {
    runAsUser: runAsUser === 0,
    runAsNonRoot: runAsNonRoot === false,
    seccompProfile: seccompProfile?.type === "Unconfined",
    allowPrivilegeEscalation: allowPrivilegeEscalation === true,
    capabilities: !drop.includes("ALL") || add.some((each) => each !== "NET_BIND_SERVICE"),
  };
  return Object.keys(broken).filter((key) => broken[key]);
}

/** The securityContext of a pod and of each of its containers. What the file of clusters says wins. */
function securityContexts({ defaults, isRestricted }: PodSettings): {
  readonly pod: { readonly securityContext?: object };
  readonly container: { readonly securityContext?: object };
} {
  const { securityContext: chosen = {} } = defaults;
  const base: SecurityContext = isRestricted ? restricted : {};
  const capabilities = chosen.capabilities && { ...base.capabilities, ...chosen.capabilities };
  const all: SecurityContext = { ...base, ...chosen, ...(capabilities && { capabilities }) };
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities: granted, ...pod } = all;
  const container = { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities: granted };
  return { pod: unlessEmpty(pod), container: unlessEmpty(container) };
}

function unlessEmpty(fields: object): { readonly securityContext?: object } {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return known.length === 0 ? {} : { securityContext: Object.fromEntries(known) };
}
