import { randomUUID } from "node:crypto";
import type { LastState } from "../../../src/api/schema.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import { type Engine, type EngineRequest, Refusal } from "../../../src/service/engine.ts";
import { readService, updated } from "../../../src/service/workloads/definitions.ts";
import type { Restarts } from "../../../src/service/workloads/lifecycle/exit.ts";
import * as revisions from "../../../src/service/workloads/services/revisions.ts";
import * as answers from "../../../src/service/workloads/services/service-answer.ts";
import { type Move, refusalOf, type ServiceState } from "../../../src/service/workloads/services/service-status.ts";
import type { Service } from "../../../src/service/workloads/state/store.ts";
import { checkImage, entryOf, images, type Line, makeStore, pageOf } from "./memory-store.ts";

type MemoryService = {
  service: Service;
  state: ServiceState;
  since: string;
  /** Instances that are known to be ready since then. */
  ready: number;
  restarts: Restarts;
  lastState: LastState | undefined;
  readonly lines: Line[];
  /** Indexes of the instances that run. */
  readonly running: Set<number>;
};
type ServiceOperation = Exclude<keyof Engine, "listJobs" | "getJob" | "createJob" | "deleteJob" | "getJobInstanceLogs">;
type Path = { readonly region: string; readonly service_name?: string };
type Options = {
  readonly regions: readonly string[];
  readonly later: (work: () => void) => void;
  readonly clock: Pick<Clock, "now">;
};

/** Services whose instances are no more than lines in a log: one line per start, and one per `heartbeat`. */
export function memoryServices({ regions, later, clock }: Options) {
  const store = makeStore<MemoryService>();
  const now = () => clock.now().toISOString();
  const place = ({ region, service_name: name = "" }: Path) => {
    if (!regions.includes(region)) throw new Refusal(400, `unknown region ${region}`);
    return { region, name };
  };
  const find = ({ user, path }: Pick<EngineRequest<"getService">, "user" | "path">) => store.find(user, place(path));
  const move = (request: EngineRequest<"startService">, kind: Move) => {
    const item = find(request);
    const refusal = refusalOf(kind, item.service.name, item.state);
    if (refusal !== undefined) throw new Refusal(409, refusal);
    return item;
  };
  const settling = new Map<MemoryService, ServiceState>();
  /** The latest change decides. */
  const settle = (item: MemoryService, state: ServiceState) => {
    settling.set(item, state);
    later(() => settling.get(item) === state && become(item, state, now()));
  };
  const bind = (item: MemoryService | undefined, domains: readonly string[] = []) => {
    const others = store.all().filter((other) => other !== item);
    const taken = domains.find((domain) => others.some(({ service }) => service.definition.domains.includes(domain)));
    if (taken !== undefined) throw new Refusal(409, `the domain ${taken} is bound to another service`);
  };
  const engine: Pick<Engine, ServiceOperation> = {
    async listServices({ user, path }) {
      const { region } = place(path);
      return {
        region,
        services: store.of(user, region).map((item) => answers.listedService(item.service, statusOf(item))),
      };
    },
    async getService(request) {
      const item = find(request);
      return answers.readService(item.service, statusOf(item));
    },
    async createService({ user, path, body }) {
      const where = place(path);
      const definition = readService(where.name, body, checkImage);
      store.refuseTwin(user, where);
      bind(undefined, definition.domains);
      const item = made({ username: user.username, ...where, definition, createdAt: now() });
      store.add(user, where, item);
      start(item);
      if (item.running.size > 0) settle(item, "Running");
      else become(item, "Running", now());
      return answers.createdService(item.service);
    },
    async deleteService({ user, path }) {
      store.find(user, place(path)).running.clear();
      store.remove(user, place(path));
      return answers.deletedService(true);
    },
    async updateService(request) {
      const item = find(request);
      const { service } = item;
      const { containers = [], revision, binding_domain_name: domains } = request.body;
      const back = revision === undefined ? undefined : revisions.keptRevision(service, revision);
      const changed = updated(service.definition, request.body);
      const definition = back ? revisions.withRevision(changed, back) : changed;
      bind(item, domains);
      const revising = { definition, generation: service.generation, now: clock.now() };
      const isRevised = back !== undefined || revisions.isRevised(service.definition, definition);
      Object.assign(item, {
        service: isRevised ? revisions.revised(service, revising) : { ...service, definition },
      });
      if (["Stopped", "Stopping"].includes(item.state)) return {};
      if (containers.length > 0 || back) item.running.clear();
      start(item);
      settle(item, "Running");
      return {};
    },
    async startService(request) {
      const item = move(request, "start");
      become(item, "Starting", now());
      start(item);
      settle(item, "Running");
      return {};
    },
    async stopService(request) {
      const item = move(request, "stop");
      item.running.clear();
      become(item, "Stopping", now());
      settle(item, "Stopped");
      return {};
    },
    async restartService(request) {
      const item = move(request, "restart");
      item.running.clear();
      start(item);
      become(item, "Running", now());
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
      for (const item of store.all()) {
        for (const index of item.running) write(item, index, "heartbeat");
        const [container] = item.service.definition.containers;
        if (container?.image === images.failing && item.running.size > 0) crash(item, now());
      }
    },
    async reach(serviceUrl: string): Promise<string> {
      const item = store.all().find(({ service }) => [...service.addresses.values()].includes(serviceUrl));
      if (!item || item.running.size === 0) throw new Error(`nobody answers at ${serviceUrl}`);
      return `hello from ${item.service.name}`;
    },
  };
}

let ports = 40_000;

function made(asked: Pick<Service, "username" | "region" | "name" | "definition" | "createdAt">): MemoryService {
  const address = `memory.example:${(ports += 1)}`;
  const service: Service = {
    ...asked,
    uid: randomUUID(),
    running: true,
    deleting: false,
    generation: 0,
    alsoCurrent: [],
    revisions: revisions.firstRevision(asked),
    addresses: new Map(asked.definition.ports.map(({ containerPort }) => [containerPort, address])),
  };
  const restarts = { count: 0 };
  const since = asked.createdAt;
  return { service, state: "Starting", since, ready: 0, restarts, lastState: undefined, lines: [], running: new Set() };
}

function statusOf(item: MemoryService): answers.StatusWithReason {
  const { service, state, since, ready, restarts, lastState, running } = item;
  const [newest] = service.revisions;
  const target = service.definition.size;
  const isDone = newest.outcome === "done";
  const [fresh, oldReady] = isDone ? [target, 0] : [0, target];
  const rollout: answers.ServiceRollout | undefined =
    newest.from === undefined
      ? undefined
      : {
          from: newest.from,
          to: newest.number,
          state: isDone ? "done" : "progressing",
          updated: fresh,
          ready: fresh,
          oldReady,
          target,
        };
  return {
    state,
    since,
    ready,
    restarts,
    restartCount: restarts.count,
    lastState,
    message: restarts.last_reason,
    revision: newest.number,
    revisions: service.revisions.map(({ number, containers, outcome }) => ({
      number,
      images: containers.map(({ image }) => image),
      outcome,
    })),
    rollout,
    instanceNames: [...running].map((index) => `${service.name}-${index}`),
  };
}

function write({ service, lines }: MemoryService, index: number, text: string): void {
  lines.push({ instance: `${service.name}-${index}`, text });
}

function become(item: MemoryService, state: ServiceState, since: string): void {
  const ready = state === "Running" ? item.running.size : 0;
  if (state === "Running") Object.assign(item, { service: revisions.proven(item.service, undefined) });
  else Object.assign(item, { restarts: { count: 0 }, lastState: undefined });
  Object.assign(item, { state, since, ready });
}

function crash(item: MemoryService, now: string): void {
  const { count, first_at = now } = item.restarts;
  const restarts = {
    count: count + 1,
    first_at,
    last_at: now,
    last_reason: `${item.service.name}-0 exited with code 3`,
  };
  Object.assign(item, { restarts, lastState: { reason: "Error", exit_code: 3, finished_at: now } });
}

/** Makes the running instances as many as they are meant to be. */
function start(item: MemoryService): void {
  const { size } = item.service.definition;
  for (const index of item.running) if (index >= size) item.running.delete(index);
  for (let index = 0; index < size; index += 1) {
    if (!item.running.has(index)) write(item, index, "started");
    item.running.add(index);
  }
}
