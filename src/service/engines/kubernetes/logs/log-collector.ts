import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../../../../platform/clock.ts";
import { within } from "../../../../platform/waiting.ts";
import type { LogWriter } from "../../../workloads/logs/log-writer.ts";
import type { Region } from "../regions.ts";
import { inEachNamespace } from "../region-namespaces.ts";
import { recordEndsOf } from "../write/record-job-failures.ts";
import { type CollectorLimits, collectorLimits, type CollectorParts } from "./collector-parts.ts";
import { keepLease, type OtherCollector } from "./log-lease.ts";
import { collectNamespace } from "./namespace-collector.ts";
import { makeOpening, makePlaces } from "./open-limits.ts";

type CollectorOptions = {
  /** The lease is in its first namespace. */
  readonly region: Region;
  readonly logs: LogWriter;
  readonly clock: Clock;
  readonly onEvent: (message: string, data: object) => void;
  readonly limits?: Partial<CollectorLimits>;
};

/** A log that is read right after the start waits so long for the first look at the lease. */
const FIRST_LOOK_MS = 2_000;

export type LogCollector = {
  /** Why no lines of a namespace arrive at the moment, from any replica; undefined while they do. */
  readonly problem: (namespace: string) => string | undefined;
  /** The Gantry with another log store that collects, or did at last; undefined if the lines arrive in this one's. */
  readonly elsewhere: () => Promise<OtherCollector | undefined>;
  /** The replica that collects, as the lease names it. */
  readonly holder: () => string | undefined;
  /** Resolves when the logs of a workload that no request follows were looked at, or couldn't be soon. */
  readonly catchUp: (workload: string) => Promise<void>;
  /** Whether this replica is the one that collects. */
  readonly isCollecting: () => boolean;
  /** Stops collecting and lets another replica go on. Idempotent. */
  readonly close: () => Promise<void>;
};

/**
 * Collects the logs of a region into the log store, in one of its replicas at a time. The same replica writes on jobs how
 * they failed, because it sees all pods.
 */
export function startLogCollector(options: CollectorOptions): LogCollector {
  const { region, logs, clock, onEvent } = options;
  const limits = { ...collectorLimits, ...options.limits };
  const problems = new Map<string, string>();
  const lookers = new Set<(workload: string) => Promise<void>>();
  const data = { region: region.config.region };
  const [namespace] = region.namespaces.all();
  if (namespace === undefined) {
    return {
      isCollecting: () => false,
      problem: () => undefined,
      elsewhere: async () => undefined,
      holder: () => undefined,
      catchUp: async () => {},
      close: async () => {},
    };
  }
  const identity = `${hostname()}_${randomUUID()}`;
  const lease = keepLease({
    api: region.api,
    namespace,
    identity,
    // What runs in the cluster stays there, as a laptop doesn't.
    storeId: async () => `${region.config.kubeconfig === "in-cluster" ? "in-cluster-" : ""}${await logs.storeId()}`,
    clock,
    renewMs: limits.renewMs,
    durationMs: limits.leaseMs,
    otherStoreMs: limits.otherStoreMs,
    releasedMs: limits.releasedMs,
    onEvent: (message, more) => onEvent(message, { ...data, ...more }),
    whileHeld: (signal) =>
      collect({ ...options, limits }, { identity, problems, lookers, signal, isHeld: () => lease.isHeld() }),
  });
  let closed: Promise<void> | undefined;
  return {
    isCollecting: () => lease.isHeld(),
    problem: (namespace) => (lease.isHeld() ? problems.get(namespace) : lease.problem()),
    async elsewhere() {
      await within(FIRST_LOOK_MS, lease.looked, () => undefined, clock);
      return lease.elsewhere();
    },
    holder: () => lease.holder(),
    async catchUp(workload) {
      const looks = Promise.all([...lookers].map((look) => look(workload)));
      await within(CATCH_UP_MS, looks, () => undefined, clock);
    },
    close: () => (closed ??= lease.close()),
  };
}

/** Containers of a workload are looked at within this time before its log is read. */
const CATCH_UP_MS = 2_000;
/** Short looks at the same time, beside the open logs. */
const LOOKS = 20;

type Held = {
  readonly identity: string;
  /** By namespace. */
  readonly problems: Map<string, string>;
  readonly lookers: Set<(workload: string) => Promise<void>>;
  readonly signal: AbortSignal;
  readonly isHeld: () => boolean;
};

async function collect(
  { region, logs, clock, onEvent, limits }: CollectorOptions & { readonly limits: CollectorLimits },
  { identity, problems, lookers, signal, isHeld }: Held,
): Promise<void> {
  problems.clear();
  const { opensPerSecond: perSecond, openLogs } = limits;
  const data = { region: region.config.region };
  let isTold = false;
  const parts: CollectorParts = {
    ...limits,
    api: region.api,
    config: region.config,
    logs,
    clock,
    collector: identity,
    onEvent,
    opening: makeOpening({ perSecond, backOffMs: { first: 1_000, max: 30_000 }, clock }),
    places: makePlaces(openLogs, () => {
      if (!isTold) onEvent("more containers than open logs: quiet ones are looked at seldom", { ...data, openLogs });
      isTold = true;
    }),
    looks: makePlaces(LOOKS, () => undefined),
    lookers,
    ensureLeading() {
      if (!isHeld()) throw new Error("another replica may collect logs by now");
    },
  };
  const collecting = inEachNamespace(region.namespaces, signal, async (namespace, ended) => {
    const onProblem = (problem: string | undefined): void => {
      if (problem === undefined) problems.delete(namespace);
      else if (problem !== problems.get(namespace)) onEvent("logs can't be collected", { ...data, namespace, problem });
      if (problem !== undefined) problems.set(namespace, problem);
    };
    try {
      await collectNamespace(parts, { cache: region.cacheOf(namespace), onProblem }, ended);
    } catch (error) {
      onProblem("collecting logs failed; see the log of Gantry");
      onEvent("collecting logs failed", { ...data, namespace, error });
    }
    if (ended.aborted && !signal.aborted) problems.delete(namespace);
  });
  await Promise.all([collecting, recordEndsOf({ region, clock, onEvent }, signal)]);
}
