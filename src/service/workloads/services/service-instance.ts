import { setTimeout as pause } from "node:timers/promises";
import { duration, FAILURES_OF_A_CRASH_LOOP, recoveredAfterMs } from "../lifecycle/back-off.ts";
import type { Container } from "../definitions/container.ts";
import type { EngineDeps } from "../engine-parts.ts";
import { exitClause } from "../lifecycle/exit-text.ts";
import { keepRunning, type Kept } from "../lifecycle/keep-running.ts";
import { startUnit } from "../lifecycle/start-unit.ts";
import type { Unit, UnitSpec } from "../runtime.ts";
import type { ServiceDefinition } from "../definitions/service-definition.ts";
import type { InstanceState } from "./service-status.ts";
import type { Service } from "../state/service-store.ts";

/** One instance of a service: all its containers, each kept running independently. */
export type ServiceInstance = {
  readonly state: () => InstanceState;
  /** Where it takes connections for a container port; undefined while that container doesn't run. */
  readonly address: (containerPort: number) => string | undefined;
  readonly stop: () => Promise<void>;
  /** Leaves its units running. */
  readonly leave: () => Promise<void>;
  readonly retryNow: () => void;
};

type KeptContainer = { readonly kept: Kept; readonly isReady: () => boolean };

const POLL_MS = 50;
/** A container with ports has this many times as long to become ready as one without. */
const PORT_PATIENCE = 20;

type InstanceSpec = {
  readonly service: Service;
  readonly index: number;
  /** Containers of this instance that an earlier server left running. */
  readonly adopted?: readonly Unit[];
};

export type InstanceEvents = {
  /** Its state may have changed. */
  readonly changed: () => void;
  /** It ended without being stopped and is started again; `how` is a clause: "web-1 exited with code 1". */
  readonly crashed: (how: string) => void;
};

export function startInstance(
  { service, index, adopted = [] }: InstanceSpec,
  deps: EngineDeps,
  events: InstanceEvents,
): ServiceInstance {
  const instance = `${service.name}-${index}`;
  const containers = service.definition.containers.map((_, container) => {
    const unit = adopted.find(({ labels }) => labels.container === container);
    return keepContainer({ service, container, instance, adopted: unit }, deps, events);
  });
  let isStopping = false;
  return {
    state() {
      if (isStopping) return "stopping";
      if (containers.some(({ kept }) => kept.failures() >= FAILURES_OF_A_CRASH_LOOP)) return "failing";
      return containers.every(({ isReady }) => isReady()) ? "ready" : "waiting";
    },
    address(containerPort) {
      const addresses = containers.map(({ kept }) => kept.current()?.address(containerPort));
      return addresses.find((address) => address !== undefined);
    },
    async stop() {
      isStopping = true;
      await Promise.all(containers.map(({ kept }) => kept.stop()));
    },
    async leave() {
      await Promise.all(containers.map(({ kept }) => kept.leave()));
    },
    retryNow() {
      for (const { kept } of containers) kept.retryNow();
    },
  };
}

type ContainerSpec = {
  readonly service: Service;
  /** The index in the definition. */
  readonly container: number;
  readonly instance: string;
  readonly adopted: Unit | undefined;
};

function keepContainer(container: ContainerSpec, deps: EngineDeps, events: InstanceEvents): KeptContainer {
  const { changed, crashed } = events;
  const { service, instance, adopted } = container;
  let ready: Unit | undefined;
  let recovery: NodeJS.Timeout | undefined;

  const note = (line: string): void => deps.logs.append(service.uid, instance, `[gantry] ${line}`);

  async function markReady(unit: Unit): Promise<void> {
    const isReady = await whenReady(unit, {
      readyAfterMs: deps.readyAfterMs,
      onSilentPorts: (waitedMs) => note(`${subject(container)} doesn't answer on its port after ${duration(waitedMs)}`),
    });
    if (isReady) ready = unit;
    changed();
  }

  const kept = keepRunning({
    backOff: deps.backOff,
    adopted,
    start: (stopping) => deps.starts.run(() => startUnit(specOf(container), deps), stopping),
    onStart(unit) {
      recovery = setTimeout(changed, recoveredAfterMs(deps.backOff) + 1).unref();
      void markReady(unit);
    },
    async onExit(exit, { delayMs }) {
      clearTimeout(recovery);
      const how = exitClause(exit);
      note(`${subject(container)} ${how}, restarting in ${duration(delayMs)}`);
      crashed(`${instance} ${how}`);
      changed();
      return "again";
    },
    onError: (error) => deps.onEvent("couldn't keep an instance running", { error, service: service.uid }),
  });
  return { kept, isReady: () => ready !== undefined && ready === kept.current() };
}

function subject({ service, container, instance }: ContainerSpec): string {
  const { containers } = service.definition;
  return containers.length === 1
    ? `instance ${instance}`
    : `container ${containers[container]?.name} of instance ${instance}`;
}

function specOf({ service, container, instance }: ContainerSpec): UnitSpec {
  const { uid, username, region, generation, definition } = service;
  const own = definition.containers[container];
  if (!own) throw new Error(`the service ${uid} has no container ${container}`);
  const mounted = definition.volumes.filter(({ name }) => own.mounts.some((mount) => mount.name === name));
  return {
    workload: uid,
    instance,
    container,
    generation,
    username,
    region,
    definition: own,
    volumes: mounted.map(({ name, diskName, readOnly }) => ({
      name,
      readOnly,
      source: { kind: "disk", username, region, name: diskName },
    })),
    ports: portsOf(definition, own),
    syncTimezone: definition.syncTimezone,
  };
}

/** The mapped ports that lead to this container. A port that no container opens leads to the first one. */
function portsOf({ ports, containers }: ServiceDefinition, container: Container): number[] {
  return ports.flatMap(({ containerPort }) => {
    const opener = containers.find((one) => one.ports.some(({ port }) => port === containerPort)) ?? containers[0];
    return opener === container ? [containerPort] : [];
  });
}

/**
 * Resolves to true when all ports of the unit answer, or when it has stayed up for `readyAfterMs` if it has none. One
 * that never opens its ports is ready after a longer time, because it may well do other work; its log says so.
 */
async function whenReady(unit: Unit, { readyAfterMs, onSilentPorts }: ReadyTimes): Promise<boolean> {
  const gone = new AbortController();
  void unit.exited.finally(() => gone.abort());
  const waitMs = unit.answers ? readyAfterMs * PORT_PATIENCE : readyAfterMs;
  const deadline = performance.now() + waitMs;
  while (!gone.signal.aborted && performance.now() < deadline) {
    if (unit.answers && (await unit.answers())) return !gone.signal.aborted;
    await pause(Math.max(1, Math.min(POLL_MS, deadline - performance.now())));
  }
  if (unit.answers && !gone.signal.aborted) onSilentPorts(waitMs);
  return !gone.signal.aborted;
}

type ReadyTimes = { readonly readyAfterMs: number; readonly onSilentPorts: (waitedMs: number) => void };
