import { type ServiceDefinition, updated } from "../../../workloads/definitions.ts";
import { deletedService } from "../../../workloads/services/service-answer.ts";
import { keptRevision } from "../../../workloads/services/revisions.ts";
import { ensureService } from "../../../workloads/definitions.ts";
import { type Engine, type EngineRequest, Refusal } from "../../../engine.ts";
import { type Move, refusalOf as moveRefusal } from "../../../workloads/services/service-status.ts";
import { KubeError, type Patch } from "../cluster/kube-api.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import { currentRevision, keptRevisions, rolloutOf } from "../read/rollout.ts";
import { type FoundService, serviceNames } from "../read/services.ts";
import { type Part, refuseAdoptedDeletion, refusePart, refuseSetSize, refuseUnreplaced } from "./refused-operations.ts";
import { oneInstance, refuseTakenDomains, routedPort, refuseLaterDomains } from "./disks-and-domains.ts";
import { rolloutsIn } from "./service-manifests.ts";
import {
  changedParts,
  initChanges,
  restartPatch,
  startPatch,
  stopPatch,
  templatePatch,
  updatePatch,
} from "./service-patches.ts";
import {
  cacheOf,
  notesOf,
  objectOf,
  reading,
  type Target,
  wantedService,
  type WriteParts,
  newNamespace,
  inTurn,
  type NamespaceOf,
  isGoneSoon,
  isAnother,
  isGone,
} from "./target.ts";
import { createService } from "./create-service.ts";
import { replaceRoutes } from "./service-making.ts";

type ServiceWrites = Pick<
  Engine,
  "createService" | "deleteService" | "updateService" | "startService" | "stopService" | "restartService"
>;

type AskedService = Omit<EngineRequest<"stopService">, "body">;

export function serviceWrites(parts: WriteParts): ServiceWrites {
  const on = <T>(
    request: AskedService,
    work: (target: Target) => Promise<T>,
    namespaceOf: NamespaceOf = ({ region, reading }, name) => serviceNames(region, reading).find(name)?.namespace,
  ) => inTurn(parts, request, { noun: "service", name: request.path.service_name, work, namespaceOf });
  const moved = (move: keyof typeof moves) => (request: AskedService) =>
    on(request, async (target) => {
      await changed(target, move, (found) => moves[move](target, found));
      return {};
    });
  return {
    createService: (request) => on(request, (target) => createService(target, request), newNamespace),
    deleteService: (request) => on(request, deleteService),
    updateService: (request) => on(request, (target) => updateService(target, request)),
    startService: moved("start"),
    stopService: moved("stop"),
    restartService: moved("restart"),
  };
}

const moves = {
  start: (target, { service, source }) => startPatch(source.object, service.definition.size, notesOf(target)),
  stop: (target, { source }) => stopPatch(source.object, target.parts.clock.now(), notesOf(target)),
  restart(target, found) {
    refuseUnreplaced(found, "restarted");
    return restartPatch(found.source.object, target.parts.clock.now(), notesOf(target));
  },
} as const satisfies Partial<Readonly<Record<Move, (target: Target, found: FoundService) => Patch>>>;

/** The API's answer to a change. */
type Accepted = Record<string, never>;

async function updateService(
  target: Target,
  { body }: Pick<EngineRequest<"updateService">, "body">,
): Promise<Accepted> {
  if (body.revision !== undefined) return await goBack(target, body.revision);
  let wanted: { readonly after: ServiceDefinition; readonly changes: readonly Part[] } | undefined;
  const found = await changed(target, "update", async (current) => {
    const before = current.service.definition;
    const named = current.source.object.spec.template.spec.initContainers.map((each) => each.name);
    const after = updated(before, body, named);
    const init = initChanges(current, body);
    ensureService(after);
    const changes = changedParts(current, { after, init });
    wanted = { after, changes };
    const { config } = target.region;
    for (const part of changes) refusePart(current, part, config);
    if (changes.includes("size")) refuseSharedDisk(current, after.size, config.region);
    if (changes.includes("domains")) {
      routedPort(target.region, after);
      await refuseTakenDomains(target, after.domains, current.source.object.metadata.uid);
    }
    const { progressDeadlineSeconds: deadline } = rolloutsIn(target.region);
    return updatePatch(current, after, { init, notes: notesOf(target), defaults: config.defaults, deadline });
  });
  if (wanted?.changes.includes("domains") === true) {
    await changeDomains(target, found, { after: wanted.after, isAlone: wanted.changes.length === 1 });
  }
  return {};
}

/** As `kubectl rollout undo`: all of the pods' template goes back, and becomes the next revision. */
async function goBack(target: Target, number: number): Promise<Accepted> {
  const { name, region, signal } = target;
  await changed(target, "update", async (found) => {
    refusePart(found, "revision", region.config);
    const { source } = found;
    const doing = `read the revisions of the service ${name}`;
    const revisions = await reading(doing, () => keptRevisions(region.api, { source, signal }));
    const kept = keptRevision({ name, revisions }, number);
    const isCurrent = rolloutOf(source).isObserved && kept === currentRevision(source, revisions);
    return isCurrent ? undefined : templatePatch(source.object, kept.template, notesOf(target));
  });
  return {};
}

function refuseSharedDisk({ source, service }: FoundService, size: number, region: string): void {
  const holdsDisk = source.kind === "Deployment" && source.object.spec.strategy?.type === "Recreate";
  const writes = service.definition.volumes.some(({ readOnly }) => !readOnly);
  if (holdsDisk && writes && size > 1) throw oneInstance(region);
}

type PatchFor = (found: FoundService) => Patch | undefined | Promise<Patch | undefined>;

const TRIES = 5;

/**
 * Changes a service as it is now. When somebody else was faster, the patch fails without changing anything: the service
 * is read again and judged again. Returns the service that the change was made to.
 */
async function changed(target: Target, move: Move, patchFor: PatchFor): Promise<FoundService> {
  const doing = `${move} the service ${target.name}`;
  for (let tries = 1; ; tries += 1) {
    const found = wantedService(target);
    // First, because its state comes and goes.
    if (move === "start" || move === "stop") refuseSetSize(found, move);
    const refusal = moveRefusal(move, target.name, found.status.state);
    if (refusal !== undefined) throw new Refusal(409, refusal);
    const patch = await patchFor(found);
    if (!patch) return found;
    const named = objectOf(found);
    const failure = await target.region.api.patch(named, patch).then(
      (object) => {
        cacheOf(target).applyWrite(named.kind, object);
        return undefined;
      },
      (error: unknown) => ({ error }),
    );
    if (failure === undefined) return found;
    const { error } = failure;
    if (!mayBeOvertaken(error, patch)) throw refusalOf(error, { doing, wrote: true });
    await target.parts.clock.sleep(tries * 20);
    const now = await reading(doing, () => target.region.api.get(named));
    cacheOf(target).applyWrite(named.kind, now);
    // Nobody was faster: the cluster has something against the change, and would have it again.
    const isUnchanged = now.metadata.resourceVersion === found.source.object.metadata.resourceVersion;
    if (!isUnchanged && tries < TRIES) continue;
    const wasOvertaken = !isUnchanged && !testsHold(patch, now);
    const why = wasOvertaken ? new KubeError(409, error.message, { reason: "Conflict" }) : error;
    throw refusalOf(why, { doing, wrote: true });
  }
}

/** A failed test of a JSON patch is a 422, as an invalid object is; a wrong version is a 409. */
function mayBeOvertaken(error: unknown, { type }: Patch): error is KubeError {
  return error instanceof KubeError && (error.status === 409 || (error.status === 422 && type === "json"));
}

function testsHold(patch: Patch, object: FoundService["source"]["object"]): boolean {
  if (patch.type !== "json") return false;
  const tested: Readonly<Record<string, unknown>> = {
    "/metadata/uid": object.metadata.uid,
    "/metadata/resourceVersion": object.metadata.resourceVersion,
    "/metadata/generation": object.metadata.generation,
    "/spec/replicas": object.spec.replicas,
  };
  return patch.operations.every((each) => each.op !== "test" || tested[each.path] === each.value);
}

/**
 * Routes the domains of a service of Gantry, whose other changes were made before. If another service binds one of them
 * at the same moment, the routes are those from before again.
 */
async function changeDomains(
  target: Target,
  before: FoundService,
  { after, isAlone }: { readonly after: ServiceDefinition; readonly isAlone: boolean },
): Promise<void> {
  const { source, service } = before;
  if (source.kind !== "Deployment") return;
  const bind = (definition: ServiceDefinition) => {
    const { domains } = definition;
    return replaceRoutes(target, source.object, { domains, port: routedPort(target.region, definition) });
  };
  try {
    const routes = await bind(after);
    try {
      await refuseLaterDomains(target, routes, source.object.metadata.uid);
    } catch (error) {
      await bind(service.definition);
      throw error;
    }
  } catch (error) {
    const left = isAlone ? undefined : "The rest was changed, its domains may not be.";
    throw refusalOf(error, { doing: `bind the domains of the service ${target.name}`, wrote: true, left });
  }
}

/**
 * Deletes a service; its disks stay. In the foreground: the Deployment is there, and is told as Deleting, until its
 * instances are gone, and until then nobody else gets its name.
 */
async function deleteService(target: Target): Promise<string> {
  const found = wantedService(target);
  refuseAdoptedDeletion(found, target.region.config);
  const named = objectOf(found);
  const { metadata } = found.source.object;
  const { api } = target.region;
  try {
    await api.delete(named, { propagation: "Foreground", uid: metadata.uid });
    const left = await api.get(named).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
    if (left?.metadata.uid === metadata.uid) {
      cacheOf(target).applyWrite(named.kind, left);
      const isThere = (): boolean => cacheOf(target).find(named.kind, named.name)?.metadata.uid === metadata.uid;
      return deletedService(await isGoneSoon(target, named.kind, isThere));
    }
    cacheOf(target).applyDelete(named.kind, metadata);
  } catch (error) {
    if (!isAnother(error)) throw refusalOf(error, { doing: `delete the service ${target.name}`, wrote: true });
    cacheOf(target).applyDelete(named.kind, metadata);
  }
  return deletedService(true);
}
