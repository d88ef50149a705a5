import type { Job, Service } from "../../api/answers.ts";
import { JOB_REGION } from "../grammar/target.ts";
import type { VerbContext } from "../grammar/verb.ts";
import { jobStatus } from "../../views/kit/status.ts";

/** A list call's workloads, and how many entries had no name, so that nobody can address them. */
export type Listed<Item> = { readonly items: readonly Item[]; readonly skipped: number };

export type Listing = Pick<VerbContext, "api" | "region" | "signal" | "directory" | "account">;

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
