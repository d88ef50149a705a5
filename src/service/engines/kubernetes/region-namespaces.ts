import type { Clock } from "../../../platform/clock.ts";
import { restUnlessAborted } from "../../../platform/waiting.ts";
import { isDenied } from "./cluster/refusal-of.ts";
import type { Reconnects } from "./cache/reflection.ts";
import { makeReflector, type Reflector } from "./cache/reflector.ts";
import { type ClusterConfig, MOST_NAMESPACES, type UserNamespaces } from "./cluster/cluster-config.ts";
import type { KubeApi } from "./cluster/kube-api.ts";
import type { KubeObject } from "./cluster/kinds.ts";
import { matchesAll, parseLabelSelector } from "./read/label-selector.ts";

/** Namespaces that a list lacks. */
export type LeftOut = {
  /** As far as they are known by name. */
  readonly namespaces: readonly string[];
  /** For people, one or two of them. */
  readonly sentences: string;
  /** Whether workloads of the user may be there: then nobody may say that one doesn't exist. */
  readonly mayHold: boolean;
};

type KnownNamespaces = {
  /** New workloads are made in the first. */
  readonly names: readonly [string, ...string[]];
  readonly leftOut: readonly LeftOut[];
};

export type NamespaceClaims = ReturnType<typeof makeNamespaceClaims>;

type Claim = { readonly server: string; readonly owner: string; readonly names: () => readonly string[] };

/** Which namespaces the users of all regions have or want, so that no two of them get the same one. */
export function makeNamespaceClaims() {
  return { claims: new Set<Claim>(), listeners: new Set<() => void>() };
}

type Opening = {
  readonly config: Pick<ClusterConfig, "region" | "namespacesOf">;
  readonly users: readonly string[];
  readonly api: Pick<KubeApi, "server" | "list" | "watch" | "namespace">;
  readonly claims: NamespaceClaims;
  readonly reconnects: Reconnects;
  readonly clock: Clock;
  readonly onEvent: (message: string, data: object) => void;
};

const LOOKED_MS = 30_000;

export type RegionNamespaces = ReturnType<typeof openNamespaces>;

/**
 * The namespaces of a region's users. Those of a label selector come and go with the cluster's. Reads nothing before somebody
 * asks or subscribes.
 */
export function openNamespaces({ config, users, api, claims, ...reading }: Opening) {
  const hasLabels = users.some((user) => config.namespacesOf(user)?.labels !== undefined);
  const place = { kind: "Namespace", namespace: "" } as const;
  const reflector = hasLabels ? makeReflector({ ...reading, api, place }) : undefined;
  const { server } = api;
  const { clock } = reading;
  const ownerOf = (user: string): string => JSON.stringify([config.region, user]);
  const own = users.flatMap((user) => {
    const namespaces = config.namespacesOf(user);
    if (!namespaces) return [];
    return [{ server, owner: ownerOf(user), names: () => [...namespaces.names, ...labelled(namespaces, reflector)] }];
  });
  for (const claim of own) claims.claims.add(claim);
  const tellAll = (): void => {
    for (const listener of claims.listeners) listener();
  };
  const known = (user: string): KnownNamespaces | undefined => {
    const namespaces = config.namespacesOf(user);
    if (!namespaces) return undefined;
    const others = [...claims.claims].filter((each) => each.server === server && each.owner !== ownerOf(user));
    const found = labelled(namespaces, reflector);
    const taken = new Set(found.length === 0 ? [] : others.flatMap(({ names }) => names()));
    return chosen(namespaces, found, taken);
  };
  const looked = new Map<string, { readonly at: number; readonly isGone: Promise<boolean> }>();
  let ended: (() => void) | undefined;
  return {
    /**
     * Of a user, once they are current; undefined for one without. Rejects with a `Refusal` 503 when namespaces with labels
     * can't be read now. Without a label selector it asks the cluster nothing.
     */
    async of(user: string, signal?: AbortSignal): Promise<KnownNamespaces | undefined> {
      const { labels } = config.namespacesOf(user) ?? {};
      if (labels === undefined || !reflector) return known(user);
      const unread = await reflector.current(signal).then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof Error) || !isDenied(error.cause)) throw error;
          return unreadLabels(labels, error);
        },
      );
      const now = known(user);
      return now && unread ? { ...now, leftOut: [unread, ...now.leftOut] } : now;
    },
    /** Whether the cluster doesn't have a namespace any more; asked at most twice a minute. Never rejects. */
    isGone(namespace: string) {
      const last = looked.get(namespace);
      if (last && clock.elapsedMs() - last.at < LOOKED_MS) return last.isGone;
      const isGone = api.namespace(namespace).then(
        (found) => found === "missing",
        () => false,
      );
      looked.set(namespace, { at: clock.elapsedMs(), isGone });
      return isGone;
    },
    /** Of all users, as known now. The first one never changes. */
    all: () => [
      ...new Set([
        ...users.flatMap((user) => config.namespacesOf(user)?.names ?? []),
        ...(reflector ? users.flatMap((user) => known(user)?.names ?? []) : []),
      ]),
    ],
    /** Called when they may have changed. Returns a function that ends the subscription. */
    onChange(listener: () => void) {
      claims.listeners.add(listener);
      if (reflector) ended ??= reflector.onChange(tellAll);
      return () => void claims.listeners.delete(listener);
    },
    /** How reading namespaces goes; nothing without a label selector. */
    health: () => [reflector?.health() ?? []].flat(),
    async close() {
      ended?.();
      for (const claim of own) claims.claims.delete(claim);
      await reflector?.close();
    },
  };
}

function labelled({ names, labels }: UserNamespaces, reflector: Reflector<"Namespace"> | undefined): readonly string[] {
  if (labels === undefined || !reflector) return [];
  const requirements = parseLabelSelector(labels);
  return reflector
    .all()
    .filter(({ metadata }) => matchesAll(requirements, metadata.labels) && !names.includes(metadata.name))
    .toSorted(byAge)
    .map(({ metadata }) => metadata.name);
}

/** Oldest first, so that a new one takes no other's place. */
export function byAge(
  { metadata: left }: KubeObject<"Namespace">,
  { metadata: right }: KubeObject<"Namespace">,
): number {
  const older = Date.parse(left.creationTimestamp) - Date.parse(right.creationTimestamp);
  return older || (left.name < right.name ? -1 : 1);
}

function chosen({ names }: UserNamespaces, found: readonly string[], taken: ReadonlySet<string>): KnownNamespaces {
  const shared = found.filter((name) => taken.has(name));
  const free = found.filter((name) => !taken.has(name));
  const { names: further, beyond } = upToMost(names, free);
  return {
    names: [...names, ...further],
    leftOut: [
      ...leftOut(shared, { why: SHARED, mayHold: true }),
      ...(beyond.length > 0 ? [{ namespaces: beyond, sentences: beyondText(beyond), mayHold: true }] : []),
    ],
  };
}

/** Which of the found ones a user with these names gets too. */
export function upToMost(names: readonly string[], found: readonly string[]) {
  const others = found.filter((name) => !names.includes(name));
  const room = Math.max(0, MOST_NAMESPACES - names.length);
  return { names: others.slice(0, room), beyond: others.slice(room) };
}

const SHARED = "two users or regions have it, and it can be of one only. Change its labels, or SERVICE_CLUSTERS.";

/** The names in a sentence; the bot shows a few sentences of a list. */
const MOST_NAMED = 10;

/** One for all of these namespaces, which are left out for the same reason; none without any. */
export function leftOut(
  namespaces: readonly string[],
  { why, mayHold }: { readonly why: string; readonly mayHold: boolean },
): readonly LeftOut[] {
  const [first, ...others] = namespaces;
  if (first === undefined) return [];
  const named = namespaces.slice(0, MOST_NAMED).join(", ");
  const more = namespaces.length > MOST_NAMED ? ` and ${namespaces.length - MOST_NAMED} more` : "";
  const what = others.length === 0 ? `Namespace ${first} isn't` : `Namespaces ${named}${more} aren't`;
  return [{ namespaces, sentences: `${what} listed: ${why}`, mayHold }];
}

export function beyondText(beyond: readonly string[]): string {
  const what = beyond.length === 1 ? "1 namespace isn't" : `${beyond.length} namespaces aren't`;
  return `${what} listed: Gantry reads at most ${MOST_NAMESPACES} of a user. Change namespaceLabels in SERVICE_CLUSTERS.`;
}

function unreadLabels(labels: string, refusal: Error): LeftOut {
  const why = refusal.message
    .replace(/^Couldn't read the namespaces of the cluster: /u, "")
    .replace(" Nothing was changed.", "");
  return { namespaces: [], sentences: `Namespaces with ${labels} aren't listed: ${why}`, mayHold: true };
}

/**
 * Works in each namespace of a region, also in one that comes later, until it goes. `work` ends when its signal is aborted
 * and never rejects. Resolves when `signal` is aborted and all work has ended.
 */
export async function inEachNamespace(
  namespaces: Pick<RegionNamespaces, "all" | "onChange">,
  signal: AbortSignal,
  work: (namespace: string, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const working = new Map<string, AbortController>();
  /** Also of those that are gone. */
  const begun = new Map<string, Promise<void>>();
  const look = (): void => {
    if (signal.aborted) return;
    const now = new Set(namespaces.all());
    for (const [namespace, stop] of working) {
      if (now.has(namespace)) continue;
      working.delete(namespace);
      stop.abort(new Error(`the namespace ${namespace} is gone`));
    }
    for (const namespace of now) {
      if (working.has(namespace)) continue;
      const stop = new AbortController();
      const both = AbortSignal.any([signal, stop.signal]);
      const before = begun.get(namespace);
      const over = (async () => {
        if (before) await before;
        if (!both.aborted) await work(namespace, both);
      })();
      working.set(namespace, stop);
      begun.set(namespace, over);
    }
  };
  const end = namespaces.onChange(look);
  look();
  await restUnlessAborted(new Promise(() => undefined), signal);
  end();
  await Promise.all(begun.values());
}
