import { z } from "zod";
import type { Service } from "../../api/answers.ts";
import type { Change } from "../../changes/change.ts";
import type { Risk } from "../../policy/risk.ts";
import type { WriteCommand } from "../command.ts";
import { counted } from "../../views/kit/text.ts";
import { prefillFromService } from "../forms/prefill.ts";
import { findService } from "../lookup/find.ts";
import { serviceChange } from "../lookup/service-change.ts";
import { Target } from "../grammar/target.ts";
import { writeVerb, type VerbContext } from "../grammar/verb.ts";
import { serviceField } from "../forms/fields.ts";

type Power = {
  readonly name: "start" | "stop" | "restart";
  readonly op: "startService" | "stopService" | "restartService";
  readonly summary: string;
  readonly risk: Risk;
  /** The status in which there is nothing to do; a restart always does something. */
  readonly already?: string;
  readonly diff: (status: string) => string;
  /** What comes of it, in a sentence. */
  readonly effect: string;
};

/** Start, stop and restart differ in a name and a sentence only. */
export function powerVerb({ name, op, summary, risk, already, diff, effect }: Power): WriteCommand {
  const verb = name.charAt(0).toUpperCase() + name.slice(1);
  const whatFollows = ({ status }: Service): string =>
    already !== undefined && status === already ? `So there is nothing to ${name}.` : effect;
  return writeVerb({
    name,
    summary,
    usage: `${name} NAME`,
    example: `${name} web`,
    flags: {},
    actions: [{ op, risk }],
    words: 1,
    args: z.object({ name: Target }),
    read: ({ positionals: [target] }) => ({ name: target }),
    form: {
      title: `${verb} a service`,
      submit: verb,
      fields: () => [serviceField],
      prefill: (values, context) =>
        prefillFromService(values, context, (service) => ({ notes: [now(service), whatFollows(service)], values: {} })),
    },
    target: ({ name }) => name,
    async propose({ name: target }, context: VerbContext): Promise<Change> {
      const service = await findService(target, context);
      const status = service.status ?? "not told";
      return serviceChange(service, context, { op, body: undefined, diff: status === already ? [] : [diff(status)] });
    },
  });
}

function now({ name, status = "not told", target_instance_size: size }: Service): string {
  return `The status of ${name} is ${status}${size === undefined ? "" : `, with ${counted(size, "instance")}`}.`;
}
