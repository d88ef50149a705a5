import type { Service } from "../../../api/answers.ts";
import { Target } from "../grammar/target.ts";
import type { VerbContext } from "../grammar/verb.ts";
import { findService } from "../lookup/find.ts";
import { checkMaySee } from "../lookup/may-see.ts";
import { refusalNote } from "../lookup/service-change.ts";
import { type FormFacts, type FormValues, noFacts } from "./form.ts";

/**
 * Prefills a form from the service chosen in it, with one call; without a name it does nothing. The right to change a
 * service doesn't include the right to see it, so policy judges this as a read before any call. Throws what
 * `findService` throws, and `ReadRefused`.
 */
export function servicePrefill(facts: (service: Service, context: VerbContext) => FormFacts | Promise<FormFacts>) {
  return async (values: FormValues, context: VerbContext): Promise<FormFacts> => {
    const target = Target.safeParse(values["name"]).data;
    if (target === undefined) return noFacts;
    await checkMaySee({ kind: "service", region: context.region, name: target.name }, context);
    const service = await findService(target, context);
    const { notes, values: filled } = await facts(service, context);
    return { notes: [...notes, ...refusalNote(service, context.ask.verb)], values: filled };
  };
}
