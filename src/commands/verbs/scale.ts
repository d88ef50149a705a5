import { z } from "zod";
import { requestLimits } from "../../api/request-limits.ts";
import { counted } from "../../views/kit/text.ts";
import { serviceField } from "../forms/fields.ts";
import { servicePrefill } from "../forms/service-prefill.ts";
import { wholeNumber } from "../grammar/argument-types.ts";
import { Target } from "../grammar/target.ts";
import { writeVerb } from "../grammar/verb.ts";
import { findService } from "../lookup/find.ts";
import { onlyUpdate, serviceChange } from "../lookup/service-change.ts";

const range = { from: 0, to: requestLimits.instances } as const;
const Size = wholeNumber("N, the number of instances,", range);

export const scale = writeVerb({
  name: "scale",
  summary: "Set how many instances a service has",
  example: "scale web 4",
  words: { name: "NAME", size: "N" },
  args: z.object({ name: Target, size: Size }),
  actions: [
    { op: "updateService", risk: "routine" },
    { op: "updateService", risk: "disruptive" },
    { op: "updateService", risk: "destructive" },
  ],
  form: {
    title: "Scale a service",
    submit: "Scale",
    fields: () => [
      serviceField,
      { id: "size", label: "Instances", hint: "0 stops all of them.", input: { kind: "number", ...range } },
    ],
    prefill: servicePrefill(({ name, status, target_instance_size: now }) => ({
      notes: [
        `${name} has ${now === undefined ? "an untold number of instances" : counted(now, "instance")} now, status ${status ?? "not told"}.`,
      ],
      values: now === undefined ? {} : { size: String(now) },
    })),
  },
  async propose({ name, size }, context) {
    const service = await findService(name, context);
    const now = service.target_instance_size;
    return serviceChange(service, context, {
      op: "updateService",
      body: { target_instance_size: size },
      diff: now === size ? [] : [`instances ${now ?? "not told"} → ${size}`],
    });
  },
  undo(change) {
    if (onlyUpdate(change, "target_instance_size") === undefined) return undefined;
    const size = Size.safeParse(change.before?.size).data;
    return size === undefined ? undefined : { size };
  },
});
