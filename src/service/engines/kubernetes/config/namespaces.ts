import type { ClusterConfig, UserNamespaces } from "../cluster/cluster-config.ts";
import { parseLabelSelector } from "../read/label-selector.ts";
import type { ClustersInFile, RegionInFile } from "./clusters-schema.ts";

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
const USER = "{user}";

/** Of one user in one region: each is watched for up to ten kinds of objects. */
export const MOST_NAMESPACES = 50;

type Settings = Pick<RegionInFile, "namespace" | "namespaces" | "namespaceLabels">;

export function namespacesOf(settings: Settings): ClusterConfig["namespacesOf"] {
  return (username) => {
    const named = (text: string): string => text.replaceAll(USER, username);
    const [first, ...others] = namesOf(settings, username);
    if (first === undefined) return undefined;
    const { namespaceLabels: labels } = settings;
    return { names: [named(first), ...others.map(named)], ...(labels !== undefined && { labels: named(labels) }) };
  };
}

/** Those that are written for this user, else those for everybody. */
function namesOf({ namespace, namespaces = {} }: Settings, username: string): readonly string[] {
  if (Array.isArray(namespaces)) return namespaces;
  const own = Object.hasOwn(namespaces, username) ? namespaces[username] : namespace;
  return own === undefined ? [] : [own].flat();
}

/** Problems with the users' namespaces, as sentences. Each user needs their own. */
export function namespaceProblems({ regions }: ClustersInFile, users: readonly string[]): string[] {
  return Object.entries(regions).flatMap(([region, settings]) => {
    const place = `regions.${region}`;
    const { namespace, namespaces } = settings;
    if (namespace === undefined && namespaces === undefined) {
      return [
        `${place} has no namespace: write namespace: gantry-${USER}, or namespaces with a list or one for each user.`,
      ];
    }
    if (namespace !== undefined && Array.isArray(namespaces)) {
      return [
        `${place} has namespace and a list of namespaces: write one of them. The first of a list takes new workloads.`,
      ];
    }
    const of = namespacesOf(settings);
    const everyone = users.flatMap((user) => {
      const own = of(user);
      return own ? [{ place, user, own }] : [];
    });
    return [...everyone.flatMap(wrongNames), ...sharedNames(everyone), ...sharedLabels(everyone)];
  });
}

type UserInRegion = { readonly place: string; readonly user: string; readonly own: UserNamespaces };

function wrongNames({ place, user, own: { names, labels } }: UserInRegion): string[] {
  const wrong = names.filter((name) => !NAMESPACE.test(name));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return [
    ...wrong.map(
      (name) =>
        `${place} gives the user ${user} the namespace ${name}, which Kubernetes doesn't allow: ` +
        `it takes up to 63 lowercase letters, digits and -. Write namespaces: {${user}: NAME}.`,
    ),
    ...(twice === undefined ? [] : [`${place} gives the user ${user} the namespace ${twice} twice: write it once.`]),
    ...(names.length > MOST_NAMESPACES
      ? [`${place} gives the user ${user} ${names.length} namespaces: ${MOST_NAMESPACES} are the most.`]
      : []),
    ...wrongLabels(labels).map((why) => `${place}.namespaceLabels must be a label selector: ${why}.`),
  ];
}

function wrongLabels(labels: string | undefined): string[] {
  try {
    if (labels !== undefined) parseLabelSelector(labels);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function sharedNames(everyone: readonly UserInRegion[]): string[] {
  const taken = new Map<string, string>();
  return everyone.flatMap(({ place, user, own }) =>
    own.names.flatMap((name) => {
      const other = taken.get(name);
      taken.set(name, user);
      if (other === undefined || other === user) return [];
      const todo = `Use ${USER} in namespace, like gantry-${USER}, or write namespaces with one for each user.`;
      return [`${place} gives the users ${other} and ${user} the same namespace ${name}. ${todo}`];
    }),
  );
}

function sharedLabels(everyone: readonly UserInRegion[]): string[] {
  const taken = new Map<string, string>();
  return everyone.flatMap(({ place, user, own: { labels } }) => {
    const other = labels === undefined ? undefined : taken.get(labels);
    if (labels !== undefined) taken.set(labels, user);
    if (other === undefined) return [];
    return [
      `${place} gives the users ${other} and ${user} the same namespaces, those with ${labels}. ` +
        `Use ${USER} in namespaceLabels, like owner=${USER}.`,
    ];
  });
}
