import { z } from "zod";
import type { Service } from "../../../api/answers.ts";
import { NOT_REPORTED } from "../../changes/updatable-fields.ts";
import { requestLimits } from "../../../api/request-limits.ts";
import { UserError } from "../../errors.ts";
import { serviceField } from "../forms/form.ts";
import { servicePrefill, serviceNote, onlyUpdate, serviceChange } from "../lookup/service-change.ts";
import { wholeNumber, Target } from "../grammar/argument-types.ts";
import { writeVerb } from "../grammar/verb.ts";
import { findService } from "../lookup/find.ts";

const range = { from: 0, to: requestLimits.instances } as const;
const Size = wholeNumber("Instances", range);

/** `+1` or `-2`: relative to the size when the request is made. */
const Steps = z
  .string()
  .regex(/^[+-]\d{1,4}$/u)
  .transform((typed) => ({ by: Number(typed) }));
const SizeOrSteps = z.union([Steps, Size], {
  error: `Instances must be a whole number from ${range.from} to ${range.to}.`,
});

export const scale = writeVerb({
  name: "scale",
  isMostUsed: true,
  summary: "Set the number of instances of a service",
  example: "scale web 4",
  question: { amount: ({ size }) => (/^[+-]/u.test(String(size)) ? ` by ${String(size)}` : ` to ${String(size)}`) },
  button: "Scale",
  near: ["resize", "replicas", "instances", "size", "double"],
  phrases: [
    [
      "(scale|set|run|start|give|need|put) NAME [on] COUNT instances|(scale|set) NAME to COUNT [instances]|(scale|take|bring) (up|down) NAME to COUNT [instances]|set NAME instances to COUNT|set number instances NAME to COUNT",
      "scale NAME COUNT",
    ],
    ["scale NAME COUNT", "scale NAME COUNT"],
    [
      "scale up NAME|scale up NAME by COUNT [instances]|add [COUNT] [more] instances NAME|give COUNT more instances NAME",
      "scale NAME +COUNT",
    ],
    ["scale down NAME|scale down NAME by COUNT [instances]|(delete|take) COUNT instances NAME", "scale NAME -COUNT"],
  ],
  words: { name: "NAME", size: "N" },
  usage: "scale NAME N",
  flags: { instances: { value: "N", summary: "the new size, or a step such as `+1` or `-1`", also: ["replicas"] } },
  args: z.object({ name: Target, size: SizeOrSteps }),
  read(_typed, { instances, size, ...byName }) {
    if (instances !== undefined && size !== undefined) {
      throw new UserError("The size appears twice.", { next: "Write it once." });
    }
    return { ...byName, size: size ?? instances };
  },
  updates: "size",
  form: {
    title: "Scale a service",
    submit: "Scale",
    fields: () => [
      serviceField,
      { id: "size", label: "Instances", hint: "0 stops all instances.", input: { kind: "number", ...range } },
    ],
    prefill: servicePrefill((service) => {
      const now = service.target_instance_size;
      return { notes: [serviceNote(service)], values: now === undefined ? {} : { size: String(now) } };
    }),
  },
  async propose({ name, size: wanted }, context) {
    const service = await findService(name, context);
    const now = service.target_instance_size;
    const size = typeof wanted === "number" ? wanted : sizeAfter(service, wanted.by);
    return serviceChange(service, context, {
      op: "updateService",
      body: { target_instance_size: size },
      diff: now === size ? [] : [`instances ${now ?? NOT_REPORTED} → ${size}`],
    });
  },
  /** A repeated request must not take the step again. */
  settledArgs(args, change) {
    const size = onlyUpdate(change, "target_instance_size");
    return size === undefined ? args : { ...args, size: String(size) };
  },
  undo(change) {
    if (onlyUpdate(change, "target_instance_size") === undefined) return undefined;
    const size = Size.safeParse(change.before?.size).data;
    return size === undefined ? undefined : { size };
  },
});

function sizeAfter({ name, target_instance_size: now }: Service, by: number): number {
  if (now === undefined) {
    throw new UserError(`The workload API didn't say how many instances ${name} has.`, {
      next: "Nothing was changed. Write the full number.",
    });
  }
  const size = now + by;
  if (size >= range.from && size <= range.to) return size;
  throw new UserError(`Couldn't scale ${name} from ${now} to ${size}: the range is ${range.from} to ${range.to}.`, {
    next: "Nothing was changed.",
  });
}
