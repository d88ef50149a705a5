import type { KubeObject } from "../../cluster/kinds.ts";

/** The domains of a workload, by its uid and the names of its v1 Services. */
export type Domains = (of: { readonly uid: string; readonly v1Services: readonly string[] }) => readonly string[];

type Route = { readonly owners: readonly string[]; readonly backends: readonly string[]; readonly host: string };
type Routes = {
  readonly ingresses: readonly KubeObject<"Ingress">[];
  readonly httpRoutes: readonly KubeObject<"HTTPRoute">[];
};

/** Domains are read from the routes that point to a v1 Service of the workload, or belong to the workload. */
export function indexDomains({ ingresses, httpRoutes }: Routes): Domains {
  const routes = [...ingresses.flatMap(ofIngress), ...httpRoutes.flatMap(ofHttpRoute)];
  const hosts = new Map<string, string[]>();
  for (const { owners, backends, host } of routes) {
    for (const key of [...owners.map(ownerKey), ...backends.map(backendKey)]) {
      const known = hosts.get(key);
      if (known) known.push(host);
      else hosts.set(key, [host]);
    }
  }
  return ({ uid, v1Services }) => {
    return [...new Set([ownerKey(uid), ...v1Services.map(backendKey)].flatMap((key) => hosts.get(key) ?? []))];
  };
}

function ownerKey(uid: string): string {
  return `owner ${uid}`;
}

function backendKey(v1Service: string): string {
  return `backend ${v1Service}`;
}

/** A rule without paths sends everything to the default backend. */
function ofIngress({ metadata, spec }: KubeObject<"Ingress">): Route[] {
  const owners = metadata.ownerReferences.map(({ uid }) => uid);
  const fallback = spec.defaultBackend?.service?.name;
  return spec.rules.flatMap(({ host = "", http }) => {
    if (host === "") return [];
    const named = (http?.paths ?? []).map(({ backend }) => backend?.service?.name);
    const backends = [...(named.length > 0 ? named : [fallback])].filter((name) => name !== undefined);
    return [{ owners, backends, host }];
  });
}

function ofHttpRoute({ metadata, spec }: KubeObject<"HTTPRoute">): Route[] {
  const owners = metadata.ownerReferences.map(({ uid }) => uid);
  const backends = spec.rules
    .flatMap(({ backendRefs }) => backendRefs)
    .filter(
      ({ kind = "Service", namespace = metadata.namespace }) => kind === "Service" && namespace === metadata.namespace,
    )
    .map(({ name }) => name);
  return spec.hostnames.map((host) => ({ owners, backends, host }));
}
