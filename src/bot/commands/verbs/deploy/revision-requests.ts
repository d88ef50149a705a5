import type { Service } from "../../../../api/answers.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import type { StoredChange } from "../../../changes/stored-change.ts";
import { isAnother, type Snapshot } from "../../../changes/updatable-fields.ts";
import type { VerbContext } from "../../command.ts";

/** Enough rows of history to hold who made the revisions that are kept. */
const LOOKED_AT = 100;

/** Requests for this service that ran or were decided, newest first. */
export async function requestsAbout(
  { name }: Service,
  { records, region, account: { username: account } }: Pick<VerbContext, "records" | "region" | "account">,
): Promise<readonly StoredChange[]> {
  const { events } = await records.history({ workload: { name, account }, show: "outcomes", limit: LOOKED_AT });
  return events.flatMap(({ workload, request }) =>
    request !== undefined && workload?.kind === "service" && workload.region === region ? [request] : [],
  );
}

/**
 * Sets the outcomes of the service's revisions by the health of the requests that made them. Kubernetes reports no
 * outcomes, and other engines report `done` for a revision that was ready for only a moment.
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

/** A revision that failed at first and then stayed for long has recovered: nobody leaves a broken one in place. */
function servedLong({ revision, created_at: from = "" }: Revision, revisions: readonly Revision[]): boolean {
  const next = revisions.findLast((each) => each.revision > revision);
  return Date.parse(next?.created_at ?? "") - Date.parse(from) > LONG_MS;
}

/** Requests that change images or environment variables, and so make a revision. */
const REVISING: readonly string[] = ["deploy", "rollback", "env"];

/** The request that made the revision, if Gantry's history has it: the oldest one after which it existed. */
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
 * The number of the revision that a Change made, from the snapshot taken right after it. Kubernetes numbers a new
 * revision with a delay, so the snapshot may have the previous revision's number: then it is the next revision with
 * these images. If a rollback renumbered the previous one, only the next number counts: a later revision may have the
 * same images by chance.
 */
function numberOf({ revision, images }: NonNullable<Snapshot>, { revisions = [] }: Service): number | undefined {
  const isLike = (each: Revision): boolean => String(each.images) === String(images);
  const own = revisions.find((each) => each.revision === revision);
  if (revision === undefined || images === undefined || (own !== undefined && isLike(own))) return revision;
  const next = revisions.findLast((each) => each.revision > revision && isLike(each))?.revision;
  return own === undefined && next !== revision + 1 ? undefined : next;
}
