import { z } from "zod";
import { pathSafe } from "../../api/names.ts";

/** Jobs can only be run here (the API's document, "Limits"). */
export const JOB_REGION = "us";

export function regionOf<Region extends string | undefined>(
  kind: "service" | "job" | undefined,
  region: Region,
): Region | typeof JOB_REGION {
  return kind === "job" ? JOB_REGION : region;
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

const missing = "NAME is missing: say which workload.";

/**
 * `NAME`, `service/NAME` or `job/NAME`; looked up as it is, because a service may hold names that we would not give.
 */
export const Target = z.string({ error: missing }).transform((typed, context): Target => {
  const slash = typed.indexOf("/");
  const kind = kinds[typed.slice(0, Math.max(slash, 0)).toLowerCase()];
  const name = kind === undefined ? typed : typed.slice(slash + 1);
  if (name === "") {
    context.addIssue(missing);
    return z.NEVER;
  }
  if (!pathSafe(name) || name.length > 253) {
    context.addIssue(
      "NAME cannot be the name of a workload: write NAME, service/NAME or job/NAME, without any other “/”.",
    );
    return z.NEVER;
  }
  return { kind, name };
});
