import type { FoundService } from "./found-service.ts";
import type { InNamespace } from "./workload-names.ts";

type Source = FoundService["source"];

/** The kind that comes first keeps the name. */
const order: readonly Source["kind"][] = ["Deployment", "StatefulSet", "DaemonSet"];

/**
 * The name of each service of a namespace. Kubernetes lets workloads of different kinds in a namespace have the same name;
 * then the StatefulSet `db` is `db.statefulset`, and the DaemonSet `db.daemonset`, so that all can be addressed.
 */
export function nameServices(sources: readonly Source[], namespace: string): readonly InNamespace<Source>[] {
  const named = new Map<string, Source>();
  const taken: Source[] = [];
  for (const source of order.flatMap((kind) => ofKind(sources, kind))) {
    const { name } = source.object.metadata;
    if (named.has(name)) taken.push(source);
    else named.set(name, source);
  }
  for (const source of taken) {
    let name = source.object.metadata.name;
    while (named.has(name)) name += `.${source.kind.toLowerCase()}`;
    named.set(name, source);
  }
  return [...named].map(([name, item]) => ({ name, namespace, item }));
}

function ofKind(sources: readonly Source[], kind: Source["kind"]): Source[] {
  return sources.filter((source) => source.kind === kind).toSorted(byName);
}

function byName(left: Source, right: Source): number {
  return left.object.metadata.name < right.object.metadata.name ? -1 : 1;
}
