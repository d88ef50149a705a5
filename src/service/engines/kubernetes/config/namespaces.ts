import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { ClustersInFile, RegionInFile } from "./clusters-schema.ts";

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
const USER = "{user}";

export function namespacesOf({
  namespace,
  namespaces = {},
}: Pick<RegionInFile, "namespace" | "namespaces">): ClusterConfig["namespaceOf"] {
  return (username) => {
    if (Object.hasOwn(namespaces, username)) return namespaces[username];
    return namespace?.replaceAll(USER, username);
  };
}

/** Problems with the users' namespaces, as sentences. Each user needs their own. */
export function namespaceProblems({ regions }: ClustersInFile, users: readonly string[]): string[] {
  return Object.entries(regions).flatMap(([region, settings]) => {
    const place = `regions.${region}`;
    if (settings.namespace === undefined && settings.namespaces === undefined) {
      return [`${place} has no namespace: write namespace: gantry-${USER}, or namespaces with one for each user.`];
    }
    const of = namespacesOf(settings);
    const taken = new Map<string, string>();
    return users.flatMap((user) => {
      const namespace = of(user);
      if (namespace === undefined) return [];
      if (!NAMESPACE.test(namespace)) {
        return [
          `${place} gives the user ${user} the namespace ${namespace}, which Kubernetes doesn't allow: ` +
            `it takes up to 63 lowercase letters, digits and -. Write namespaces: {${user}: NAME}.`,
        ];
      }
      const other = taken.get(namespace);
      taken.set(namespace, user);
      if (other === undefined) return [];
      const todo = `Use ${USER} in namespace, like gantry-${USER}, or write namespaces with one for each user.`;
      return [`${place} gives the users ${other} and ${user} the same namespace ${namespace}. ${todo}`];
    });
  });
}
