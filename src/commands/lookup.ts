import type { Job, Service } from "../api/answers.ts";
import type { OperationId } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import { UserError } from "../errors.ts";
import { jobStatus } from "../views/job-status.ts";
import type { About } from "./command.ts";
import { nearest } from "./nearest.ts";
import type { Target } from "./target.ts";
import type { Given } from "./verb.ts";

/** Jobs can only be run here (the API's document, "Limits"). */
export const JOB_REGION = "us";

export type Found =
  | { readonly kind: "service"; readonly region: string; readonly service: Service }
  | { readonly kind: "job"; readonly region: string; readonly job: Job };

/** What a rule has to allow before a named workload is read; a bare name is taken for a service until it is found. */
export function readAbout(
  ops: { readonly service: OperationId; readonly job: OperationId },
  { kind, name }: Target,
  region: string,
): About {
  const isJob = kind === "job";
  return {
    op: isJob ? ops.job : ops.service,
    risk: undefined,
    workload: { kind, region: isJob ? JOB_REGION : region, name },
  };
}

/** Reads the service, or `undefined` where there is none of that name. One call. Throws any other `Problem`. */
export async function readService(name: string, { api, region, signal }: Given): Promise<Service | undefined> {
  return orMissing(
    api.send({ op: "getService", path: { region, service_name: name }, query: undefined, body: undefined }, { signal }),
  );
}

/** Reads the job, or `undefined` where there is none of that name. One call. Throws any other `Problem`. */
export async function readJob(name: string, { api, signal }: Pick<Given, "api" | "signal">): Promise<Job | undefined> {
  return orMissing(
    api.send(
      { op: "getJob", path: { region: JOB_REGION, job_name: name }, query: undefined, body: undefined },
      { signal },
    ),
  );
}

/** The answer, or `undefined` for a 404; any other `Problem` is thrown on. */
export async function orMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Finds what a person named: a bare name is looked up among services and jobs at once (two calls). Throws a
 * `UserError` that asks which, when both exist, or that offers near names, when neither does.
 */
export async function findWorkload(target: Target, given: Given): Promise<Found> {
  const [service, job] = await Promise.all([
    target.kind === "job" ? undefined : readService(target.name, given),
    target.kind === "service" ? undefined : readJob(target.name, given),
  ]);
  if (service !== undefined && job !== undefined) throw bothExist(target.name);
  if (service !== undefined) return { kind: "service", region: given.region, service };
  if (job !== undefined) return { kind: "job", region: JOB_REGION, job };
  throw await unknownName(target, given);
}

/** Finds the service that a verb for services is about; a job of that name is pointed out. At most two calls. */
export async function findService(target: Target, given: Given): Promise<Service> {
  if (target.kind === "job") throw notForJobs(target.name, given);
  const service = await readService(target.name, given);
  if (service !== undefined) return service;
  if (target.kind === undefined && (await readJob(target.name, given)) !== undefined)
    throw notForJobs(target.name, given);
  throw await unknownName({ kind: "service", name: target.name }, given);
}

function notForJobs(name: string, { ask, settings }: Given): UserError {
  return new UserError(`${name} is a job, and ${ask.verb} is for services.`, {
    next: `A job runs once: look at it with ${settings.command} show job/${name}, or delete it and create it anew.`,
  });
}

export function bothExist(name: string): UserError {
  return new UserError(`There is a service and a job named ${name}.`, {
    next: `Say which: service/${name} or job/${name}.`,
  });
}

/** The answer to a name that nothing has: what was looked for, where, and which names are near. */
export async function unknownName({ kind, name }: Target, given: Given): Promise<UserError> {
  const where = {
    service: `no service named ${name} in ${given.region}`,
    job: `no job named ${name} in ${JOB_REGION}`,
    any: `no service in ${given.region} and no job in ${JOB_REGION} named ${name}`,
  }[kind ?? "any"];
  const { binding } = given;
  const known = (await knownNames(kind, given)).filter((each) => binding?.covers(each) ?? true);
  const near = nearest(name, known);
  return new UserError(`There is ${where}.`, {
    next:
      near.length > 0
        ? `Did you mean ${near.join(" or ")}?`
        : `See what there is with ${given.settings.command} list; another region is asked with --region.`,
  });
}

/** Names for suggestions: those lately listed, else one list call for each kind. A failing list suggests nothing. */
async function knownNames(kind: Target["kind"], given: Given): Promise<string[]> {
  const [services, jobs] = await Promise.all([
    kind === "job" ? [] : namesOf("service", given),
    kind === "service" ? [] : namesOf("job", given),
  ]);
  return [...services, ...jobs];
}

async function namesOf(kind: "service" | "job", given: Given): Promise<readonly string[]> {
  const region = kind === "job" ? JOB_REGION : given.region;
  const known = given.directory.names(given.account.username, kind, region);
  if (known !== undefined) return known;
  try {
    return kind === "job"
      ? (await listJobs(given)).items.map((job) => job.metadata.name)
      : (await listServices(given)).items.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

/** What a list call told: the workloads, and how many entries had no name and so cannot be shown or addressed. */
export type Listed<Item> = { readonly items: readonly Item[]; readonly skipped: number };

/** With which account, where, and where the answer is remembered. */
export type Listing = Pick<Given, "api" | "region" | "signal" | "directory" | "account">;

/** Every service of the region; one call. The names are remembered for suggestions. */
export async function listServices({ api, region, signal, directory, account }: Listing): Promise<Listed<Service>> {
  const path = { region };
  const { services, skipped } = await api.send(
    { op: "listServices", path, query: undefined, body: undefined },
    { signal },
  );
  const entries = services.map(({ name, status = "" }) => ({ name, status }));
  directory.remember(account.username, "service", { region, entries });
  return { items: services, skipped };
}

/** Every job; one call. The names are remembered for suggestions. */
export async function listJobs({ api, signal, directory, account }: Omit<Listing, "region">): Promise<Listed<Job>> {
  const path = { region: JOB_REGION };
  const { jobs, skipped } = await api.send({ op: "listJobs", path, query: undefined, body: undefined }, { signal });
  const entries = jobs.map((job) => ({ name: job.metadata.name, status: jobStatus(job) }));
  directory.remember(account.username, "job", { region: JOB_REGION, entries });
  return { items: jobs, skipped };
}
