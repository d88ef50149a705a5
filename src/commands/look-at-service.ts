import type { Service } from "../api/answers.ts";
import type { FormFacts, FormValues } from "./form.ts";
import { findService, readAbout } from "./lookup.ts";
import { checkFound } from "./may-see.ts";
import { Target } from "./target.ts";
import type { Given } from "./verb.ts";

const ops = { service: "getService", job: "getJob" } as const;

/**
 * What a form of a service says about the one that is named in it; nothing without a name. One call where there is such
 * a service. It is a look, and judged as one: who may restart a service need not be allowed to see it. Throws what
 * `findService` throws, and a `UserError` for what may not be seen.
 */
export async function lookAtService(
  values: FormValues,
  given: Given,
  facts: (service: Service) => FormFacts,
): Promise<FormFacts> {
  const target = Target.safeParse(values["name"]).data;
  if (target === undefined) return { notes: [], values: {} };
  const service = await findService(target, given);
  await checkFound(readAbout(ops, { kind: "service", name: target.name }, given.region), given);
  return facts(service);
}
