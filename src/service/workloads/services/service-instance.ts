import { setTimeout as pause } from "node:timers/promises";
import { duration, FAILURES_OF_A_CRASH_LOOP, recoveredAfterMs } from "../lifecycle/back-off.ts";
import { startChild, type Child } from "../../engines/process/instances/child.ts";
import type { Container } from "../definitions/container.ts";
import type { RunSurface } from "../engine-parts.ts";
import { serviceDisk, workFolder } from "../../engines/process/records/host-folder.ts";
import { keepRunning, type Kept } from "../lifecycle/keep-running.ts";
import { answers, freePort } from "../../engines/process/network/local-port.ts";
import type { ServiceDefinition } from "../definitions/service-definition.ts";
import type { InstanceState } from "./service-status.ts";
import type { Service } from "../state/service-store.ts";
import { hostVolumes } from "../../engines/process/instances/volumes.ts";

/** One instance of a service: all its containers, each kept running on its own. */
export type ServiceInstance = {
  readonly state: () => InstanceState;
  /** The port on the host that now stands for this port of a container; undefined while its process is not up. */
  readonly hostPort: (containerPort: number) => number | undefined;
  readonly stop: () => Promise<void>;
  readonly retryNow: () => void;
};

type Unit = { readonly kept: Kept; readonly isReady: () => boolean; readonly ports: () => ReadonlyMap<number, number> };

const POLL_MS = 50;
/** A program may need longer to open its port than to show that it does not fall over: so many times as long. */
const PORT_PATIENCE = 20;

/** Starts an instance. `changed` is called whenever its state may be another one. */
export function startInstance(
  { service, index }: { service: Service; index: number },
  surface: RunSurface,
  changed: () => void,
): ServiceInstance {
  const units = service.definition.containers.map((container) =>
    keepContainer({ service, container, instance: `${service.name}-${index}` }, surface, changed),
  );
  let isStopping = false;
  return {
    state() {
      if (isStopping) return "stopping";
      if (units.some(({ kept }) => kept.failures() >= FAILURES_OF_A_CRASH_LOOP)) return "failing";
      return units.every((unit) => unit.isReady()) ? "ready" : "waiting";
    },
    hostPort(containerPort) {
      const unit = units.find(({ kept, ports }) => kept.current() !== undefined && ports().has(containerPort));
      return unit?.ports().get(containerPort);
    },
    async stop() {
      isStopping = true;
      await Promise.all(units.map(({ kept }) => kept.stop()));
    },
    retryNow() {
      for (const { kept } of units) kept.retryNow();
    },
  };
}

type Place = { readonly service: Service; readonly container: Container; readonly instance: string };

function keepContainer(place: Place, surface: RunSurface, changed: () => void): Unit {
  const { service, instance } = place;
  let ready: Child | undefined;
  let ports: ReadonlyMap<number, number> = new Map();
  let recovery: NodeJS.Timeout | undefined;

  const note = (line: string): void => surface.logs.append(service.uid, instance, `[gantry] ${line}`);

  async function markReady(child: Child): Promise<void> {
    const isReady = await whenReady(child, [...ports.values()], {
      readyAfterMs: surface.readyAfterMs,
      onSilentPorts: (waitedMs) => note(`${subject(place)} does not answer on its port after ${duration(waitedMs)}`),
    });
    if (isReady) ready = child;
    changed();
  }

  const kept = keepRunning({
    backOff: surface.backOff,
    start: (stopping) =>
      surface.spawns.run(async () => {
        ports = await choosePorts(service.definition, place.container);
        return await startChild(launchOf(place, ports, surface), surface);
      }, stopping),
    onStart(child) {
      recovery = setTimeout(changed, recoveredAfterMs(surface.backOff) + 1).unref();
      void markReady(child);
    },
    async onExit(exit, { delayMs }) {
      clearTimeout(recovery);
      note(`${subject(place)} ${exit.how}, started again in ${duration(delayMs)}`);
      changed();
      return "again";
    },
    onError: (error) => surface.onEvent("an instance could not be kept running", { error, service: service.uid }),
  });
  return { kept, isReady: () => ready !== undefined && ready === kept.current(), ports: () => ports };
}

function subject({ service, container, instance }: Place): string {
  const isOnly = service.definition.containers.length === 1;
  return isOnly ? `instance ${instance}` : `container ${container.name} of instance ${instance}`;
}

function launchOf(place: Place, ports: ReadonlyMap<number, number>, { dataDir }: RunSurface) {
  const { service, container, instance } = place;
  const volumes = service.definition.volumes.map(({ name, diskName, readOnly }) => ({
    name,
    readOnly,
    path: serviceDisk(dataDir, service, diskName),
  }));
  return {
    workload: service.uid,
    instance,
    region: service.region,
    container,
    ports,
    volumes: hostVolumes(volumes, container),
    syncTimezone: service.definition.syncTimezone,
    workFolder: workFolder(dataDir, service.uid),
  };
}

/** A port of its own for each mapping that leads to this container: the one that opens it, else the first container. */
async function choosePorts(
  { ports, containers }: ServiceDefinition,
  container: Container,
): Promise<Map<number, number>> {
  const chosen = new Map<number, number>();
  for (const { containerPort } of ports) {
    const opener = containers.find((one) => one.ports.some(({ port }) => port === containerPort)) ?? containers[0];
    if (opener === container) chosen.set(containerPort, await freePort());
  }
  return chosen;
}

/**
 * Resolves to whether the process is ready: its ports answer; without a port, it has stayed up for a moment. One that
 * never opens its ports counts as ready in the end, because it may well do other work; its log says so.
 */
async function whenReady(child: Child, ports: readonly number[], surface: ReadyTimes): Promise<boolean> {
  const gone = new AbortController();
  void child.exited.finally(() => gone.abort());
  const waitMs = ports.length > 0 ? surface.readyAfterMs * PORT_PATIENCE : surface.readyAfterMs;
  const deadline = performance.now() + waitMs;
  while (!gone.signal.aborted && performance.now() < deadline) {
    if (ports.length > 0 && (await Promise.all(ports.map(answers))).every(Boolean)) return !gone.signal.aborted;
    await pause(Math.max(1, Math.min(POLL_MS, deadline - performance.now())));
  }
  if (ports.length > 0 && !gone.signal.aborted) surface.onSilentPorts(waitMs);
  return !gone.signal.aborted;
}

type ReadyTimes = { readonly readyAfterMs: number; readonly onSilentPorts: (waitedMs: number) => void };
