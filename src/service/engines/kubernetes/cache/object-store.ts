import type { WatchEvent } from "../cluster/kube-api.ts";
import type { Kind, KubeObject } from "../cluster/kinds.ts";

/** The effect of an update on the store. `unordered`: the versions can't be compared, so a new list is needed. */
export type Effect = "changed" | "same" | "unordered";

export type FullList<K extends Kind> = {
  readonly items: readonly KubeObject<K>[];
  readonly resourceVersion: string;
};

export type ObjectStore<K extends Kind> = ReturnType<typeof makeObjectStore<K>>;

/** The objects of one kind in one namespace, by name. */
export function makeObjectStore<K extends Kind>() {
  let version: string | undefined;
  let objects = new Map<string, KubeObject<K>>();
  /** Uids that a write removed, until a list or the watch shows the same. */
  const deleted = new Set<string>();
  /** Kept until the next change. */
  let all: readonly KubeObject<K>[] | undefined;

  function put(object: KubeObject<K>): Effect {
    objects.set(object.metadata.name, object);
    all = undefined;
    return "changed";
  }

  function remove({ name, uid }: { readonly name: string; readonly uid: string }): Effect {
    if (objects.get(name)?.metadata.uid !== uid) return "same";
    objects.delete(name);
    all = undefined;
    return "changed";
  }

  /** A list is never older than what was known when it was sent, unless the cluster was restored from a backup. */
  function replace({ items, resourceVersion }: FullList<K>, isSetBack: boolean): Effect {
    const isOrdered = version === undefined || compareVersions(version, resourceVersion) !== undefined;
    const listed = new Map<string, KubeObject<K>>();
    for (const item of items) {
      const { name, uid } = item.metadata;
      if (deleted.has(uid)) continue;
      const known = objects.get(name);
      // Objects that didn't change stay the same ones: readers compare them, and their strings are shared.
      const isSame = known?.metadata.uid === uid && versionOf(known) === versionOf(item);
      listed.set(name, isSame ? known : item);
    }
    // Answers to writes that came after the list was sent.
    for (const [name, known] of objects) {
      if (!isSetBack && isNewer(versionOf(known), resourceVersion)) listed.set(name, known);
    }
    const isSame = objects.size === listed.size && [...objects].every(([name, known]) => listed.get(name) === known);
    objects = listed;
    version = resourceVersion;
    all = undefined;
    if (isSetBack || !isOrdered) return "unordered";
    return isSame ? "same" : "changed";
  }

  return {
    /** Everything up to this version is in the store; where a watch goes on. */
    version: () => version,
    size: () => objects.size,
    all: (): readonly KubeObject<K>[] => (all ??= [...objects.values()]),
    find: (name: string) => objects.get(name),
    /** Called before a list is sent; the returned function takes its answer. A watch may run in the meantime. */
    startList() {
      const before = version;
      const goneBefore = [...deleted];
      return (list: FullList<K>): Effect => {
        const isSetBack = isNewer(before, list.resourceVersion);
        // The watch has told more than the list in the meantime.
        if (!isSetBack && isNewer(version, list.resourceVersion)) return "same";
        for (const uid of goneBefore) deleted.delete(uid);
        return replace(list, isSetBack);
      };
    },
    applyEvent(event: WatchEvent<K>): Effect {
      const now = event.type === "BOOKMARK" ? event.resourceVersion : versionOf(event.object);
      if (isNewer(version, now)) return "same";
      version = now;
      if (event.type === "BOOKMARK") return "same";
      const { object } = event;
      const { name, uid, deletionTimestamp } = object.metadata;
      // An object that a finalizer holds is still there after its deletion; an event without the mark is from before.
      if (event.type === "DELETED" || deletionTimestamp !== undefined) deleted.delete(uid);
      if (event.type === "DELETED") return remove(object.metadata);
      const known = objects.get(name);
      const isAhead = known !== undefined && (compareVersions(versionOf(known), now) ?? -1) >= 0;
      return deleted.has(uid) || isAhead ? "same" : put(object);
    },
    applyWrite(object: KubeObject<K>): Effect {
      const { name, uid } = object.metadata;
      if (deleted.has(uid)) return "same";
      const known = objects.get(name);
      // What was known at a version knows everything older: an object that is missing then was deleted.
      for (const than of [version, known && versionOf(known)]) {
        if (than === undefined) continue;
        const order = compareVersions(versionOf(object), than);
        if (order === undefined) return "unordered";
        if (order <= 0) return "same";
      }
      return put(object);
    },
    applyDelete(named: { readonly name: string; readonly uid: string }): Effect {
      deleted.add(named.uid);
      return remove(named);
    },
    clear() {
      objects = new Map();
      all = undefined;
    },
  };
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion;
}

/**
 * Orders two resource versions of one kind: negative if `a` is older. Undefined if they can't be ordered. Versions are
 * decimal numbers that grow with each change of the cluster, in every API server so far and by contract since 1.35
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions); anything else is only equal or not.
 */
function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isNumber(a) || !isNumber(b)) return undefined;
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length;
}

function isNumber(version: string): boolean {
  return /^(?:0|[1-9]\d*)$/u.test(version);
}

/** Whether `a` is known to be newer than `b`. */
function isNewer(a: string | undefined, b: string): boolean {
  return a !== undefined && (compareVersions(a, b) ?? 0) > 0;
}
