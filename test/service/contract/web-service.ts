import type { NewService, Service, ServiceLogEntry } from "../../../src/api/schema.ts";
import type { World } from "./world.ts";

/** A service without what changes while it runs, and without its history. */
export function definitionOf(service: Service): Service {
  const {
    status: _,
    status_since: __,
    ready_instances: ___,
    restarts: ____,
    refused_operations: _____,
    // On Kubernetes, another memory limit or a restart is a revision too.
    revision: _1,
    revisions: _2,
    rollout: _3,
    instance_names: _4,
    // It names the size.
    start_command: _5,
    containers,
    ...rest
  } = service;
  // Only of instances that run is it known which image it is.
  return { ...rest, ...(containers && { containers: containers.map(({ image_digest: _5, ...kept }) => kept) }) };
}

/** The body of a web service with one port mapping, all of it running. */
export function webBody({ workloads }: World, more: Partial<NewService> = {}): NewService {
  const { container, port } = workloads.web;
  const ports = [{ port, protocol: "TCP" }];
  return {
    containers: [{ ...container, ports }],
    port_mappings: [{ container_port: port, protocol: "tcp" }],
    ...more,
  };
}

/** A web service without instances, for what needs none running; its name. */
export async function idleService(world: World, more: Partial<NewService> = {}): Promise<string> {
  const name = world.newName("idle");
  await world.get("createService", { name, body: webBody(world, { target_instance_size: 0, ...more }) });
  // Also a service without instances may take a moment to be what it is meant to be.
  await serviceThatIs(world, name, "Running");
  return name;
}

/** A web service that runs; its name. */
export async function runningService(world: World, more: Partial<NewService> = {}): Promise<string> {
  const name = world.newName("web");
  await world.get("createService", { name, body: webBody(world, more) });
  await serviceThatIs(world, name, "Running");
  return name;
}

export async function stoppedService(world: World, more: Partial<NewService> = {}): Promise<string> {
  const name = await runningService(world, more);
  await world.get("stopService", { name });
  await serviceThatIs(world, name, "Stopped");
  return name;
}

/** The service as soon as it has that status. */
export async function serviceThatIs(world: World, name: string, status: string): Promise<Service> {
  return await world.until(
    () => world.get("getService", { name }),
    (service) => service.status === status,
  );
}

/** The newest thousand messages of a service. */
export async function logOf({ get }: World, name: string): Promise<readonly ServiceLogEntry[]> {
  return await get("getServiceLogs", { name, query: { size: 1000 } });
}

type Starts = Readonly<Record<string, number>>;

/** The starts of services that were seen, by service: the log of an instance can go with it. */
const seenStarts = new WeakMap<World, Map<string, Starts>>();

/** How often each instance of a service has started so far, by its log. */
export async function startsOf(world: World, name: string): Promise<Starts> {
  const ofWorld = seenStarts.get(world) ?? new Map<string, Starts>();
  seenStarts.set(world, ofWorld);
  const starts: Record<string, number> = {};
  for (const { instance_name: instance = "", log } of await logOf(world, name)) {
    if (world.workloads.web.startLine.test(log)) starts[instance] = (starts[instance] ?? 0) + 1;
  }
  const all = { ...ofWorld.get(name), ...starts };
  ofWorld.set(name, all);
  return all;
}

/** The starts of a service, as soon as there are that many in all. */
export async function startsReach(world: World, name: string, count: number) {
  return await world.until(
    () => startsOf(world, name),
    (starts) => total(starts) >= count,
  );
}

export function total(starts: Readonly<Record<string, number>>): number {
  return Object.values(starts).reduce((sum, count) => sum + count, 0);
}

export function urlOf(service: Pick<Service, "port_mappings">): string {
  const url = service.port_mappings?.[0]?.service_url;
  if (url === undefined) throw new Error("the service has no service_url");
  return url;
}

/** Somebody answers at the address of a service. An engine may call an instance up before its port is. */
export async function answers(world: World, service: Pick<Service, "port_mappings">): Promise<void> {
  const isReached = () =>
    world.reach(urlOf(service)).then(
      (answer) => answer !== "",
      () => false,
    );
  await world.until(isReached, (reached) => reached);
}
