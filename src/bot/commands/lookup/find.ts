import type { Job, Service } from "../../../api/answers.ts";
import { mayExist } from "../../../api/request-limits.ts";
import { Problem } from "../../../api/problem.ts";
import { type Suggestion, UserError } from "../../errors.ts";
import { deletionOf, deletionText } from "./deletions.ts";
import { maySee, visibleItems, visibleTarget } from "./may-see.ts";
import { listJobs, listServices } from "./directory.ts";
import { nearNames } from "../../policy/near-names.ts";
import { type Kind, regionOf, type Target } from "../grammar/argument-types.ts";
import { jobStatus, serviceStatus, type WorkloadStatus } from "../../../api/workload-status.ts";
import type { VerbContext } from "../command.ts";

export type Found =
  | { readonly kind: "service"; readonly region: string; readonly service: Service }
  | { readonly kind: "job"; readonly region: string; readonly job: Job };

export function workloadOf(found: Found): Service | Job {
  return found.kind === "service" ? found.service : found.job;
}

export function nameOf(found: Found): string {
  return found.kind === "service" ? found.service.name : found.job.metadata.name;
}

export function statusOf(found: Found): WorkloadStatus {
  return found.kind === "service" ? serviceStatus(found.service) : jobStatus(found.job);
}

/** Reads the service, or `undefined` where there is none of that name. One call. Throws any other `Problem`. */
export async function readService(
  name: string,
  { api, region, signal }: Pick<VerbContext, "api" | "region" | "signal">,
): Promise<Service | undefined> {
  return orMissing(
    api.send({ op: "getService", path: { region, service_name: name }, query: undefined, body: undefined }, { signal }),
    name,
  );
}

/** Reads the job, or `undefined` where there is none of that name. One call. Throws any other `Problem`. */
export async function readJob(
  name: string,
  { api, settings, signal }: Pick<VerbContext, "api" | "settings" | "signal">,
): Promise<Job | undefined> {
  return orMissing(
    api.send(
      { op: "getJob", path: { region: settings.jobsRegion, job_name: name }, query: undefined, body: undefined },
      { signal },
    ),
    name,
  );
}

/** The name is of something that Gantry doesn't run: the workload API says what. */
export class OtherKind extends UserError {}

/** Lets a workload of the other kind be found first, or the name be taken. */
export async function orOther<Answer>(answer: Promise<Answer>): Promise<Answer | OtherKind> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof OtherKind) return error;
    throw error;
  }
}

/** The answer, or `undefined` where there is no workload, of that name if one is given; any other `Problem` is thrown on. */
export async function orMissing<Answer>(answer: Promise<Answer>, name?: string): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.instead !== undefined) throw new OtherKind(error.instead);
    // Refused for a name that nothing can have.
    const isRefused = error.status === 400 || error.status === 422;
    const isNoName = isRefused && name !== undefined && !mayExist(name);
    if (error.status === 404 || isNoName) return undefined;
    throw error;
  }
}

/** The same of either kind. */
export async function readWorkload(
  kind: Kind,
  name: string,
  context: Pick<VerbContext, "api" | "region" | "settings" | "signal">,
): Promise<Found | undefined> {
  const { region, settings } = context;
  if (kind === "service") {
    const service = await readService(name, context);
    return service && { kind, region, service };
  }
  const job = await readJob(name, context);
  return job && { kind, region: settings.jobsRegion, job };
}

/**
 * Finds the named workload. A bare name is looked up among services and jobs at the same time (two calls), limited to
 * kinds the person may see. Throws a `UserError`: when both exist it asks which one, when neither does it suggests
 * similar names.
 */
export async function findWorkload(target: Target, context: VerbContext): Promise<Found> {
  const { name } = target;
  const { kind } = await visibleTarget(target, context);
  const asked = kind === undefined ? kinds : [kind];
  const read = await Promise.all(asked.map((each) => orOther(readWorkload(each, name, context))));
  const [found, another] = read.flatMap((each) => (each instanceof OtherKind ? [] : (each ?? [])));
  if (another !== undefined) throw bothExist(name);
  if (found !== undefined) return found;
  throw read.find((each) => each instanceof OtherKind) ?? (await unknownName({ kind, name }, context));
}

/**
 * Like `findWorkload`, with one call for a bare name that recent lists have for one kind only. For looking: a newer
 * workload of the other kind may be missed.
 */
export async function findListed(target: Target, context: VerbContext): Promise<Found> {
  const { kind, name } = await visibleTarget(target, context);
  const listed = kind === undefined ? kindInRecentLists(name, context) : undefined;
  const found = listed && (await readWorkload(listed, name, context));
  return found ?? findWorkload({ kind, name }, context);
}

/** The kind of this name in recent lists; undefined without them, and when they have it for both kinds or none. */
export function kindInRecentLists(
  name: string,
  { directory, account, region, settings }: VerbContext,
): Kind | undefined {
  const services = directory.names(account.username, "service", region);
  const jobs = directory.names(account.username, "job", settings.jobsRegion);
  if (services === undefined || jobs === undefined) return undefined;
  const isService = services.includes(name);
  if (isService === jobs.includes(name)) return undefined;
  return isService ? "service" : "job";
}

const kinds = ["service", "job"] as const;

/** Finds the service that a verb for services is about; a job of that name is pointed out. At most two calls. */
export async function findService(target: Target, context: VerbContext): Promise<Service> {
  if (target.kind === "job") throw notForJobs(target.name, context);
  const service = await readService(target.name, context);
  if (service !== undefined) return service;
  const { name } = target;
  const mayBeJob =
    target.kind === undefined && (await maySee({ kind: "job", name, region: context.settings.jobsRegion }, context));
  if (mayBeJob && (await readJob(name, context)) !== undefined) throw notForJobs(name, context);
  throw await unknownName({ kind: "service", name }, context);
}

function notForJobs(name: string, { ask, settings }: VerbContext): UserError {
  return new UserError(`${name} is a job, and ${ask.verb} is for services.`, {
    next: `A job runs until it completes. See \`${settings.command} show job/${name}\`, or delete it and create it again.`,
  });
}

export function bothExist(name: string): UserError {
  return new UserError(`There is a service and a job named ${name}.`, {
    next: `Say which: service/${name} or job/${name}.`,
  });
}

/** The error for an unknown name. It says who deleted the workload, or suggests near names that the person may see. */
export async function unknownName({ kind, name }: Target, context: VerbContext): Promise<UserError> {
  const deletion = await deletionOf({ kind, name }, context);
  if (deletion !== undefined) {
    return new UserError(`${deletionText(deletion, context.now)}.`, {
      next: "`list` shows all workloads.",
      suggestions: [{ label: "History", ask: { verb: "history", share: false, args: { name } } }],
    });
  }
  const { jobsRegion } = context.settings;
  const where = {
    service: `no service named ${name} in ${context.region}`,
    job: `no job named ${name} in ${jobsRegion}`,
    any: `no service in ${context.region} and no job in ${jobsRegion} named ${name}`,
  }[kind ?? "any"];
  // A recent list may still have the very name: its job was cleaned up since, or somebody deleted it.
  const near = nearNames(
    name,
    (await namesNear({ kind, name }, context)).filter((each) => each !== name),
  );
  return new UserError(`There is ${where}.`, {
    next:
      near.length > 0
        ? `Did you mean ${near.map((each) => `\`${each}\``).join(" or ")}?`
        : `\`list\` shows all workloads; \`--region\` looks in another region.`,
    suggestions: near.flatMap((each) => suggestionFor(each, { kind, name }, context.ask)),
  });
}

/** The same Ask with the name that was meant. A form's Ask has no name yet, and one for a new workload has another one. */
function suggestionFor(near: string, { kind, name }: Target, ask: VerbContext["ask"]): Suggestion[] {
  const typed = ask.args["name"];
  if (typed !== name && typed !== `${kind}/${name}`) return [];
  const label = `${ask.verb.charAt(0).toUpperCase()}${ask.verb.slice(1)} ${near}`;
  return [{ label, ask: { ...ask, args: { ...ask.args, name: kind === undefined ? near : `${kind}/${near}` } } }];
}

/**
 * The most similar names of each kind that the person may see: from a recent list, else from one list call per kind. A
 * failed list gives no suggestions.
 */
async function namesNear({ kind: wanted, name }: Target, context: VerbContext): Promise<readonly string[]> {
  const near = kinds.map(async (kind) => {
    if (wanted !== undefined && wanted !== kind) return [];
    const known = (await namesOf(kind, context)).filter((each) => context.binding?.covers(each) ?? true);
    const items = nearNames(name, known, known.length);
    const { region } = context;
    return visibleItems({ kind, region, items, nameOf: (each) => each, most: MOST_NEAR }, context);
  });
  return (await Promise.all(near)).flat();
}

const MOST_NEAR = 3;

async function namesOf(kind: Kind, context: VerbContext): Promise<readonly string[]> {
  const region = regionOf(kind, context.region, context.settings);
  const known = context.directory.names(context.account.username, kind, region);
  if (known !== undefined) return known;
  try {
    return kind === "job"
      ? (await listJobs(context)).items.map((job) => job.metadata.name)
      : (await listServices(context)).items.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}
