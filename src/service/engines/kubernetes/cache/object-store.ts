import type { WatchEvent } from "../cluster/kube-api.ts";
import type { Kind, KubeObject } from "../cluster/kinds.ts";

/** The effect of an update on the store. `unordered`: the versions can't be compared, so a new list is needed. */
export type Effect = "changed" | "same" | "unordered";

export type FullList<K extends Kind> = {
  readonly items: readonly KubeObject<K>[];
  readonly resourceVersion: string;
};

/** The objects of one kind in one namespace, by name. */
export type ObjectStore<K extends Kind> = {
  /** Everything up to this version is in the store; where a watch goes on. */
  readonly version: () => string | undefined;
  readonly size: () => number;
  readonly all: () => readonly KubeObject<K>[];
  readonly find: (name: string) => KubeObject<K> | undefined;
  /** Called before a list is sent; the returned function takes its answer. A watch may run in the meantime. */
  readonly startList: () => (list: FullList<K>) => Effect;
  readonly applyEvent: (event: WatchEvent<K>) => Effect;
  readonly applyWrite: (object: KubeObject<K>) => Effect;
  readonly applyDelete: (named: { readonly name: string; readonly uid: string }) => Effect;
  readonly clear: () => void;
};

type State<K extends Kind> = {
  version: string | undefined;
  objects: Map<string, KubeObject<K>>;
  /** Names whose object comes from the answer to a write that is newer than `version`. */
  readonly ahead: Set<string>;
  /** Uids that a write removed, with the number of the deletion, until a list or watch shows the same. */
  readonly deleted: Map<string, number>;
  deletions: number;
  /** Kept until the next change. */
  all: readonly KubeObject<K>[] | undefined;
};

export function makeObjectStore<K extends Kind>(): ObjectStore<K> {
  const state = emptyState<K>();
  const changing = (effect: Effect): Effect => {
    if (effect !== "same") state.all = undefined;
    return effect;
  };
  return {
    version: () => state.version,
    size: () => state.objects.size,
    all: () => (state.all ??= [...state.objects.values()]),
    find: (name) => state.objects.get(name),
    startList() {
      const { version, deletions } = state;
      return (list) => changing(applyList(state, list, { version, deletions }));
    },
    applyEvent: (event) => changing(applyEvent(state, event)),
    applyWrite: (object) => changing(applyWrite(state, object)),
    applyDelete: (named) => changing(applyDelete(state, named)),
    clear() {
      state.objects = new Map();
      state.ahead.clear();
      state.all = undefined;
    },
  };
}

function emptyState<K extends Kind>(): State<K> {
  return {
    version: undefined,
    objects: new Map(),
    ahead: new Set(),
    deleted: new Map(),
    deletions: 0,
    all: undefined,
  };
}

type Before = { readonly version: string | undefined; readonly deletions: number };

function applyList<K extends Kind>(state: State<K>, list: FullList<K>, before: Before): Effect {
  const { resourceVersion } = list;
  // A list is never older than what was known when it was sent, unless the cluster was restored from a backup.
  const isSetBack = before.version !== undefined && isNewer(before.version, resourceVersion);
  const order = state.version === undefined ? -1 : compareVersions(state.version, resourceVersion);
  // The watch has told more than the list in the meantime.
  if (!isSetBack && order !== undefined && order > 0) return "same";
  for (const [uid, number] of state.deleted) if (number <= before.deletions) state.deleted.delete(uid);
  const objects = objectsOf(state, list.items);
  if (isSetBack) state.ahead.clear();
  else keepAhead(state, objects, resourceVersion);
  const isSame = isEqual(state.objects, objects);
  state.objects = objects;
  state.version = resourceVersion;
  if (order === undefined || isSetBack) return "unordered";
  return isSame ? "same" : "changed";
}

/** Answers to writes that came after the list was sent. */
function keepAhead<K extends Kind>(state: State<K>, objects: Map<string, KubeObject<K>>, version: string): void {
  for (const name of state.ahead) {
    const known = state.objects.get(name);
    if (known && isNewer(versionOf(known), version)) objects.set(name, known);
    else state.ahead.delete(name);
  }
}

/** Objects that didn't change stay the same ones: readers compare them, and their strings are shared. */
function objectsOf<K extends Kind>(state: State<K>, items: readonly KubeObject<K>[]): Map<string, KubeObject<K>> {
  const objects = new Map<string, KubeObject<K>>();
  for (const item of items) {
    const { name, uid } = item.metadata;
    if (state.deleted.has(uid)) continue;
    const known = state.objects.get(name);
    const isSame = known?.metadata.uid === uid && versionOf(known) === versionOf(item);
    objects.set(name, isSame ? known : item);
  }
  return objects;
}

function isEqual<K extends Kind>(a: Map<string, KubeObject<K>>, b: Map<string, KubeObject<K>>): boolean {
  if (a.size !== b.size) return false;
  for (const [name, object] of a) if (b.get(name) !== object) return false;
  return true;
}

function applyEvent<K extends Kind>(state: State<K>, event: WatchEvent<K>): Effect {
  if (event.type === "BOOKMARK") {
    if (!isOld(state, event.resourceVersion)) state.version = event.resourceVersion;
    return "same";
  }
  const { object } = event;
  if (isOld(state, versionOf(object))) return "same";
  state.version = versionOf(object);
  const { name, uid } = object.metadata;
  const known = state.objects.get(name);
  if (event.type === "DELETED") {
    state.deleted.delete(uid);
    if (!known || known.metadata.uid !== uid) return "same";
    state.objects.delete(name);
    state.ahead.delete(name);
    return "changed";
  }
  // An object that a finalizer holds is still there after its deletion; an event without the mark is from before.
  if (object.metadata.deletionTimestamp !== undefined) state.deleted.delete(uid);
  if (state.deleted.has(uid)) return "same";
  if (known && state.ahead.has(name) && !isNewer(versionOf(object), versionOf(known))) return "same";
  state.ahead.delete(name);
  state.objects.set(name, object);
  return "changed";
}

function isOld<K extends Kind>({ version }: State<K>, of: string): boolean {
  return version !== undefined && isNewer(version, of);
}

function applyWrite<K extends Kind>(state: State<K>, object: KubeObject<K>): Effect {
  const { name, uid } = object.metadata;
  if (state.deleted.has(uid)) return "same";
  const known = state.objects.get(name);
  // What was known at a version knows everything older: an object that is missing then was deleted.
  for (const than of [state.version, known && versionOf(known)]) {
    if (than === undefined) continue;
    const order = compareVersions(versionOf(object), than);
    if (order === undefined) return "unordered";
    if (order <= 0) return "same";
  }
  state.objects.set(name, object);
  state.ahead.add(name);
  return "changed";
}

/** More deletions than are ever in progress at the same time. */
const MAX_DELETED = 1_000;

function applyDelete<K extends Kind>(
  state: State<K>,
  { name, uid }: { readonly name: string; readonly uid: string },
): Effect {
  state.deletions += 1;
  state.deleted.set(uid, state.deletions);
  for (const oldest of state.deleted.keys()) {
    if (state.deleted.size <= MAX_DELETED) break;
    state.deleted.delete(oldest);
  }
  if (state.objects.get(name)?.metadata.uid !== uid) return "same";
  state.objects.delete(name);
  state.ahead.delete(name);
  return "changed";
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
function isNewer(a: string, b: string): boolean {
  return (compareVersions(a, b) ?? 0) > 0;
}
