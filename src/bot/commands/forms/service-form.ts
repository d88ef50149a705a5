import type { Service } from "../../../api/answers.ts";
import { Target } from "../grammar/argument-types.ts";
import type { VerbContext } from "../command.ts";
import { findService } from "../lookup/find.ts";
import { checkMaySee } from "../lookup/may-see.ts";
import { refusalNote } from "../lookup/service-change.ts";
import { type FormFacts, type FormValues, noFacts } from "./form.ts";
import { serviceStatus } from "../../../api/workload-status.ts";
import type { Line } from "../../views/kit/blocks.ts";
import { strong, words } from "../../views/kit/inline.ts";
import { dotOf } from "../../views/kit/health.ts";
import { counted } from "../../views/kit/text.ts";

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
    const found = await facts(service, context);
    return { ...found, notes: [...found.notes, ...refusalNote(service, context.sends)] };
  };
}

/** A form's first line about a service: "🟢 *web* · running · 3 instances". */
export function serviceNote(service: Service): Line {
  const status = serviceStatus(service);
  const size = service.target_instance_size;
  const instances = size === undefined ? " · instances not reported" : ` · ${counted(size, "instance")}`;
  return [words(`${dotOf(status)} `), strong(service.name, 255), words(` · ${status.words}${instances}`)];
}

/** "*web* has 256 MiB now." */
export function aboutWorkload(name: string, rest: string, before = ""): Line {
  return [...(before === "" ? [] : [words(before)]), strong(name, 255), words(rest)];
}
