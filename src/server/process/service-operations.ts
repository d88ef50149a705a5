import { randomUUID } from "node:crypto";
import { Refusal, type Engine, type EngineRequest, type User } from "../engine.ts";
import { findOwn, forAMoment, type EngineParts } from "./engine-parts.ts";
import { closeFronts, finishDeletion, openService, type LiveService } from "./live-service.ts";
import { requestedDay } from "./log-writer.ts";
import { createdService, listedService, readService as answerService } from "./service-answer.ts";
import { needsNewInstances, readService, updated } from "./service-definition.ts";
import type { Wish } from "./service-runner.ts";
import { refusalOf, type Move } from "./service-status.ts";
import { insertService, saveService, type Service } from "./service-store.ts";

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
      const services = inRegion(parts, user, region);
      return { region, services: services.map(({ service, runner }) => listedService(service, runner.state())) };
    },
    async getService({ user, path }) {
      const { service, runner } = find(parts, user, path);
      return answerService(service, runner.state());
    },
    createService: (request) => oneByOne(parts, request, () => create(parts, request)),
    deleteService: (request) => oneByOne(parts, request, () => remove(parts, request)),
    updateService: (request) =>
      move(parts, request, {
        name: "update",
        change: (service) => ({ ...service, definition: updated(service.definition, request.body) }),
        wish: updateWish,
      }),
    startService: (request) => move(parts, request, starting),
    stopService: (request) => move(parts, request, stopping),
    restartService: (request) => move(parts, request, restarting),
    async getServiceLogs({ user, path, query }) {
      const { service } = find(parts, user, path);
      const { logs, now } = parts.surface;
      const { date, from = 0, size = 100 } = query ?? {};
      const lines = await logs.page({ workload: service.uid, day: requestedDay(date, now()), from, size });
      return lines.map(({ instance, line }) => ({ instance_name: instance, log: line }));
    },
  };
}

type Where = { readonly region: string; readonly service_name: string };
type Asked = { readonly user: User; readonly path: Where };

function inRegion(parts: EngineParts, user: User, region: string): LiveService[] {
  parts.ensureOpen();
  if (!parts.regions.includes(region)) {
    throw new Refusal(400, `there is no region ${region}: choose one of ${parts.regions.join(", ")}`);
  }
  return [...parts.services.values()].filter((live) => live.username === user.username && live.region === region);
}

function find(parts: EngineParts, user: User, { region, service_name: name }: Where): LiveService {
  return findOwn(inRegion(parts, user, region), { user, name, noun: "service" });
}

function oneByOne<T>(parts: EngineParts, { user, path }: Asked, work: () => Promise<T>): Promise<T> {
  return parts.queue.run(JSON.stringify(["service", user.username, path.region, path.service_name]), work);
}

async function create(parts: EngineParts, { user, path, body }: EngineRequest<"createService">) {
  const { region, service_name: name } = path;
  const twin = inRegion(parts, user, region).find((live) => live.name === name);
  if (twin?.service.deleting) throw new Refusal(409, `the service ${name} is still being deleted: wait a moment`);
  if (twin) throw new Refusal(409, `a service named ${name} exists in ${region}: choose another name`);
  const live = await openService(
    {
      uid: randomUUID(),
      username: user.username,
      region,
      name,
      createdAt: parts.surface.now().toISOString(),
      running: true,
      deleting: false,
      definition: readService(name, body, parts.surface.catalogue),
    },
    parts.surface,
  );
  try {
    await insertService(parts.surface.state, live.service);
  } catch (error) {
    await closeFronts(live);
    throw error;
  }
  parts.services.set(live.service.uid, live);
  live.runner.want(live.service, { activity: "Starting" });
  return createdService(live.service);
}

/** Accepted at once; answered when the service is gone, or after a moment while its instances still end. */
async function remove(parts: EngineParts, { user, path }: Asked): Promise<string> {
  const live = find(parts, user, path);
  if (!live.service.deleting) {
    const service = { ...live.service, deleting: true };
    await saveService(parts.surface.state, service);
    live.service = service;
    live.runner.want(service, {});
    carryOnDeletion(parts, live);
  }
  await forAMoment(live.deletion ?? Promise.resolve());
  return "Service was deleted successfully";
}

/** Ends a deletion that was accepted, now or by an earlier engine. */
export function carryOnDeletion(parts: EngineParts, live: LiveService): void {
  live.deletion = finishDeletion(live, parts.surface).then(() => void parts.services.delete(live.service.uid));
  parts.inBackground(live.deletion);
}

type Moving = {
  readonly name: Move;
  readonly change: (service: Service) => Service;
  readonly wish: (before: Service, after: Service) => Wish;
};

const starting: Moving = {
  name: "start",
  change: (service) => ({ ...service, running: true }),
  wish: () => ({ activity: "Starting", retry: true }),
};

const stopping: Moving = {
  name: "stop",
  change: (service) => ({ ...service, running: false }),
  wish: () => ({}),
};

const restarting: Moving = {
  name: "restart",
  change: (service) => service,
  wish: () => ({ activity: "Updating", renew: true }),
};

/** What update, start, stop and restart share: allowed in this state? Remember it, then go there after the answer. */
function move(parts: EngineParts, asked: Asked, { name, change, wish }: Moving): Promise<Record<string, never>> {
  return oneByOne(parts, asked, async () => {
    const live = find(parts, asked.user, asked.path);
    const refusal = refusalOf(name, live.name, live.runner.state());
    if (refusal !== undefined) throw new Refusal(409, refusal);
    const before = live.service;
    const after = change(before);
    await saveService(parts.surface.state, after);
    live.service = after;
    live.runner.want(after, wish(before, after));
    return {};
  });
}

/** A change of memory renews instances, a change of size only adds or ends some, domains touch none. */
function updateWish(before: Service, after: Service): Wish {
  const renew = needsNewInstances(before.definition, after.definition);
  const touches = renew || before.definition.size !== after.definition.size;
  return after.running && touches ? { activity: "Updating", renew } : {};
}
