import type { FormFacts, FormValues } from "../../forms/form.ts";
import { valuesOfJob } from "./values-of-job.ts";
import { valuesOfService } from "./values-of-service.ts";
import { findWorkload } from "../../lookup/find.ts";
import { Target } from "../../grammar/target.ts";
import type { VerbContext } from "../../grammar/verb.ts";

/**
 * "Create like this one": what stands in the form is what the workload in `like` has; nothing without one. One call where
 * its kind is said. Only what the person may look at is read. Throws what `show` throws.
 */
export async function filledLike({ like }: FormValues, context: VerbContext): Promise<FormFacts> {
  const target = Target.safeParse(like).data;
  if (target === undefined) return { notes: [], values: {} };
  const found = await findWorkload(target, context);
  return found.kind === "service" ? valuesOfService(found.service) : valuesOfJob(found.job);
}
