import { Refusal } from "../../../engine.ts";

/** A workload under the name that nothing else in its namespace has. */
export type InNamespace<T> = { readonly name: string; readonly namespace: string; readonly item: T };

/** Workloads under their names in the API. */
export type WorkloadNames<T> = {
  readonly all: readonly InNamespace<T>[];
  /**
   * The workload of this name; undefined if there is none. Throws a `Refusal` 400 for a name that only one of them had, or
   * will have, before others came or went: a request for it may mean another workload.
   */
  readonly find: (name: string) => InNamespace<T> | undefined;
  /** Whether a new workload can't have this name. */
  readonly isTaken: (name: string) => boolean;
};

/**
 * Names workloads of several namespaces apart. Each one whose name another namespace has too shows its namespace, so that
 * nobody takes one for the other: `web.shop` and `web.payments`. A namespace has no dots, so no two such names are equal;
 * one that is also somebody's plain name makes that one show its namespace too.
 */
export function nameApart<T>(noun: "service" | "job", workloads: readonly InNamespace<T>[]): WorkloadNames<T> {
  const shown = new Set<InNamespace<T>>();
  const nameOf = (of: InNamespace<T>): string => (shown.has(of) ? fullName(of) : of.name);
  for (;;) {
    const alike = [...Map.groupBy(workloads, nameOf).values()].filter((group) => group.length > 1).flat();
    const before = shown.size;
    for (const each of alike) shown.add(each);
    if (shown.size === before) break;
  }
  const all = workloads.map((each) => ({ ...each, name: nameOf(each) }));
  const byName = new Map(all.map((each) => [each.name, each]));
  /** Their names now, in the order of their namespaces. */
  const alsoNamed = (name: string): readonly string[] =>
    workloads.filter((each) => each.name === name || fullName(each) === name).map(nameOf);
  return {
    all,
    find(name) {
      const found = byName.get(name);
      if (found) return found;
      const [first, ...others] = alsoNamed(name);
      if (first === undefined) return undefined;
      if (others.length === 0) throw new Refusal(400, `${name} is named ${first} now: use ${first}`);
      throw new Refusal(400, `there are several ${noun}s named ${name}: use ${[first, ...others].join(" or ")}`);
    },
    isTaken: (name) => byName.has(name) || alsoNamed(name).length > 0,
  };
}

function fullName({ name, namespace }: InNamespace<unknown>): string {
  return `${name}.${namespace}`;
}

type Source = { readonly kind: string; readonly object: { readonly metadata: { readonly name: string } } };

/**
 * Names workloads of one namespace apart. Kubernetes lets those of different kinds have the same name: the kind that comes
 * first keeps it. The StatefulSet `db` is `db.statefulset` then, and the CronJob `nightly` is `nightly.cronjob`.
 */
export function nameKindsApart<T extends Source>(sources: readonly T[], namespace: string): readonly InNamespace<T>[] {
  const named = new Map<string, T>();
  const taken: T[] = [];
  for (const source of sources) {
    const name = nameOf(source);
    if (named.has(name)) taken.push(source);
    else named.set(name, source);
  }
  // So that they are named the same each time.
  for (const source of taken.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))) {
    let name = nameOf(source);
    while (named.has(name)) name += `.${source.kind.toLowerCase()}`;
    named.set(name, source);
  }
  return [...named].map(([name, item]) => ({ name, namespace, item }));
}

function nameOf({ object }: Source): string {
  return object.metadata.name;
}

type Made = { readonly createdAt: string; readonly name: string };

/** Oldest first. */
export function byAge(left: Made, right: Made): number {
  return Date.parse(left.createdAt) - Date.parse(right.createdAt) || (left.name < right.name ? -1 : 1);
}
