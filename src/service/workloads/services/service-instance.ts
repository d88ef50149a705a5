import type { EngineContext } from "../engine-context.ts";
import type { Unit } from "../runtime.ts";
import type { Service } from "../state/store.ts";
import { type CrashCount, isCrash, makeCrashCount } from "../lifecycle/exit.ts";
import { type ContainerEvents, type ContainerSpec, keepContainer } from "./service-container.ts";
import { isUnproven } from "./revisions.ts";
import type { InstanceState } from "./service-status.ts";
import { orAborted, within } from "../../../platform/waiting.ts";

export type ServiceInstance = ReturnType<typeof startInstance>;

export type InstanceSpec = {
  /** Its generation is that of the instance. */
  readonly service: Service;
  readonly index: number;
  readonly adopted?: Adopted;
  /** Called once, when all its containers could start; they start when this resolves. */
  readonly makeRoom?: (() => Promise<void>) | undefined;
};

/** Units of this instance that an earlier server left. */
type Adopted = Omit<NonNullable<ContainerSpec["adopted"]>, "unit"> & { readonly units: readonly Unit[] };

export type InstanceEvents = {
  /** Its state may have changed. */
  readonly changed: () => void;
  /** It ended without being stopped and is started again; `how` is a clause: "web-1 exited with code 1". */
  readonly crashed: (how: string) => void;
};

/** Longest wait for its connections to end, before it is stopped. */
const HAND_OVER_MS = 250;

/** After this many failures in a row a service is `Failed`, and still restarted. */
const FAILURES_OF_A_CRASH_LOOP = 3;

/** One instance of a service: all its containers, each kept running independently. */
export function startInstance(spec: InstanceSpec, context: EngineContext, events: InstanceEvents) {
  const instance = `${spec.service.name}-${spec.index}`;
  const crashes = makeCrashCount(instance, context.clock);
  let { service } = spec;
  let isStopping = false;
  let isLeft = false;
  const counting = countingIn(crashes, events);
  const makeRoom = spec.makeRoom && whenAllCould(service.definition.containers.length, spec.makeRoom);
  const containers = containersOf(spec).map(({ container, adopted }) =>
    keepContainer(
      {
        place: () => ({ service, container, instance }),
        adopted,
        isUnproven: isUnproven(service),
        makeRoom: makeRoom && ((stopping) => makeRoom(container, stopping)),
      },
      context,
      counting,
    ),
  );
  const kept = containers.map((each) => each.kept);
  const addressOf = (containerPort: number): string | undefined =>
    kept.map((each) => each.current()?.address(containerPort)).find((address) => address !== undefined);
  const drained = (): Promise<unknown> =>
    Promise.all(
      service.definition.ports
        .flatMap(({ containerPort }) => addressOf(containerPort) ?? [])
        .map(context.runtime.drained),
    );
  return {
    state(): InstanceState {
      if (isStopping) return "stopping";
      if (kept.some((each) => each.failures() >= FAILURES_OF_A_CRASH_LOOP)) return "failing";
      if (containers.some(({ isOverdue }) => isOverdue())) return "failing";
      return containers.every(({ isReady }) => isReady()) ? "ready" : "waiting";
    },
    /** Where it takes connections for a container port; undefined while that container doesn't run. */
    address: addressOf,
    /** With `handsOver`, it gets no new connections from now on, and those that it has may take a moment to end. */
    async stop({ handsOver }: { readonly handsOver: boolean } = { handsOver: false }) {
      isStopping = true;
      if (handsOver) await within(HAND_OVER_MS, drained(), () => undefined, context.clock);
      // The next server finds both, and stops it.
      if (isLeft) return;
      await Promise.all(kept.map((each) => each.stop()));
    },
    /** Leaves its units running. */
    async leave() {
      isLeft = true;
      await Promise.all(kept.map((each) => each.leave()));
    },
    /** Forgets its crashes. */
    retryNow() {
      crashes.clear();
      for (const each of kept) each.retryNow();
    },
    /** Since it was started, or since `retryNow`. */
    crashes: crashes.read,
    /** What it waits for before it can start, as a clause: "web-1 is waiting: pulling the image app:2". */
    waits() {
      const waited = containers.map(({ waits }) => waits()).find((line) => line !== undefined);
      return waited === undefined ? undefined : `${instance} is waiting: ${waited}`;
    },
    /** Its units that run. */
    units: () => kept.flatMap((each) => each.current() ?? []),
    /** Changes its memory to that of this definition, in place. */
    adapt(changed: Service) {
      service = { ...changed, generation: service.generation };
      for (const each of containers) each.adapt();
    },
    isResizing: () => containers.some((each) => each.isResizing()),
    /** Its memory isn't that of the definition and can't be changed in place. */
    isMisfit: () => containers.some((each) => each.isMisfit()),
  };
}

/** A container whose image can't be had keeps the others back: the old instance stays until all of the new one could start. */
function whenAllCould(count: number, makeRoom: () => Promise<void>) {
  const could = new Set<number>();
  const hasRoom = Promise.withResolvers<void>();
  return async (container: number, stopping: AbortSignal): Promise<void> => {
    could.add(container);
    if (could.size === count) hasRoom.resolve(makeRoom());
    await orAborted(hasRoom.promise, stopping);
  };
}

/** Of an outdated instance, containers that an earlier server has stopped already aren't started again. */
function containersOf({ service, adopted }: InstanceSpec): { container: number; adopted: ContainerSpec["adopted"] }[] {
  const all = service.definition.containers.map((_, container) => {
    const unit = adopted?.units.find(({ labels }) => labels.container === container);
    return { container, adopted: adopted && unit && { ...adopted, unit } };
  });
  return adopted?.isOutdated === true ? all.filter((each) => each.adopted !== undefined) : all;
}

/** A start that failed is told, but it is no restart: nothing ran. Nor is one after an outage of its surroundings. */
function countingIn(crashes: CrashCount, { changed, crashed }: InstanceEvents): ContainerEvents {
  return {
    changed,
    crashed(exit) {
      const how = crashes.add(exit);
      if (isCrash(exit)) crashed(how);
    },
  };
}
