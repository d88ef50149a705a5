import type { EngineDeps } from "../engine-parts.ts";
import type { Unit } from "../runtime.ts";
import { nextSteps, type PresentInstance } from "./next-steps.ts";
import { startInstance, type ServiceInstance } from "./service-instance.ts";
import { serviceState, type ServiceState } from "./service-status.ts";
import type { Service } from "../state/service-store.ts";

/**
 * Brings the instances of one service to the wanted state, one comparison at a time: each change (an instance is ready,
 * has crashed, is gone) triggers the next one.
 */
export type ServiceRunner = {
  readonly state: () => ServiceState;
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

type Numbered = { readonly instance: ServiceInstance; readonly generation: number };

type Run = {
  readonly instances: Map<number, Numbered>;
  /** Called when no instance is left. */
  readonly waiting: Set<() => void>;
  readonly deps: EngineDeps;
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
    service: { ...initial, running: false },
    activity: undefined,
    phase: "new",
  };
  adopt(run, adopted);
  return {
    state: () => stateOf(run),
    want(service, { activity, retry = false }) {
      run.service = service;
      if (run.phase === "new") run.phase = "managed";
      run.activity = activity ?? run.activity;
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
    run.instances.set(index, { generation, instance: startInstance(spec, run.deps, () => reconcile(run)) });
  }
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
    const instance = startInstance({ service, index }, deps, () => reconcile(run));
    instances.set(index, { generation: service.generation, instance });
  }
  if (steps.done || present(run).some(({ state }) => state === "failing")) run.activity = undefined;
  if (instances.size > 0) return;
  for (const resolve of run.waiting) resolve();
  run.waiting.clear();
}

async function stop(run: Run, index: number): Promise<void> {
  const { instances, deps, service } = run;
  try {
    await instances.get(index)?.instance.stop();
  } catch (error) {
    deps.onEvent("an instance could not be stopped", { error, service: service.uid });
  }
  instances.delete(index);
  reconcile(run);
}

async function emptied({ instances, waiting }: Run): Promise<void> {
  if (instances.size > 0) await new Promise<void>((resolve) => waiting.add(resolve));
}
