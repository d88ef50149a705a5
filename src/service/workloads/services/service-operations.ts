import { randomUUID } from "node:crypto";
import type { ServiceUpdate } from "../../../api/schema.ts";
import { Refusal, type Engine, type EngineRequest } from "../../engine.ts";
import { admit, logPage, ownWorkloads, type EngineParts, type LiveService } from "../engine-parts.ts";
import {
  closePorts,
  makeLiveService,
  openPorts,
  statusOf,
  deleteService,
  deleteUnreadableService,
} from "./live-service.ts";
import {
  type AroundService,
  createdService,
  deletedService,
  listedService,
  readService as answerService,
} from "./service-answer.ts";
import { ensureService, hasOtherMemory, readService, updated, type ServiceDefinition } from "../definitions.ts";
import { firstRevision, isRevised, keptRevision, revised, withRevision } from "./revisions.ts";
import type { WantOptions } from "./service-runner.ts";
import { refusalOf, type Move } from "./service-status.ts";
import { insertService, saveService, type Service } from "../state/store.ts";
import { unreadableService } from "../answer-fields.ts";

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
  const own = ownServices(parts);
  const { enforcedMib } = parts.context.runtime;
  const around: AroundService = { enforcedMib };
  return {
    async listServices(place) {
      const services = own.live(place).map((live) => listedService(live.service, statusOf(live), around));
      const { region } = place.path;
      return { region, services: [...services, ...own.damaged(place).map(unreadableService)] };
    },
    async getService(request) {
      const unreadable = own.findDamaged(request);
      if (unreadable) return unreadableService(unreadable);
      const live = own.find(request);
      return answerService(live.service, statusOf(live), around);
    },
    createService: (request) => own.inTurn(request, async () => createdService(await create(parts, request), around)),
    deleteService: (request) => own.inTurn(request, () => remove(parts, request)),
    updateService: (request) => transition(parts, request, updating(parts, request.body)),
    startService: (request) => transition(parts, request, starting),
    stopService: (request) => transition(parts, request, stopping),
    restartService: (request) => transition(parts, request, restarting),
    async getServiceLogs(request) {
      // What a damaged service wrote may say how it came to that.
      const { uid } = own.findDamaged(request) ?? own.find(request).service;
      const lines = await logPage(parts, { workload: uid }, request.query);
      return lines.map(({ instance, line }) => ({ instance_name: instance, log: line }));
    },
  };
}

function ownServices(parts: EngineParts) {
  return ownWorkloads(parts, {
    kind: "service",
    all: parts.services,
    checkRegion(region) {
      const { regions } = parts;
      if (!regions.includes(region)) throw new Refusal(400, `unknown region ${region}: use ${regions.join(", ")}`);
    },
  });
}

type Request = Pick<EngineRequest<"getService">, "user" | "path">;
type Write = Pick<EngineRequest<"startService">, "user" | "path" | "signal">;

/** Validates, reserves, saves, then runs. Releases the reservation when saving fails. */
async function create(parts: EngineParts, request: EngineRequest<"createService">): Promise<Service> {
  refuseDuplicate(parts, request);
  const definition = readService(request.path.service_name, request.body, parts.context.runtime.check);
  ensureService(definition);
  const service = newService(request, { definition, createdAt: parts.context.clock.now().toISOString() });
  const live = makeLiveService(service, parts);
  const giveBack = admit(parts, service);
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
  return live.service;
}

function refuseDuplicate(parts: EngineParts, request: Request): void {
  const { service_name: name, region } = request.path;
  const own = ownServices(parts);
  const duplicate = own.findLive(request);
  if (duplicate?.service.deleting) throw new Refusal(409, `service ${name} is still being deleted: wait a moment`);
  if (duplicate ?? own.findDamaged(request)) {
    throw new Refusal(409, `a service named ${name} already exists in ${region}: choose another name`);
  }
}

function newService(
  { user, path }: Request,
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

async function remove(parts: EngineParts, request: Write): Promise<string> {
  const own = ownServices(parts);
  const unreadable = own.findDamaged(request);
  if (!unreadable) return deletedService(await deleteService(parts, own.find(request), request.signal));
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
  const own = ownServices(parts);
  return own.inTurn(target, async () => {
    const live = own.find(target);
    const refusal = refusalOf(name, live.name, statusOf(live).state);
    if (refusal !== undefined) throw new Refusal(409, refusal);
    const before = live.service;
    const after = change(live);
    ensureService(after.definition);
    const giveBack = admit(parts, after);
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
