import { randomUUID } from "node:crypto";
import type { ServiceUpdate } from "../../../api/schema.ts";
import { Refusal, type Engine, type EngineRequest, type User } from "../../engine.ts";
import { admitService, findOwn, ownOf, type EngineParts } from "../engine-parts.ts";
import { closePorts, makeLiveService, openPorts, serviceKey, statusOf, type LiveService } from "./live-service.ts";
import { requestedDay } from "../logs/log-writer.ts";
import {
  type AroundService,
  createdService,
  deletedService,
  listedService,
  readService as answerService,
} from "./service-answer.ts";
import { hasOtherMemory, readService, updated, type ServiceDefinition } from "../definitions.ts";
import { firstRevision, isRevised, keptRevision, revised, withRevision } from "./revisions.ts";
import { deleteService, deleteUnreadableService } from "./service-retries.ts";
import type { WantOptions } from "./service-runner.ts";
import { refusalOf, type Move } from "./service-status.ts";
import { insertService, saveService, type Service } from "../state/service-store.ts";
import { ensureService } from "../stored-definition.ts";
import { refuseUnreadable, unreadableService, type Unreadable } from "../answer-fields.ts";

type ServiceOperations = Pick<
  Engine,
  | "listServices"
  | "getService"
  | "createService"
  | "deleteService"
  | "updateService"
  | "startService"
  | "stopService"
  | "restartService"
  | "getServiceLogs"
>;

export function serviceOperations(parts: EngineParts): ServiceOperations {
  return {
    async listServices({ user, path: { region } }) {
      const services = inRegion(parts, user, region).map((live) =>
        listedService(live.service, statusOf(live), aroundOf(parts)),
      );
      return { region, services: [...services, ...unreadableIn(parts, user, region).map(unreadableService)] };
    },
    async getService({ user, path }) {
      const unreadable = findUnreadable(parts, { user, path });
      if (unreadable) return unreadableService(unreadable);
      const live = find(parts, { user, path });
      return answerService(live.service, statusOf(live), aroundOf(parts));
    },
    createService: (request) => inTurn(parts, request, () => create(parts, request)),
    deleteService: (request) => inTurn(parts, request, () => remove(parts, request)),
    updateService: (request) => transition(parts, request, updating(parts, request.body)),
    startService: (request) => transition(parts, request, starting),
    stopService: (request) => transition(parts, request, stopping),
    restartService: (request) => transition(parts, request, restarting),
    async getServiceLogs({ user, path, query }) {
      // What a damaged service wrote may say how it came to that.
      const { uid } = findUnreadable(parts, { user, path }) ?? find(parts, { user, path }).service;
      const { logs, clock } = parts.context;
      const { date, from = 0, size = 100 } = query ?? {};
      const lines = await logs.page({ workload: uid, day: requestedDay(date, clock.now()), from, size });
      return lines.map(({ instance, line }) => ({ instance_name: instance, log: line }));
    },
  };
}

function aroundOf({ context: { runtime } }: EngineParts): AroundService {
  return runtime.enforcedMib ? { enforcedMib: runtime.enforcedMib } : {};
}

type Where = { readonly region: string; readonly service_name: string };
type Target = { readonly user: User; readonly path: Where };
type Write = Target & { readonly signal: AbortSignal };

function inRegion(parts: EngineParts, user: User, region: string): LiveService[] {
  parts.ensureOpen();
  if (!parts.regions.includes(region)) {
    throw new Refusal(400, `unknown region ${region}: use ${parts.regions.join(", ")}`);
  }
  return [...parts.services.values()].filter((live) => live.username === user.username && live.region === region);
}

function unreadableIn({ unreadable }: EngineParts, user: User, region: string): Unreadable[] {
  return [...unreadable.values()].filter(
    (each) => each.kind === "service" && each.username === user.username && each.region === region,
  );
}

function findUnreadable(parts: EngineParts, { user, path }: Target): Unreadable | undefined {
  return ownOf(unreadableIn(parts, user, path.region), user, path.service_name);
}

function find(parts: EngineParts, { user, path }: Target): LiveService {
  const services = inRegion(parts, user, path.region);
  const unreadable = findUnreadable(parts, { user, path });
  if (unreadable) throw refuseUnreadable(unreadable);
  return findOwn(services, { user, name: path.service_name, noun: "service" });
}

function inTurn<T>(parts: EngineParts, { user, path, signal }: Write, work: () => Promise<T>): Promise<T> {
  const { region, service_name: name } = path;
  return parts.queue.run(serviceKey({ username: user.username, region, name }), work, signal);
}

/** Validates, reserves, saves, then runs. Releases the reservation when saving fails. */
async function create(parts: EngineParts, { user, path, body }: EngineRequest<"createService">) {
  refuseDuplicate(parts, { user, path });
  const definition = readService(path.service_name, body, parts.context.runtime.check);
  ensureService(definition);
  const service = newService({ user, path }, { definition, createdAt: parts.context.clock.now().toISOString() });
  const live = makeLiveService(service, parts);
  const giveBack = admitService(parts, service);
  try {
    live.service = { ...service, addresses: await openPorts(live, parts.context) };
    await insertService(parts.context.state, live.service);
  } catch (error) {
    giveBack();
    await closePorts(live);
    throw error;
  }
  parts.services.set(live.service.uid, live);
  live.runner.want(live.service, { activity: "Starting" });
  return createdService(live.service, aroundOf(parts));
}

function refuseDuplicate(parts: EngineParts, { user, path }: Target): void {
  const { region, service_name: name } = path;
  const duplicate = ownOf(inRegion(parts, user, region), user, name);
  if (duplicate?.service.deleting) throw new Refusal(409, `service ${name} is still being deleted: wait a moment`);
  if (duplicate ?? findUnreadable(parts, { user, path })) {
    throw new Refusal(409, `a service named ${name} already exists in ${region}: choose another name`);
  }
}

function newService(
  { user, path }: Target,
  of: { readonly definition: ServiceDefinition; readonly createdAt: string },
): Service {
  return {
    uid: randomUUID(),
    username: user.username,
    region: path.region,
    name: path.service_name,
    running: true,
    deleting: false,
    generation: 0,
    addresses: new Map(),
    alsoCurrent: [],
    revisions: firstRevision(of),
    ...of,
  };
}

async function remove(parts: EngineParts, target: Write): Promise<string> {
  parts.ensureOpen();
  const unreadable = findUnreadable(parts, target);
  if (!unreadable) return deletedService(await deleteService(parts, find(parts, target), target.signal));
  await deleteUnreadableService(parts, unreadable);
  return deletedService(true);
}

type Transition = {
  readonly name: Move;
  readonly change: (live: LiveService) => Service;
  readonly wish: (before: Service, after: Service) => WantOptions;
};

const starting: Transition = {
  name: "start",
  change: ({ service }) => ({ ...service, running: true }),
  wish: () => ({ activity: "Starting", retry: true }),
};

const stopping: Transition = {
  name: "stop",
  change: ({ service }) => ({ ...service, running: false }),
  wish: () => ({}),
};

const restarting: Transition = {
  name: "restart",
  change: ({ service, runner }) => ({ ...service, generation: runner.nextGeneration(), alsoCurrent: [] }),
  wish: () => ({ activity: "Updating" }),
};

/**
 * Other images or environment variables replace the instances. Another memory limit is given to them while they run, or
 * replaces them where the runtime can't do that. Another size only adds or stops some, domains affect none.
 */
function updating({ context }: EngineParts, body: ServiceUpdate): Transition {
  return {
    name: "update",
    change({ service, runner }) {
      const back = body.revision === undefined ? undefined : keptRevision(service, body.revision);
      const definition = back ? withRevision(service.definition, back) : updated(service.definition, body);
      const generation = runner.nextGeneration();
      if (isRevised(service.definition, definition)) {
        for (const [index, container] of definition.containers.entries()) {
          context.runtime.check(container, `containers[${index}]`);
        }
        const { imageDigests: digests } = runner.health();
        return revised(service, { definition, generation, now: context.clock.now(), back, digests });
      }
      const isReplaced = service.running && hasOtherMemory(service.definition, definition) && !runner.canResize();
      return { ...service, definition, ...(isReplaced && { generation, alsoCurrent: [] }) };
    },
    wish(before, after) {
      const isResized = hasOtherMemory(before.definition, after.definition);
      const affects =
        isResized || isRevised(before.definition, after.definition) || before.definition.size !== after.definition.size;
      return after.running && affects ? { activity: "Updating" } : {};
    },
  };
}

/**
 * Shared by update, start, stop and restart: checks state and quotas, saves, and applies the change after the answer.
 */
function transition(
  parts: EngineParts,
  target: Write,
  { name, change, wish }: Transition,
): Promise<Record<string, never>> {
  return inTurn(parts, target, async () => {
    const live = find(parts, target);
    const refusal = refusalOf(name, live.name, statusOf(live).state);
    if (refusal !== undefined) throw new Refusal(409, refusal);
    const before = live.service;
    const after = change(live);
    ensureService(after.definition);
    const giveBack = admitService(parts, after);
    try {
      await saveService(parts.context.state, after);
    } catch (error) {
      giveBack();
      throw error;
    }
    live.service = after;
    // A service whose ports can't be opened yet starts when they are.
    if (live.opening) return {};
    live.held = undefined;
    live.runner.want(after, wish(before, after));
    return {};
  });
}
