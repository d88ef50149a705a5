import { randomUUID } from "node:crypto";

/** A Kubernetes object as the fake API server stores it. */
export type Stored = {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly creationTimestamp: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
};

export type Change = {
  readonly version: number;
  readonly resource: string;
  readonly object: Stored;
  readonly before: Stored | undefined;
  readonly isDeletion: boolean;
};

/** All objects of the fake cluster and the history of their changes, as etcd keeps them. */
export type FakeObjects = {
  readonly version: () => number;
  /** Versions before this one are forgotten. */
  readonly oldest: () => number;
  readonly compact: () => void;
  /** Objects of a resource (`deployments`) in a namespace, by name, as of now. */
  readonly all: (resource: string, namespace: string) => readonly Stored[];
  readonly find: (resource: string, namespace: string, name: string) => Stored | undefined;
  /** Creates the object, or replaces the one with its name. */
  readonly put: (resource: string, namespace: string, object: object) => Stored;
  readonly remove: (resource: string, namespace: string, name: string) => Stored | undefined;
  readonly changesSince: (version: number) => readonly Change[];
  readonly onChange: (listener: (change: Change) => void) => () => void;
  /** Restores a backup: the objects and the version of an earlier moment, without telling anybody. */
  readonly backup: () => () => void;
};

export function makeFakeObjects(): FakeObjects {
  let version = 100;
  let oldest = 100;
  let objects = new Map<string, Stored>();
  let changes: Change[] = [];
  const listeners = new Set<(change: Change) => void>();
  const key = (...parts: readonly string[]): string => parts.join("/");
  const note = (change: Change): void => {
    changes.push(change);
    for (const listener of listeners) listener(change);
  };
  return {
    version: () => version,
    oldest: () => oldest,
    compact() {
      oldest = version;
      changes = [];
    },
    all(resource, namespace) {
      const prefix = key(resource, namespace, "");
      const found = [...objects].filter(([at]) => at.startsWith(prefix)).map(([, object]) => object);
      return found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    },
    find: (resource, namespace, name) => objects.get(key(resource, namespace, name)),
    put(resource, namespace, given) {
      version += 1;
      const { name } = (given as Stored).metadata; // a test names its objects
      const before = objects.get(key(resource, namespace, name));
      const object = stored({ given: given as Stored, namespace, version, before }); // as above
      objects.set(key(resource, namespace, name), object);
      note({ version, resource, object, before, isDeletion: false });
      return object;
    },
    remove(resource, namespace, name) {
      const before = objects.get(key(resource, namespace, name));
      if (!before) return undefined;
      version += 1;
      objects.delete(key(resource, namespace, name));
      const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
      note({ version, resource, object, before, isDeletion: true });
      return object;
    },
    changesSince: (since) => changes.filter((change) => change.version > since),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    backup() {
      const then = { version, objects: new Map(objects) };
      return () => {
        ({ version } = then);
        objects = new Map(then.objects);
        changes = [];
        oldest = then.version;
      };
    },
  };
}

type Storing = {
  readonly given: Stored;
  readonly namespace: string;
  readonly version: number;
  readonly before: Stored | undefined;
};

function stored({ given, namespace, version, before }: Storing): Stored {
  const { status, ...rest } = given;
  const hasNewSpec = JSON.stringify(rest["spec"]) !== JSON.stringify(before?.["spec"]);
  return {
    ...rest,
    metadata: {
      ...given.metadata,
      namespace,
      uid: before?.metadata.uid ?? randomUUID(),
      resourceVersion: String(version),
      generation: (before?.metadata.generation ?? 0) + (hasNewSpec ? 1 : 0),
      creationTimestamp:
        before?.metadata.creationTimestamp ?? given.metadata.creationTimestamp ?? "2026-11-22T10:00:00Z",
    },
    status: status ?? before?.["status"] ?? {},
  };
}
