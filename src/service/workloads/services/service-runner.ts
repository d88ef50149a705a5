import type { EngineDeps } from "../engine-parts.ts";
import type { Unit } from "../runtime.ts";
import { nextSteps, type PresentInstance } from "./next-steps.ts";
import { makeRestartHistory, type RestartHistory, type Restarts } from "./restart-history.ts";
import { startInstance, type InstanceEvents, type ServiceInstance } from "./service-instance.ts";
import { serviceState, type ServiceState } from "./service-status.ts";
import type { Service } from "../state/service-store.ts";

/**
 * Brings the instances of one service to the wanted state, one comparison at a time: each change (an instance is ready,
 * has crashed, is gone) triggers the next one.
 */
export type ServiceRunner = {
  readonly state: () => ServiceState;
  readonly health: () => ServiceHealth;
  /** Sets the wanted state and returns immediately. Instances of an older generation are replaced, one at a time. */
  readonly want: (service: Service, how: WantOptions) => void;
  /** Addresses of running instances for one container port. */
  readonly targets: (containerPort: number) => readonly string[];
  /** Stops all instances because the engine closes. Resolves when they are gone. */
  readonly shutDown: () => Promise<void>;
  /** Stops managing the instances and leaves them running. */
  readonly leave: () => Promise<void>;
  /** Resolves when no instance is left. */
  readonly emptied: () => Promise<void>;
};

export type WantOptions = {
  /** The status until the wanted state is reached. */
  readonly activity?: "Starting" | "Updating";
  /** Forget earlier crashes and try immediately. */
  readonly retry?: boolean;
};

export type ServiceHealth = {
  /** Since when the state is what it is; undefined for one from before this server. */
  readonly since: string | undefined;
  readonly ready: number;
  /** After a crash, of the instances since the last requested start, restart or update of them. */
  readonly restarts: Restarts;
};

type Numbered = { readonly instance: ServiceInstance; readonly generation: number };

type Run = {
  readonly instances: Map<number, Numbered>;
  /** Called when no instance is left. */
  readonly waiting: Set<() => void>;
  readonly deps: EngineDeps;
  readonly history: RestartHistory;
  /** Its instances are those of an earlier server, which knew since when they run. */
  isAdopted: boolean;
  /** The last state that was noticed. */
  noticed: { readonly state: ServiceState; readonly since: string | undefined } | undefined;
  service: Service;
  activity: WantOptions["activity"];
  /** Instances are changed only while `managed`, and stopped while `closing`. New runners only hold adopted ones. */
  phase: "new" | "managed" | "closing" | "left";
};

export function makeServiceRunner(initial: Service, deps: EngineDeps, adopted: readonly Unit[]): ServiceRunner {
  const run: Run = {
    instances: new Map(),
    waiting: new Set(),
    deps,
    history: makeRestartHistory(deps.now),
    isAdopted: adopted.length > 0,
    noticed: undefined,
    service: { ...initial, running: false },
    activity: undefined,
    phase: "new",
  };
  adopt(run, adopted);
  return {
    state: () => stateOf(run),
    health: () => healthOf(run),
    want(service, { activity, retry = false }) {
      // New instances start with a clean record, as new pods do in Kubernetes.
      if (service.generation !== run.service.generation || !service.running || retry) run.history.clear();
      run.service = service;
      if (run.phase === "new") run.phase = "managed";
      run.activity = activity ?? run.activity;
      notice(run);
      if (retry) for (const { instance } of run.instances.values()) instance.retryNow();
      reconcile(run);
    },
    targets: (containerPort) =>
      [...run.instances.values()].flatMap(({ instance }) => instance.address(containerPort) ?? []),
    async shutDown() {
      run.phase = "closing";
      reconcile(run);
      await emptied(run);
    },
    async leave() {
      run.phase = "left";
      await Promise.all([...run.instances.values()].map(({ instance }) => instance.leave()));
    },
    emptied: () => emptied(run),
  };
}

/** The instances of an earlier server: those of an older generation, or too many, are replaced or stopped by `want`. */
function adopt(run: Run, units: readonly Unit[]): void {
  for (const [name, own] of Map.groupBy(units, ({ labels }) => labels.instance)) {
    const index = Number(name.slice(run.service.name.length + 1));
    if (!Number.isInteger(index)) continue;
    const generation = Math.min(...own.map(({ labels }) => labels.generation));
    const spec = { service: { ...run.service, generation }, index, adopted: own };
    run.instances.set(index, { generation, instance: startInstance(spec, run.deps, eventsOf(run, generation)) });
  }
}

/** A crash of an outdated instance says nothing about the current ones. */
function eventsOf(run: Run, generation: number): InstanceEvents {
  return {
    changed: () => reconcile(run),
    crashed(how) {
      if (generation === run.service.generation) run.history.add(how);
    },
  };
}

/** Remembers when the state changed. A state from before this server began at an unknown time. */
function notice(run: Run): void {
  const state = stateOf(run);
  if (run.phase === "new" || state === run.noticed?.state) return;
  const isFromBefore = run.isAdopted || (run.noticed === undefined && state === "Stopped");
  run.noticed = { state, since: isFromBefore ? undefined : run.deps.now().toISOString() };
  if (state !== "Starting") run.isAdopted = false;
}

function healthOf(run: Run): ServiceHealth {
  notice(run);
  const ready = present(run).filter(({ state }) => state === "ready").length;
  return { since: run.noticed?.since, ready, restarts: run.history.recent() };
}

function stateOf(run: Run): ServiceState {
  const { deleting, running } = run.service;
  return serviceState({ deleting, running, activity: run.activity, instances: present(run).map(({ state }) => state) });
}

function present({ instances, service }: Run): PresentInstance[] {
  return [...instances].map(([index, one]) => ({
    index,
    state: one.instance.state(),
    isCurrent: one.generation === service.generation,
  }));
}

function wantedSize({ service, phase }: Run): number {
  return phase === "managed" && service.running && !service.deleting ? service.definition.size : 0;
}

function reconcile(run: Run): void {
  const { service, instances, deps } = run;
  if (run.phase === "new" || run.phase === "left") return;
  const steps = nextSteps(wantedSize(run), present(run));
  for (const index of steps.stop) void stop(run, index);
  for (const index of steps.start) {
    const { generation } = service;
    instances.set(index, { generation, instance: startInstance({ service, index }, deps, eventsOf(run, generation)) });
  }
  if (steps.done || present(run).some(({ state }) => state === "failing")) run.activity = undefined;
  notice(run);
  if (instances.size > 0) return;
  for (const resolve of run.waiting) resolve();
  run.waiting.clear();
}

async function stop(run: Run, index: number): Promise<void> {
  const { instances, deps, service } = run;
  try {
    await instances.get(index)?.instance.stop();
  } catch (error) {
    deps.onEvent("couldn't stop an instance", { error, service: service.uid });
  }
  instances.delete(index);
  reconcile(run);
}

async function emptied({ instances, waiting }: Run): Promise<void> {
  if (instances.size > 0) await new Promise<void>((resolve) => waiting.add(resolve));
}
