import type { Job, Service } from "../../../api/answers.ts";
import { Problem, refusesAccount } from "../../../api/problem.ts";
import type { VerbContext } from "../command.ts";
import { jobStatus, serviceStatus } from "../../../api/workload-status.ts";
import { mapInTurns } from "../../../platform/turns.ts";
import type { Entry } from "./directory.ts";

/**
 * A list call's workloads, how many entries had no name, so that nobody can address them, and what the API says is missing,
 * as sentences.
 */
export type Listed<Item> = {
  readonly items: readonly Item[];
  readonly skipped: number;
  readonly unlisted: readonly string[];
};

type Listing = Pick<VerbContext, "api" | "region" | "settings" | "signal" | "directory"> & {
  readonly account: Pick<VerbContext["account"], "username">;
};

/** Every service of the region; one call. The names are remembered for suggestions. */
export async function listServices({ api, region, signal, directory, account }: Listing): Promise<Listed<Service>> {
  const path = { region };
  const {
    services,
    skipped,
    not_listed: unlisted = [],
  } = await api
    .send({ op: "listServices", path, query: undefined, body: undefined }, { signal, isBrief: true })
    .catch((error: unknown) => refused(error, () => directory.forget(account.username, "service", region)));
  const entries = await serviceEntries(services);
  directory.remember(account.username, "service", { region, entries });
  return { items: services, skipped, unlisted };
}

/** Every job; one call. The names are remembered for suggestions. */
export async function listJobs({
  api,
  settings,
  signal,
  directory,
  account,
}: Omit<Listing, "region">): Promise<Listed<Job>> {
  const region = settings.jobsRegion;
  const path = { region };
  const {
    jobs,
    skipped,
    not_listed: unlisted = [],
  } = await api
    .send({ op: "listJobs", path, query: undefined, body: undefined }, { signal, isBrief: true })
    .catch((error: unknown) => refused(error, () => directory.forget(account.username, "job", region)));
  const entries = await jobEntries(jobs);
  directory.remember(account.username, "job", { region, entries });
  return { items: jobs, skipped, unlisted };
}

/** An account that the API refuses is shown nothing that it read before. */
function refused(error: unknown, forget: () => void): never {
  if (error instanceof Problem && refusesAccount(error)) forget();
  throw error;
}

const serviceEntries = once((service: Service): Entry => {
  const { name, target_instance_size: target, ready_instances: ready } = service;
  const health = serviceStatus(service);
  const size = target === undefined ? undefined : ready === undefined ? String(target) : `${ready}/${target}`;
  return { name, status: health.words, health, size };
});
const jobEntries = once((job: Job): Entry => {
  const health = jobStatus(job);
  return { name: job.metadata.name, status: health.words, health };
});

/** Callers who share a read get the same list, whose entries are made once. */
function once<Item>(entryOf: (item: Item) => Entry): (items: readonly Item[]) => Promise<readonly Entry[]> {
  const made = new WeakMap<readonly Item[], Promise<readonly Entry[]>>();
  return (items) => {
    const entries = made.get(items) ?? mapInTurns(items, entryOf);
    made.set(items, entries);
    return entries;
  };
}
