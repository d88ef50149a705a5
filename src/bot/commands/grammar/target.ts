import { z } from "zod";
import { pathSafe } from "../../../api/request-limits.ts";

/** The region that was asked for, and the one for jobs. */
export type Regions = { readonly region: string; readonly jobsRegion: string };

/** Where a workload is: jobs run in one region only (the API's document, "Limits"), whatever region was asked for. */
export function regionOf<Region extends string | undefined>(
  kind: "service" | "job" | undefined,
  region: Region,
  { jobsRegion }: Pick<Regions, "jobsRegion">,
): Region | string {
  return kind === "job" ? jobsRegion : region;
}

/** Which workload was meant: `web`, or `service/web` where a job has the same name. */
export type Target = { readonly kind: "service" | "job" | undefined; readonly name: string };

const kinds: Readonly<Record<string, "service" | "job">> = {
  service: "service",
  services: "service",
  svc: "service",
  job: "job",
  jobs: "job",
};

/** The kind that a word names, in any case: `service`, `svc`, `jobs`. */
export function kindNamed(word: string): "service" | "job" | undefined {
  const lower = word.toLowerCase();
  return Object.hasOwn(kinds, lower) ? kinds[lower] : undefined;
}

export const missingName = "Name a workload.";

/**
 * `NAME`, `service/NAME` or `job/NAME`; looked up as it is, because a service may hold names that we would not give.
 */
export const Target = z.string({ error: missingName }).transform((typed, context): Target => {
  const slash = typed.indexOf("/");
  const kind = kindNamed(typed.slice(0, Math.max(slash, 0)));
  const name = kind === undefined ? typed : typed.slice(slash + 1);
  if (name === "") {
    context.addIssue(missingName);
    return z.NEVER;
  }
  if (!pathSafe(name) || name.length > 253) {
    context.addIssue("Not a workload name. Write `web`, `service/web` or `job/web`.");
    return z.NEVER;
  }
  return { kind, name };
});
