import type { Service } from "../../../../api/answers.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import type { StoredChange } from "../../../changes/stored-change.ts";
import { isAnother, type Snapshot } from "../../../changes/updatable-fields.ts";
import type { VerbContext } from "../../command.ts";

/** Enough rows of history to hold who made the revisions that are kept. */
const LOOKED_AT = 100;

/** Requests about this service that ran or were decided, newest first. */
export async function requestsAbout(
  { name }: Service,
  { records, region }: Pick<VerbContext, "records" | "region">,
): Promise<readonly StoredChange[]> {
  const { events } = await records.history({ name, show: "outcomes", limit: LOOKED_AT });
  return events.flatMap(({ workload, request }) =>
    request !== undefined && workload?.kind === "service" && workload.region === region ? [request] : [],
  );
}

/**
 * The service with what requests tell of its revisions: one that got ready and stayed so went well. Kubernetes keeps
 * revisions without saying how they went, and for other engines one that was ready for a moment went well.
 */
export function withOutcomes(service: Service, requests: readonly StoredChange[]): Service {
  const { revisions } = service;
  const judged = revisions?.map((each): Revision => {
    const kind = makerOf(each, service, requests)?.health?.kind;
    if (kind === "trouble" && !servedLong(each, revisions)) return { ...each, outcome: "aborted" };
    return each.outcome === undefined && kind === "reached" ? { ...each, outcome: "done" } : each;
  });
  return judged === undefined ? service : { ...service, revisions: judged };
}

const LONG_MS = 60 * 60_000;

/** Nobody leaves a broken version for long: one that was in trouble at first, and stayed, got over it. */
function servedLong({ revision, created_at: from = "" }: Revision, revisions: readonly Revision[]): boolean {
  const next = revisions.findLast((each) => each.revision > revision);
  return Date.parse(next?.created_at ?? "") - Date.parse(from) > LONG_MS;
}

/** Requests that give a service other images or environment variables. */
const REVISING: readonly string[] = ["deploy", "rollback", "env"];

/** The request that made it, if Gantry's history knows: the oldest one after which it was there. */
export function makerOf(
  revision: Revision,
  service: Service,
  requests: readonly StoredChange[],
): StoredChange | undefined {
  const isRevising = ({ verb, undoOf }: StoredChange): boolean =>
    REVISING.includes(verb) || requests.some(({ id, verb: undone }) => id === undoOf && REVISING.includes(undone));
  return requests.findLast((request) => {
    if (request.ending?.kind !== "run" || request.ending.outcome.kind !== "done") return false;
    const { after } = request.ending.outcome;
    if (after === undefined || isAnother(after.uid, service.uid)) return false;
    if (request.op === "createService") return revision.revision === 1;
    return request.op === "updateService" && isRevising(request) && numberOf(after, service) === revision.revision;
  });
}

/**
 * The revision that a change made, from what was read right after it. Kubernetes counts a new revision a moment later, so
 * the number may still be that of the one before: then it is the next one with these images. If the one before is gone,
 * because going back renumbered it, it can only be the very next: a later one may have these images for another reason.
 */
function numberOf({ revision, images }: NonNullable<Snapshot>, { revisions = [] }: Service): number | undefined {
  const isLike = (each: Revision): boolean => String(each.images) === String(images);
  const own = revisions.find((each) => each.revision === revision);
  if (revision === undefined || images === undefined || (own !== undefined && isLike(own))) return revision;
  const next = revisions.findLast((each) => each.revision > revision && isLike(each))?.revision;
  return own === undefined && next !== revision + 1 ? undefined : next;
}
