import { Refusal } from "../../../engine.ts";
import { KubeError, KubeUnreachable, NoCredentials, type Place, missingRightOf } from "./kube-api.ts";
import { type Kind, kinds } from "./kinds.ts";

type Attempt = {
  /** What failed, after "couldn't": `create the service web`. */
  readonly doing: string;
  /** Whether the call that failed was a write: without its answer nobody knows if it happened. */
  readonly wrote: boolean;
  /** What an earlier call has already changed, as a sentence; without it nothing was. */
  readonly left?: string | undefined;
};

/**
 * The error of a call to Kubernetes as the API's own: what failed, whether anything was changed, what to do. A `Refusal`
 * stays as it is; an error that is neither is a bug, or a client that is gone, and is thrown.
 */
export function refusalOf(error: unknown, attempt: Attempt): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof NoCredentials) {
    const todo = "Log in again where Gantry runs, or correct the kubeconfig of this region.";
    return refused(503, { attempt, error, why: `${NO_CREDENTIALS}: ${withoutDot(error.message)}`, todo });
  }
  if (error instanceof KubeUnreachable) {
    return refused(503, { attempt, error, why: `the cluster didn't answer (${error.message})` });
  }
  if (error instanceof KubeError) return answered(error, attempt);
  throw error;
}

/** Whether a call that failed may have changed something: it was sent, and its answer got lost. */
export function mayHaveHappened(error: unknown): boolean {
  if (error instanceof NoCredentials) return false;
  if (error instanceof KubeUnreachable) {
    const { cause } = error;
    return !(cause instanceof Error && "code" in cause && NOT_SENT.includes(String(cause.code)));
  }
  return error instanceof KubeError && error.status >= 500;
}

/** The connection was never there, so the API server can't have read the request. */
const NOT_SENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"];

function answered(error: KubeError, attempt: Attempt): Refusal {
  const why = `Kubernetes refused it: ${withoutDot(error.message)}`;
  switch (error.status) {
    case 400:
    case 413:
    case 422:
      return refused(400, { attempt, error, why, todo: "Correct the request." });
    case 401:
      return refused(503, { attempt, error, why: CREDENTIALS, todo: "Check the kubeconfig of this region." });
    case 403:
      return forbidden(error, attempt);
    case 404:
      return missing(error, attempt);
    case 409:
      return error.reason === "AlreadyExists"
        ? refused(409, { attempt, error, why: withoutDot(error.message), todo: "Choose another name." })
        : refused(409, { attempt, error, why: "somebody else changed it at the same time" });
    case 429:
      return tooMany(error, attempt);
    default:
      return refused(503, { attempt, error, why: `Kubernetes answered ${error.status}: ${withoutDot(error.message)}` });
  }
}

const NO_CREDENTIALS = "Gantry has no credentials for the cluster";
const CREDENTIALS = "the cluster doesn't accept Gantry's credentials";

/** A missing right, or a rule of the cluster such as a quota or a webhook: its text says which. */
function forbidden(error: KubeError, attempt: Attempt): Refusal {
  const right = missingRightOf(error);
  if (error.isEarly) {
    const why = "the cluster's API server has just come back and doesn't know Gantry's rights yet";
    // 503 would leave open whether a write was done.
    return refused(attempt.wrote ? 403 : 503, { attempt, error, why, todo: "Try again in a minute." });
  }
  if (!right) {
    const todo = /exceeded quota/u.test(error.message)
      ? "Use less, or ask the cluster's admins for a larger quota."
      : "This is a rule of the cluster: change the request, or ask its admins.";
    return refused(403, { attempt, error, why: `Kubernetes refused it: ${withoutDot(error.message)}`, todo });
  }
  const { verb, resource, group, namespace } = right;
  const place = namespace === undefined ? "the cluster" : `the namespace ${namespace}`;
  return refused(403, {
    attempt,
    error,
    why: `Gantry's account in the cluster may not ${verb} ${resource} in ${place}`,
    todo: `Add the verb ${verb} for ${resource}${group === "" ? "" : ` (API group ${group})`} to Gantry's Role there.`,
  });
}

/** A namespace that isn't there is the operator's matter, and no operation documents 404 for it. */
function missing(error: KubeError, attempt: Attempt): Refusal {
  const [, namespace] = /^namespaces "([^"]+)" not found/u.exec(error.message) ?? [];
  if (namespace === undefined)
    return refused(404, { attempt, error, why: withoutDot(error.message), todo: "Check the name." });
  const todo = `Create it with \`kubectl create namespace ${namespace}\`, or change SERVICE_CLUSTERS.`;
  return refused(503, { attempt, error, why: `the cluster has no namespace ${namespace}`, todo });
}

function tooMany(error: KubeError, attempt: Attempt): Refusal {
  const seconds = error.retryAfterSeconds ?? 1;
  const message = sentences(attempt, {
    error,
    why: "the cluster has too many requests",
    todo: `Try again in ${seconds} s.`,
  });
  return new Refusal(429, message, { cause: error, retryAfterSeconds: seconds });
}

type Told = { readonly error: Error; readonly why: string; readonly todo?: string };

function refused(status: 400 | 403 | 404 | 409 | 503, told: Told & { readonly attempt: Attempt }): Refusal {
  return new Refusal(status, sentences(told.attempt, told), { cause: told.error });
}

function sentences({ doing, wrote, left }: Attempt, { error, why, todo }: Told): string {
  const isUnknown = wrote && mayHaveHappened(error);
  const changed = isUnknown ? "It may have happened: check before you try again." : "Nothing was changed.";
  const next = todo ?? (isUnknown ? "" : "Try again.");
  return [`Couldn't ${doing}: ${why}.`, left ?? changed, next].filter((part) => part !== "").join(" ");
}

function withoutDot(text: string): string {
  return text.trim().replace(/\.$/u, "");
}

/** More objects of a kind than the cache holds. */
export class TooManyObjects extends Error {
  override readonly name = "TooManyObjects";

  constructor(kind: Kind, most: number) {
    const { plural } = kinds[kind];
    super(`there are more than ${most} ${plural}, the most that Gantry holds. Nothing was changed. Delete old ones.`);
  }
}

/** Errors that the next try won't change, unless somebody changes the cluster first. */
export function isDenied(error: unknown): boolean {
  if (error instanceof TooManyObjects) return true;
  return error instanceof KubeError && !error.isEarly && (error.status === 403 || error.status === 404);
}

/** The refusal for a reader. `ageMs` is the time since the objects were last known to be current. */
export function readRefusal(place: Place, error: unknown, ageMs: number | undefined): Refusal {
  const { plural, group } = kinds[place.kind];
  const where = place.kind === "Namespace" ? "the cluster" : `namespace ${place.namespace}`;
  const doing = `read the ${plural} of ${where}`;
  if (error instanceof TooManyObjects) return new Refusal(503, `Couldn't ${doing}: ${error.message}`, { cause: error });
  if (error instanceof KubeError && error.status === 404) {
    const why = `the cluster doesn't know ${place.kind} (${group})`;
    const todo = "Nothing was changed. Install it, or change SERVICE_CLUSTERS.";
    return new Refusal(503, `Couldn't ${doing}: ${why}. ${todo}`, { cause: error });
  }
  const refusal = refusalOf(error, { doing, wrote: false });
  if (ageMs === undefined || refusal.status !== 503) return refusal;
  const age = `The last known state is ${Math.ceil(ageMs / 1_000)} s old.`;
  return new Refusal(503, `${refusal.message} ${age}`, { cause: error });
}
