import { z } from "zod";
import { requestLimits } from "../../api/request-limits.ts";
import { counted } from "../../views/kit/text.ts";
import { prefillFromService } from "../forms/prefill.ts";
import { findService } from "../lookup/find.ts";
import { serviceChange } from "../lookup/service-change.ts";
import { Target } from "../grammar/target.ts";
import { writeVerb } from "../grammar/verb.ts";
import { wholeNumber } from "../grammar/argument-types.ts";
import { serviceField } from "../forms/fields.ts";

const range = { from: 0, to: requestLimits.instances } as const;

/** How many instances can be asked for. */
export const InstanceSize = wholeNumber("N, the number of instances,", range);

export const scale = writeVerb({
  name: "scale",
  summary: "Set how many instances a service has",
  usage: "scale NAME N",
  example: "scale web 4",
  flags: {},
  actions: [
    { op: "updateService", risk: "routine" },
    { op: "updateService", risk: "disruptive" },
    { op: "updateService", risk: "destructive" },
  ],
  words: 2,
  args: z.object({ name: Target, size: InstanceSize }),
  read: ({ positionals: [name, size] }) => ({ name, size }),
  form: {
    title: "Scale a service",
    submit: "Scale",
    fields: () => [
      serviceField,
      { id: "size", label: "Instances", hint: "0 stops all of them.", input: { kind: "number", ...range } },
    ],
    prefill: (values, context) =>
      prefillFromService(values, context, ({ name, status, target_instance_size: now }) => ({
        notes: [
          `${name} has ${now === undefined ? "an untold number of instances" : counted(now, "instance")} now, status ${status ?? "not told"}.`,
        ],
        values: now === undefined ? {} : { size: String(now) },
      })),
  },
  target: ({ name }) => name,
  async propose({ name, size }, context) {
    const service = await findService(name, context);
    const now = service.target_instance_size;
    return serviceChange(service, context, {
      op: "updateService",
      body: { target_instance_size: size },
      diff: now === size ? [] : [`instances ${now ?? "not told"} → ${size}`],
    });
  },
});
