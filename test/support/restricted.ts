type SecurityContext = {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seccompProfile?: { readonly type?: string };
  readonly allowPrivilegeEscalation?: boolean;
  readonly privileged?: boolean;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
};

export type PodSpec = {
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly securityContext?: SecurityContext;
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
  readonly containers: readonly {
    readonly name: string;
    readonly securityContext?: SecurityContext;
    readonly ports?: readonly { readonly hostPort?: number }[];
  }[];
};

const VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/**
 * The rules of PodSecurity `restricted` that a pod breaks, as its admission judges it. The admission itself came with
 * Kubernetes 1.22: https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export function brokenRules(pod: PodSpec): string[] {
  const shared = pod.securityContext ?? {};
  const host = [pod.hostNetwork, pod.hostPID, pod.hostIPC].includes(true) ? ["host namespaces"] : [];
  const volumes = (pod.volumes ?? [])
    .flatMap((volume) => Object.keys(volume).filter((key) => key !== "name" && !VOLUMES.includes(key)))
    .map((key) => `volume of type ${key}`);
  const ofContainers = pod.containers.flatMap(({ name, securityContext: own = {}, ports = [] }) => {
    const seccomp = (own.seccompProfile ?? shared.seccompProfile)?.type;
    const rules = {
      allowPrivilegeEscalation: own.allowPrivilegeEscalation === false,
      privileged: own.privileged !== true,
      "capabilities.drop": own.capabilities?.drop?.includes("ALL") === true,
      "capabilities.add": (own.capabilities?.add ?? []).every((each) => each === "NET_BIND_SERVICE"),
      runAsNonRoot: (own.runAsNonRoot ?? shared.runAsNonRoot) === true,
      runAsUser: own.runAsUser !== 0 && shared.runAsUser !== 0,
      seccompProfile: seccomp === "RuntimeDefault" || seccomp === "Localhost",
      hostPort: ports.every(({ hostPort = 0 }) => hostPort === 0),
    };
    return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`${name}: ${rule}`]));
  });
  return [...host, ...volumes, ...ofContainers];
}
