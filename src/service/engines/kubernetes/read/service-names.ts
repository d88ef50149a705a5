import type { FoundService } from "./found-service.ts";

type Source = FoundService["source"];

/**
 * The name of each service in the API. Kubernetes lets a Deployment and a StatefulSet of a namespace have the same
 * name; then the StatefulSet `db` is `db.statefulset`, so that both can be addressed.
 */
export function nameServices(sources: readonly Source[]): ReadonlyMap<string, Source> {
  const named = new Map<string, Source>();
  const taken: Source[] = [];
  const [deployments, statefulSets] = [ofKind(sources, "Deployment"), ofKind(sources, "StatefulSet")];
  for (const source of [...deployments, ...statefulSets]) {
    const { name } = source.object.metadata;
    if (named.has(name)) taken.push(source);
    else named.set(name, source);
  }
  for (const source of taken) {
    let name = source.object.metadata.name;
    while (named.has(name)) name += SUFFIX;
    named.set(name, source);
  }
  return named;
}

const SUFFIX = ".statefulset";

function ofKind(sources: readonly Source[], kind: Source["kind"]): Source[] {
  return sources.filter((source) => source.kind === kind).toSorted(byName);
}

function byName(left: Source, right: Source): number {
  return left.object.metadata.name < right.object.metadata.name ? -1 : 1;
}
