import { randomUUID } from "node:crypto";
import type { EnvUpdate, NewService, Service, ServiceContainer, ServiceUpdate } from "../../../src/api/schema.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { type Engine, type EngineRequest, Refusal } from "../../../src/service/engine.ts";
import { refusedMoves } from "../../../src/service/workloads/services/service-status.ts";
import {
  checkBody,
  entryOf,
  found,
  images,
  keyOf,
  type Line,
  mib,
  ofUser,
  pageOf,
  refuseTwin,
} from "./memory-store.ts";

type MemoryService = {
  readonly service: Service;
  readonly region: string;
  readonly lines: Line[];
  /** Indexes of the instances that run. */
  readonly running: Set<number>;
  /** Those of each revision, the oldest first. */
  readonly kept: (readonly ServiceContainer[])[];
};
type ServiceOperation = Exclude<keyof Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;
type Path = { readonly region: string; readonly service_name: string };
type Options = {
  readonly regions: readonly string[];
  readonly later: (work: () => void) => void;
  readonly clock: Pick<Clock, "now">;
};

/** Services whose instances are no more than lines in a log: one line per start, and one per `heartbeat`. */
export function memoryServices({ regions, later, clock }: Options) {
  const store = new Map<string, MemoryService>();
  const place = ({ region, service_name: name }: Path) => {
    if (!regions.includes(region)) throw new Refusal(400, `unknown region ${region}`);
    return { region, name };
  };
  const find = ({ user, path }: Pick<EngineRequest<"getService">, "user" | "path">) => found(store, user, place(path));
  const settling = new Map<MemoryService, string>();
  /** The latest change decides. */
  const settle = (item: MemoryService, status: string) => {
    settling.set(item, status);
    later(() => settling.get(item) === status && become(item, status, clock.now()));
  };
  const bind = (item: MemoryService | undefined, domains: readonly string[] = []) => {
    const others = [...store.values()].filter((other) => other !== item);
    const taken = domains.find((domain) => others.some((other) => other.service.binding_domain_name?.includes(domain)));
    if (taken !== undefined) throw new Refusal(409, `the domain ${taken} is bound to another service`);
  };
  const engine: Pick<Engine, ServiceOperation> = {
    async listServices({ user, path: { region } }) {
      place({ region, service_name: "" });
      const services = ofUser(store, user, region).map(({ service }) => {
        const { revisions: _, rollout, ...listed } = service;
        return { ...listed, ...(rollout?.state === "progressing" && { rollout }) };
      });
      return { region, services };
    },
    async getService(request) {
      const { service, region, running } = find(request);
      const refused = refusedMoves(service.name, service.status ?? "");
      const names = [...running].map((index) => `${service.name}-${index}`);
      return structuredClone({
        region,
        ...service,
        instance_names: names,
        ...(refused.length > 0 && { refused_operations: [...refused] }),
      });
    },
    async createService({ user, path, body }) {
      const where = place(path);
      checkBody(body);
      refuseTwin(store, user, where);
      bind(undefined, body.binding_domain_name);
      const item = {
        service: serviceOf(where.name, body, clock.now()),
        region: where.region,
        lines: [],
        running: new Set<number>(),
        kept: [],
      };
      revise(item);
      store.set(keyOf(user, where), item);
      start(item);
      if (item.running.size > 0) settle(item, "Running");
      else become(item, "Running", clock.now());
      const { uid: _, created_at: __, status: ___, ready_instances: _1, ...created } = item.service;
      const { restarts: _2, restart_count: _3, revision: _4, revisions: _5, ...answer } = created;
      return structuredClone({ ...answer, containers: body.containers });
    },
    async deleteService({ user, path }) {
      found(store, user, place(path)).running.clear();
      store.delete(keyOf(user, place(path)));
      return "Service was deleted successfully";
    },
    async updateService(request) {
      const item = find(request);
      checkUpdate(item.service, request.body);
      bind(item, request.body.binding_domain_name);
      const isReplaced = update(item, request.body);
      if (["Stopped", "Stopping"].includes(item.service.status ?? "")) return {};
      if (isReplaced) item.running.clear();
      start(item);
      settle(item, "Running");
      return {};
    },
    async startService(request) {
      const item = find(request);
      refuseIn(item, ["Starting", "Running"]);
      become(item, "Starting", clock.now());
      start(item);
      settle(item, "Running");
      return {};
    },
    async stopService(request) {
      const item = find(request);
      refuseIn(item, ["Stopped", "Stopping"]);
      item.running.clear();
      become(item, "Stopping", clock.now());
      settle(item, "Stopped");
      return {};
    },
    async restartService(request) {
      const item = find(request);
      refuseIn(item, ["Stopped", "Stopping"]);
      item.running.clear();
      start(item);
      become(item, "Running", clock.now());
      settling.delete(item);
      return {};
    },
    async getServiceLogs(request) {
      return pageOf(find(request).lines, request.query, clock.now()).map(entryOf);
    },
  };
  return {
    engine,
    heartbeat() {
      for (const item of store.values()) {
        for (const index of item.running) write(item, index, "heartbeat");
        if (item.service.containers?.[0]?.image === images.failing && item.running.size > 0) crash(item, clock.now());
      }
    },
    async reach(serviceUrl: string): Promise<string> {
      const item = [...store.values()].find((each) => each.service.default_domain_name === serviceUrl);
      if (!item || item.running.size === 0) throw new Error(`nobody answers at ${serviceUrl}`);
      return `hello from ${item.service.name}`;
    },
  };
}

function write({ service, lines }: MemoryService, index: number, text: string): void {
  lines.push({ instance: `${service.name}-${index}`, text });
}

function become(item: MemoryService, status: string, at: Date): void {
  const { service, running } = item;
  const isRunning = status === "Running";
  if (isRunning) prove(item);
  const now = at.toISOString();
  Object.assign(service, { status, status_since: now, ready_instances: isRunning ? running.size : 0 });
  if (isRunning) return;
  Object.assign(service, { restarts: { count: 0 }, restart_count: 0 });
  for (const key of ["message", "last_state"] as const) delete service[key]; // oxlint-disable-line no-param-reassign -- the store of a test
}

function crash({ service }: MemoryService, at: Date): void {
  const { count = 0, first_at } = service.restarts ?? {};
  const now = at.toISOString();
  const reason = `${service.name}-0 exited with code 3`;
  const restarts = { count: count + 1, first_at: first_at ?? now, last_at: now, last_reason: reason };
  const last_state = { reason: "Error", exit_code: 3, finished_at: now };
  Object.assign(service, { restarts, restart_count: restarts.count, last_state, message: reason });
}

/** Makes the running instances as many as they are meant to be. */
function start(item: MemoryService): void {
  const size = item.service.target_instance_size ?? 1;
  for (const index of item.running) if (index >= size) item.running.delete(index);
  for (let index = 0; index < size; index += 1) {
    if (!item.running.has(index)) write(item, index, "instance started");
    item.running.add(index);
  }
}

function refuseIn({ service }: MemoryService, statuses: readonly string[]): void {
  if (statuses.includes(service.status ?? "")) throw new Refusal(409, `${service.name} is ${service.status}`);
}

function checkUpdate({ containers = [] }: Service, body: ServiceUpdate): void {
  for (const [index, { name }] of (body.containers ?? []).entries()) {
    const exists = name === undefined ? containers[index] : containers.find((container) => container.name === name);
    if (!exists) throw new Refusal(400, `containers[${index}] is no container of the service`);
  }
}

function update(item: MemoryService, { target_instance_size: size, containers = [], ...body }: ServiceUpdate): boolean {
  const { service } = item;
  service.target_instance_size = size ?? service.target_instance_size ?? 1;
  if (body.binding_domain_name) service.binding_domain_name = [...body.binding_domain_name];
  if (body.revision !== undefined) goBack(item, body.revision);
  const before = JSON.stringify(revisedOf(service));
  for (const [index, { name, resources, resource, image, env }] of containers.entries()) {
    const memory = (resources ?? resource)?.limits?.memory;
    const container = service.containers?.find((each, at) => (name === undefined ? at === index : each.name === name));
    if (container && memory !== undefined) container.resources = { limits: { memory: mib(memory) } };
    if (container && image !== undefined) container.image = image;
    if (container && env) container.env = variables(container.env ?? [], env);
  }
  if (JSON.stringify(revisedOf(service)) !== before) revise(item);
  return containers.length > 0 || body.revision !== undefined;
}

type Variables = NonNullable<ServiceContainer["env"]>;

function variables(before: Variables, { set = [], remove = [] }: EnvUpdate): Variables {
  const stay = before.map((each) => set.find(({ name }) => name === each.name) ?? each);
  const added = set.filter(({ name }) => before.every((each) => each.name !== name));
  return [...stay, ...added].filter(({ name }) => !remove.includes(name ?? ""));
}

function revisedOf({ containers = [] }: Service): ServiceContainer[] {
  return containers.map(({ image, env = [] }) => ({ ...(image !== undefined && { image }), env }));
}

/** What the containers are now is the next revision. */
function revise({ service, kept }: MemoryService): void {
  kept.push(structuredClone(revisedOf(service)));
  const revisions = kept.map((containers, index) => ({
    revision: index + 1,
    images: containers.map(({ image = "" }) => image),
  }));
  const { length: to } = kept;
  const target = service.target_instance_size ?? 1;
  const counts = { updated: 0, ready: 0, old_ready: target, target };
  const rollout = to === 1 ? {} : { rollout: { from: to - 1, to, state: "progressing", ...counts } };
  Object.assign(service, { revision: to, revisions: revisions.toReversed(), ...rollout });
}

/** All instances of its newest revision are ready. */
function prove({ service }: MemoryService): void {
  const [newest] = service.revisions ?? [];
  if (newest) newest.outcome = "done";
  const target = service.target_instance_size ?? 1;
  const counts = { updated: target, ready: target, old_ready: 0, target };
  if (service.rollout) Object.assign(service.rollout, { state: "done", ...counts });
}

function goBack(item: MemoryService, number: number): void {
  const { service, kept } = item;
  const back = kept[number - 1];
  if (!back) {
    const numbers = kept.map((_, index) => index + 1).toReversed();
    throw new Refusal(409, `revision ${number} isn't kept: it has ${numbers.join(", ")}`);
  }
  for (const [index, container] of (service.containers ?? []).entries()) Object.assign(container, back[index]);
  revise(item);
}

let ports = 40_000;

function serviceOf(name: string, body: NewService, createdAt: Date): Service {
  const address = `memory.example:${(ports += 1)}`;
  return {
    uid: randomUUID(),
    name,
    created_at: createdAt.toISOString(),
    status: "Starting",
    ready_instances: 0,
    restarts: { count: 0 },
    restart_count: 0,
    target_instance_size: body.target_instance_size ?? 1,
    containers: body.containers.map(({ ports: opened = [], resources, ...container }, index) => ({
      ...container,
      name: index === 0 ? name : `${name}-${index + 1}`,
      ports: opened.map(({ port, protocol = "TCP" }) => ({ container_port: port, protocol })),
      resources: resources?.limits?.memory === undefined ? {} : { limits: { memory: mib(resources.limits.memory) } },
      imagePullPolicy: "IfNotPresent",
    })),
    port_mappings: (body.port_mappings ?? []).map((mapping) => ({ protocol: "tcp", ...mapping, service_url: address })),
    volumes: (body.volumes ?? []).map((volume) => ({ is_read_only: false, ...volume, fsType: "ext4" })),
    default_domain_name: address,
    binding_domain_name: [...(body.binding_domain_name ?? [])],
  };
}
