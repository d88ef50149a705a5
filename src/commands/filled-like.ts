import type { FormFacts, FormValues } from "./form.ts";
import { valuesOfJob } from "./values-of-job.ts";
import { valuesOfService } from "./values-of-service.ts";
import { findWorkload, readAbout } from "./lookup.ts";
import { checkFound } from "./may-see.ts";
import { Target } from "./target.ts";
import type { Given } from "./verb.ts";

const ops = { service: "getService", job: "getJob" } as const;

/**
 * "Create like this one": what stands in the form is what the workload in `like` has; nothing without one. One call where
 * its kind is said. It is judged as any look at it, because all of it is shown. Throws what `show` throws.
 */
export async function filledLike({ like }: FormValues, given: Given): Promise<FormFacts> {
  const target = Target.safeParse(like).data;
  if (target === undefined) return { notes: [], values: {} };
  if (target.kind !== undefined) await checkFound(readAbout(ops, target, given.region), given);
  const found = await findWorkload(target, given);
  if (target.kind === undefined) {
    await checkFound(readAbout(ops, { kind: found.kind, name: target.name }, found.region), given);
  }
  return found.kind === "service" ? valuesOfService(found.service) : valuesOfJob(found.job);
}
