import type { Service } from "../../api/answers.ts";
import type { FormFacts, FormValues } from "./form.ts";
import { findService } from "../lookup/find.ts";
import { checkMaySee } from "../lookup/may-see.ts";
import { Target } from "../grammar/target.ts";
import type { VerbContext } from "../grammar/verb.ts";

/**
 * What a form of a service says about the one that is named in it; nothing without a name. One call where there is such
 * a service. Policy judges this as a read, before any call: the right to restart a service doesn't include the right to
 * see it. Throws what `findService` throws, and a `ReadRefused`.
 */
export async function prefillFromService(
  values: FormValues,
  context: VerbContext,
  facts: (service: Service) => FormFacts,
): Promise<FormFacts> {
  const target = Target.safeParse(values["name"]).data;
  if (target === undefined) return { notes: [], values: {} };
  const { region } = context;
  await checkMaySee({ kind: "service", region, name: target.name }, context);
  return facts(await findService(target, context));
}
