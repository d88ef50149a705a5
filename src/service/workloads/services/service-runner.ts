import type { RunSurface } from "../engine-parts.ts";
import { nextSteps, type PresentInstance } from "./next-steps.ts";
import { startInstance, type ServiceInstance } from "./service-instance.ts";
import { serviceState, type ServiceState } from "./service-status.ts";
import type { Service } from "../state/service-store.ts";

/**
 * Makes the instances of one service what the service is meant to be. It is told what is wanted and goes there by
 * itself: each change (an instance is ready, has crashed, is gone) only makes it compare again.
 */
export type ServiceRunner = {
  readonly state: () => ServiceState;
  /** From now on this is wanted; answers at once. */
  readonly want: (service: Service, how: Wish) => void;
  /** Ports on the host of instances that are up, for one container port. */
  readonly targets: (containerPort: number) => readonly number[];
  /** Stops all instances, without a change of what is wanted: the engine closes. Resolves when they are gone. */
  readonly shutDown: () => Promise<void>;
  /** Resolves when no instance is left. */
  readonly emptied: () => Promise<void>;
};

export type Wish = {
  /** What the status says until it is reached. */
  readonly activity?: "Starting" | "Updating";
  /** Replace the instances that are there, one after the other. */
  readonly renew?: boolean;
  /** Forget earlier crashes and try at once. */
  readonly retry?: boolean;
};

type Numbered = { readonly instance: ServiceInstance; readonly generation: number };

type Run = {
  readonly instances: Map<number, Numbered>;
  /** Told when no instance is left. */
  readonly waiting: Set<() => void>;
  readonly surface: RunSurface;
  service: Service;
  /** Rises with each change that running instances cannot follow. */
  generation: number;
  activity: Wish["activity"];
  isShutDown: boolean;
};

export function makeServiceRunner(initial: Service, surface: RunSurface): ServiceRunner {
  const run: Run = {
    instances: new Map(),
    waiting: new Set(),
    surface,
    service: { ...initial, running: false },
    generation: 0,
    activity: undefined,
    isShutDown: false,
  };
  return {
    state: () => stateOf(run),
    want(service, { activity, renew = false, retry = false }) {
      run.service = service;
      run.activity = activity ?? run.activity;
      if (renew) run.generation += 1;
      if (retry) for (const { instance } of run.instances.values()) instance.retryNow();
      compare(run);
    },
    targets: (containerPort) =>
      [...run.instances.values()].flatMap(({ instance }) => instance.hostPort(containerPort) ?? []),
    async shutDown() {
      run.isShutDown = true;
      compare(run);
      await emptied(run);
    },
    emptied: () => emptied(run),
  };
}

function stateOf(run: Run): ServiceState {
  const { deleting, running } = run.service;
  return serviceState({ deleting, running, activity: run.activity, instances: present(run).map(({ state }) => state) });
}

function present({ instances, generation }: Run): PresentInstance[] {
  return [...instances].map(([index, one]) => ({
    index,
    state: one.instance.state(),
    isCurrent: one.generation === generation,
  }));
}

function compare(run: Run): void {
  const { service, instances, generation, surface } = run;
  const runs = service.running && !service.deleting && !run.isShutDown;
  const steps = nextSteps(runs ? service.definition.size : 0, present(run));
  for (const index of steps.stop) void stop(run, index);
  for (const index of steps.start) {
    const instance = startInstance({ service, index }, surface, () => compare(run));
    instances.set(index, { generation, instance });
  }
  if (steps.done || present(run).some(({ state }) => state === "failing")) run.activity = undefined;
  if (instances.size > 0) return;
  for (const resolve of run.waiting) resolve();
  run.waiting.clear();
}

async function stop(run: Run, index: number): Promise<void> {
  const { instances, surface, service } = run;
  try {
    await instances.get(index)?.instance.stop();
  } catch (error) {
    surface.onEvent("an instance could not be stopped", { error, service: service.uid });
  }
  instances.delete(index);
  compare(run);
}

async function emptied({ instances, waiting }: Run): Promise<void> {
  if (instances.size > 0) await new Promise<void>((resolve) => waiting.add(resolve));
}
