import { onTestFinished } from "vitest";
import {
  openNamespaceCache,
  jobKinds,
  serviceKinds,
} from "../../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import { makeReconnects } from "../../../../../../src/service/engines/kubernetes/cache/reflection.ts";
import type { ClusterConfig } from "../../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import {
  type KubeApi,
  KubeError,
  type Patch,
} from "../../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { makeKubeClient } from "../../../../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { type Kind, kinds, type KubeObject } from "../../../../../../src/service/engines/kubernetes/cluster/kinds.ts";
import type { Region } from "../../../../../../src/service/engines/kubernetes/regions.ts";
import type { WriteParts } from "../../../../../../src/service/engines/kubernetes/write/target.ts";
import { serviceWrites } from "../../../../../../src/service/engines/kubernetes/write/change-service.ts";
import { jobWrites } from "../../../../../../src/service/engines/kubernetes/write/job-writes.ts";
import { makeSerialQueue } from "../../../../../../src/service/workloads/lifecycle/queues.ts";
import { asTimePasses } from "../../../../../support/as-time-passes.ts";
import { type FakeOptions, openFakeApiServer } from "../../support/fake-api-server.ts";
import { config, namespacesOf, quiet } from "../../support/known-objects.ts";
import { type StillClock, stillClock } from "../../../../../support/test-clock.ts";

type Body = { readonly metadata: { readonly name: string } & Readonly<Record<string, unknown>> };

/** Replaces what a call does, or throws; `go` does it. */
export type Fault = (call: { readonly verb: string; readonly kind: Kind }, go: () => unknown) => unknown;

/** A cluster in memory that stores objects and runs nothing, and goes wrong as told. */
export function scriptedCluster(first: Fault = (_, go) => go()) {
  let fault = first;
  const objects = new Map<string, KubeObject>();
  let version = 1;
  const keyOf = (kind: Kind, name: string) => `${kind} ${name}`;

  function store(kind: Kind, { metadata, ...rest }: Body): KubeObject {
    const key = keyOf(kind, metadata.name);
    if (objects.has(key)) throw new KubeError(409, `${metadata.name} already exists`, { reason: "AlreadyExists" });
    version += 1;
    const given = { uid: `uid-${version}`, resourceVersion: String(version), namespace: "team", generation: 1 };
    const creationTimestamp = "2026-11-22T12:00:00Z";
    const object = kinds[kind].schema.parse({
      status: { observedGeneration: 1 },
      ...rest,
      metadata: { ...given, creationTimestamp, ...metadata, resourceVersion: given.resourceVersion },
    });
    objects.set(key, object);
    return object;
  }

  function remove(kind: Kind, name: string, uid: string | undefined): void {
    const found = objects.get(keyOf(kind, name));
    if (!found) throw new KubeError(404, `${name} not found`);
    if (uid !== undefined && uid !== found.metadata.uid)
      throw new KubeError(409, "the UID in the precondition differs");
    objects.delete(keyOf(kind, name));
    for (const [key, { metadata }] of objects) {
      if (metadata.ownerReferences.some(({ uid }) => uid === found.metadata.uid)) objects.delete(key);
    }
  }

  /** Only annotations are changed. */
  function note(kind: Kind, name: string, patch: Patch): KubeObject | undefined {
    const found = objects.get(keyOf(kind, name));
    if (!found || patch.type !== "merge") return found;
    version += 1;
    const { annotations: changed = {} } = (patch.body as { metadata?: { annotations?: object } }).metadata ?? {}; // of a merge patch
    const kept = Object.entries({ ...found.metadata.annotations, ...changed }).filter(([, value]) => value !== null);
    const metadata = { ...found.metadata, resourceVersion: String(version), annotations: Object.fromEntries(kept) };
    const object = kinds[kind].schema.parse({ ...found, metadata });
    objects.set(keyOf(kind, name), object);
    return object;
  }

  const run = async <T>(verb: string, kind: Kind, go: () => T): Promise<T> => (await fault({ verb, kind }, go)) as T; // its own result
  const api = {
    server: "https://scripted",
    apiVersion: () => "batch/v1",
    namespace: async () => ({ labels: {} }),
    list: ({ kind }: { kind: Kind }) =>
      run("list", kind, () => {
        const items = [...objects].flatMap(([key, object]) => (key.startsWith(`${kind} `) ? [object] : []));
        return { items, resourceVersion: String(version), next: undefined, unreadable: 0 };
      }),
    watch: (_: unknown, __: unknown, signal: AbortSignal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    get: ({ kind, name }: { kind: Kind; name: string }) =>
      run("get", kind, () => {
        const found = objects.get(keyOf(kind, name));
        if (!found) throw new KubeError(404, `${name} not found`);
        return found;
      }),
    create: ({ kind }: { kind: Kind }, body: Body) => run("create", kind, () => store(kind, body)),
    patch: ({ kind, name }: { kind: Kind; name: string }, patch: Patch) =>
      run("patch", kind, () => note(kind, name, patch)),
    delete: ({ kind, name }: { kind: Kind; name: string }, { uid }: { uid?: string }) =>
      run("delete", kind, () => remove(kind, name, uid)),
  } as unknown as KubeApi; // the calls that writes make
  return {
    api,
    names: () => [...objects.keys()].toSorted(),
    find: (kind: Kind, name: string) => objects.get(keyOf(kind, name)),
    /** Somebody else does it, past the fault. */
    others: {
      create: (kind: Kind, body: Body) => void store(kind, body),
      delete: (kind: Kind, name: string) => remove(kind, name, undefined),
      /** Replaces the one of its name. */
      put(kind: Kind, sent: object): void {
        const body = sent as Body; // as an API server stores it
        objects.delete(keyOf(kind, body.metadata.name));
        store(kind, body);
      },
    },
    /** From now on all goes well. */
    heal() {
      fault = (_, go) => go();
    },
  };
}

type Changed = Partial<ClusterConfig> & {
  /** Of Kubernetes. */
  readonly version?: string;
};

/** What dana asks of a workload, without a body. */
export function asked(name: string) {
  const path = { region: "us", service_name: name, job_name: name };
  const { signal } = new AbortController();
  return { user: { username: "dana" }, path, query: undefined, body: undefined, signal };
}

/** Closed with the test. While one of them runs, time passes, and it stays half past twelve. */
export function writesOn(api: KubeApi, { version = "v1.20.2", ...changed }: Changed = {}) {
  const own = { ...config, ...changed };
  const clock = stillClock();
  const cache = openNamespaceCache({
    api,
    namespace: "team",
    kinds: [...new Set([...serviceKinds(own), ...jobKinds(own)])],
    clock,
    reconnects: makeReconnects(clock),
    onEvent: () => undefined,
  });
  onTestFinished(() => cache.close());
  const region: Region = {
    config: own,
    api,
    version,
    namespaces: namespacesOf(own),
    cacheOf: () => cache,
    evidenceIn: quiet,
  };
  const parts: WriteParts = {
    regions: new Map([["us", region]]),
    clock: { ...clock, now: () => new Date("2026-11-22T12:30:00Z") },
    onEvent: () => undefined,
    queue: makeSerialQueue(),
    jobRetries: 6,
  };
  return {
    ...asTimePassesIn(clock, { ...serviceWrites(parts), ...jobWrites(parts) }),
    parts,
    clock,
  };
}

/** The same on a fake API server, which stops with the test. */
export async function apiTown(settings: Changed = {}, options: FakeOptions = {}) {
  const server = await openFakeApiServer(options);
  const api = makeKubeClient({ kubeConfig: server.kubeConfig(), clock: stillClock() });
  onTestFinished(async () => {
    api.close();
    await server.stop();
  });
  return {
    server,
    ...writesOn(api, settings),
    /** What was sent to it, without reads. */
    sent: (verb: "create" | "patch" | "delete") => server.requests.filter((each) => each.verb === verb),
  };
}

type Operations = ReturnType<typeof serviceWrites> & ReturnType<typeof jobWrites>;

function asTimePassesIn(clock: StillClock, operations: Operations): Operations {
  const entries = Object.entries(operations).map(([name, run]) => [
    name,
    (request: never) => asTimePasses<unknown>(clock, () => run(request)), // each operation takes its own request
  ]);
  return Object.fromEntries(entries) as Operations; // the same operations
}
