import type { Service } from "../../api/answers.ts";
import type { Revision } from "../../api/workload-shapes.ts";
import type { Change } from "./change.ts";
import type { StoredChange } from "./stored-change.ts";
import { isAnother, type Snapshot } from "./updatable-fields.ts";

/**
 * What is known of how a revision went.
 * - `ready`: all its instances were ready at some time
 * - `failed`: they never were, or didn't stay so
 * - `left`: it was ready, and somebody went back from it
 * - `unknown`: neither the workload API nor a request tells
 */
export type Standing = "ready" | "failed" | "left" | "unknown";

export type JudgedRevision = Revision & {
  readonly standing: Standing;
  /** The request that made it, if history has it. */
  readonly madeBy: StoredChange | undefined;
  /** Somebody went back from it, however it was. */
  readonly wasLeft: boolean;
  readonly leftBy: StoredChange | undefined;
};

/**
 * The kept revisions of a service, newest first, by the outcomes that the workload API reports and by the requests about
 * the service, newest first. Kubernetes reports no outcomes of earlier revisions, and other engines report `done` for one
 * that was ready for only a moment. Pure.
 */
export function judgedRevisions(service: Service, requests: readonly StoredChange[]): readonly JudgedRevision[] {
  const { revisions = [], revision: now } = service;
  const ofThis = requests.filter((request) => !isAnother(outcomeOf(request)?.after?.uid, service.uid));
  const made = revisions.map((each) => ({ ...each, madeBy: makerOf(each, service, ofThis) }));
  const copied = copiedFrom(made, now);
  const known = made.map((each) => (copied.has(each.revision) ? { ...each, is_current: true } : each));
  const left = leftRevisions(known, { now, requests: ofThis });
  return known.map((each) => {
    const went = wentBy(each, { service, requests: ofThis });
    const wasLeft = left.has(each.revision);
    const standing = went === "ready" && wasLeft ? "left" : went;
    return { ...each, standing, wasLeft, leftBy: left.get(each.revision) };
  });
}

type Made = Revision & Pick<JudgedRevision, "madeBy">;

/** The revisions that the current one is a copy of, because requests rolled back to them. */
function copiedFrom(made: readonly Made[], now: number | undefined): ReadonlySet<number> {
  const found = new Set<number>();
  let at = now;
  while (at !== undefined && !found.has(at)) {
    found.add(at);
    const by = made.find(({ revision }) => revision === at)?.madeBy;
    at = by && goalOf(by);
  }
  return found;
}

/** The revision that a request went to. */
function goalOf({ diff }: StoredChange): number | undefined {
  const [number] = diff.flatMap((line) => GOAL.exec(line)?.[1] ?? []);
  return number === undefined ? undefined : Number(number);
}

/**
 * Not "back to version 2 automatically if": a deploy goes there only if it doesn't get ready. Requests of older versions of
 * Gantry have "revision".
 */
const GOAL = /^(?:back )?to (?:version|revision) (\d+)(?:,| automatically:)/u;

type Judging = { readonly service: Service; readonly requests: readonly StoredChange[] };

function wentBy(each: Made, { service, requests }: Judging): Exclude<Standing, "left"> {
  const { revisions = [], rollout } = service;
  const { health = each.madeBy?.progress, wayBackEnd } = each.madeBy ?? {};
  const isLate = wayBackEnd?.isNeeded === false;
  if (health?.kind === "trouble" && !isLate && !servedLong(each, revisions)) return "failed";
  if (each.outcome === "aborted") return "failed";
  if (each.outcome === "done" || health?.kind === "reached" || isLate) return "ready";
  // The next request found it ready.
  const wasSeen = requests.some((request) => {
    const { over } = outcomeOf(request) ?? {};
    return over?.revision === each.revision && over.isReady;
  });
  const serves = rollout?.from === each.revision && (rollout.old_ready ?? 0) > 0;
  return wasSeen || serves ? "ready" : "unknown";
}

const LONG_MS = 60 * 60_000;

/** A revision that failed at first and then stayed for long has recovered: nobody leaves a broken one in place. */
function servedLong({ revision, created_at: from = "" }: Revision, revisions: readonly Revision[]): boolean {
  const next = revisions.findLast((each) => each.revision > revision);
  return Date.parse(next?.created_at ?? "") - Date.parse(from) > LONG_MS;
}

type Leaving = { readonly now: number | undefined; readonly requests: readonly StoredChange[] };

/** The revisions that somebody went back from, with the request if one did. */
function leftRevisions(
  made: readonly Made[],
  { now = 0, requests }: Leaving,
): ReadonlyMap<number, StoredChange | undefined> {
  const { madeBy } = made.find(({ revision }) => revision === now) ?? {};
  // Somebody rolled back without Gantry: the current revision is a copy of an earlier one, and those in between are unwanted.
  const copied = Math.min(...made.filter((each) => each.is_current === true).map(({ revision }) => revision));
  const between = made.filter(({ revision }) => madeBy === undefined && revision > copied && revision < now);
  const byRequests = requests.filter(isGoingBack).flatMap((request) => {
    const own = made.find(({ madeBy }) => madeBy?.id === request.id)?.revision;
    const earlier = own === undefined ? undefined : made.find(({ revision }) => revision < own)?.revision;
    const from = outcomeOf(request)?.over?.revision ?? earlier ?? 0;
    const to = goalOf(request) ?? from - 1;
    return made.flatMap(({ revision }) => (revision > to && revision <= from ? [[revision, request] as const] : [])); // pairs
  });
  // Sorted newest first, and a Map keeps the last entry of a key: so the oldest request that left a revision counts.
  return new Map([...between.map(({ revision }) => [revision, undefined] as const), ...byRequests]); // pairs
}

/** A rollback to a revision that may never have been ready counts as a deploy: it doesn't mean that the newer one is unwanted. */
export function isGoingBack({ verb, risk }: StoredChange): boolean {
  return verb === "rollback" && risk === "routine";
}

function outcomeOf({ ending }: StoredChange) {
  if (ending?.kind !== "run") return undefined;
  const { outcome } = ending;
  return outcome.kind === "done" || outcome.kind === "asked" ? outcome : undefined;
}

/** Requests that change images or environment variables, and so make a revision everywhere. */
const REVISING: readonly string[] = ["deploy", "rollback", "env"];

/** The request that made the revision, if Gantry's history has it: the oldest one after which it existed. */
function makerOf(
  { revision }: Revision,
  service: Service,
  requests: readonly StoredChange[],
): StoredChange | undefined {
  return requests.findLast((request) => {
    const { after, over } = outcomeOf(request) ?? {};
    if (after === undefined) return false;
    if (request.op === "createService") return revision === 1;
    if (numberOf(after, service) !== revision) return false;
    // On Kubernetes, also a restart and another memory limit make one.
    return REVISING.includes(request.verb) || (over !== undefined && over.revision < revision);
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

/** Whether the service runs this revision, or a copy of it: a rollback makes a new revision out of an old one. */
export function isNow({ revision, is_current: isSame }: Revision, service: Service): boolean {
  return revision === service.revision || isSame === true;
}

function isOpen({ rollout }: Service): boolean {
  return rollout?.state === "stuck" || rollout?.state === "progressing";
}

/** Whether nothing leads there unless a person names it. */
export function isAvoided({ standing }: JudgedRevision): boolean {
  return standing === "failed" || standing === "left";
}

/**
 * What a rollout that isn't over replaces, else the newest earlier revision that was ready, with another image if one
 * has. Where it isn't known how revisions went, nobody can know which one is meant. Pure.
 */
export function lastGood(service: Service, judged: readonly JudgedRevision[]): JudgedRevision | undefined {
  const { rollout, containers = [], init_containers: init = [] } = service;
  const replaced = isOpen(service) ? judged.find((each) => each.revision === rollout?.from) : undefined;
  // It may be one that was never ready, which a second deploy replaced.
  if (replaced !== undefined && !isAvoided(replaced)) return replaced;
  const earlier = judged.filter((each) => !isNow(each, service) && each.standing === "ready");
  const now = [...containers, ...init].map(({ image }) => image);
  return earlier.find(({ images }) => images !== undefined && String(images) !== String(now)) ?? earlier[0];
}

/** The revision that the service just went back from, unless that came to nothing. Who asks again doesn't want the one before. */
export function justLeft(service: Service, judged: readonly JudgedRevision[]): JudgedRevision | undefined {
  if (service.rollout?.state === "stuck") return undefined;
  const before = judged.find(({ revision }) => revision < (service.revision ?? 0));
  return before?.wasLeft === true ? before : undefined;
}

/**
 * Where a way back leads from a Change of this service, while another revision is still rolled out or stuck: to the last
 * one known to have been ready. Undefined where nothing is being rolled out: then the running one is. Pure.
 */
export function backFrom(service: Service, judged: readonly JudgedRevision[]): Change["backTo"] {
  if (!isOpen(service)) return undefined;
  const good = lastGood(service, judged);
  return good === undefined ? "nowhere" : { revision: good.revision, images: good.images };
}

/**
 * The same right before the Change is sent: by then another revision may run than when it was requested. What the requests
 * told about the one it named then still holds. Pure.
 */
export function backAtRun({ backTo: then }: Pick<Change, "backTo">, service: Service): Change["backTo"] {
  // The card said that it stays as it is.
  if (then === "nowhere") return then;
  const now = backFrom(service, judgedRevisions(service, []));
  const isKept = then !== undefined && service.revisions?.some(({ revision }) => revision === then.revision) === true;
  return now === "nowhere" && isKept ? then : now;
}

type Earlier = { readonly revision: number; readonly images: readonly (string | undefined)[] | undefined };

/** The version to go back to from a Change; undefined when none is known. Pure. */
export function earlierVersion({ backTo, before }: Pick<Change, "backTo" | "before">): Earlier | undefined {
  if (backTo === "nowhere") return undefined;
  if (backTo !== undefined) return backTo;
  return before?.revision === undefined ? undefined : { revision: before.revision, images: before.images };
}

/** Why going to a revision counts as a deploy: "never got ready". Undefined for one that was ready. */
export function standingWords({ standing, leftBy }: JudgedRevision): string | undefined {
  switch (standing) {
    case "ready":
      return undefined;
    case "failed":
      return "never got ready";
    case "left":
      return leftBy === undefined ? "was rolled back" : `was rolled back by ${leftBy.requester.name}`;
    case "unknown":
      return "isn't known to have been ready";
  }
}
