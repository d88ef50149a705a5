import { z } from "zod";
import type { Service } from "../../../api/answers.ts";
import { isHealthy, isIdle, isStatus } from "../../../api/workload-status.ts";
import type { VerbForms, WriteCommand } from "../command.ts";
import { counted } from "../../views/kit/text.ts";
import { serviceField } from "../forms/form.ts";
import { servicePrefill, serviceNote, serviceChange } from "../lookup/service-change.ts";
import { Target } from "../grammar/argument-types.ts";
import { writeVerb } from "../grammar/verb.ts";
import { findService } from "../lookup/find.ts";

type PowerOp = "startService" | "stopService" | "restartService";

type Power = VerbForms & {
  readonly name: "start" | "stop" | "restart";
  readonly op: PowerOp;
  readonly summary: string;
  /** In such a status there is nothing to do; a restart always does something. */
  readonly isDoneIn?: (status: string | undefined) => boolean;
  readonly diff: (service: Service) => string;
  /** A sentence for the form. */
  readonly effect: (service: Service) => string;
  /** The operation that this verb takes back. */
  readonly undoes?: PowerOp;
};

/** Start, stop and restart differ only in an operation and its sentences. */
function powerVerb({ name, op, summary, isDoneIn, diff, effect, undoes, ...said }: Power): WriteCommand {
  const verb = name.charAt(0).toUpperCase() + name.slice(1);
  const isDone = ({ status }: Service): boolean => isDoneIn?.(status) === true;
  return writeVerb({
    name,
    ...said,
    summary,
    example: `${name} web`,
    words: { name: "NAME" },
    usage: `${name} NAME…`,
    several: true,
    args: z.object({ name: Target }),
    sends: [op],
    form: {
      title: `${verb} a service`,
      submit: verb,
      fields: () => [serviceField],
      prefill: servicePrefill((service) => ({
        notes: [
          serviceNote(service),
          isDone(service) ? `Already ${service.status?.toLowerCase()}. Nothing to do.` : effect(service),
        ],
        values: {},
      })),
    },
    async propose({ name: target }, context) {
      const service = await findService(target, context);
      const lines = isDone(service) ? [] : [diff(service)];
      return serviceChange(service, context, { op, body: undefined, diff: lines });
    },
    undo: ({ call }) => (call.op === undoes ? {} : undefined),
  });
}

/** "its only instance", "all 3 instances" */
function allInstances({ target_instance_size: size }: Service): string {
  if (size === undefined) return "all instances";
  return size === 1 ? "its only instance" : `all ${counted(size, "instance")}`;
}

/** "with 3 instances, then autoscaler web-hpa sets the size" */
function startedSize({ target_instance_size: size, size_set_by: sizer }: Service): string {
  const instances = size === undefined ? "all instances" : `with ${counted(size, "instance")}`;
  return sizer === undefined ? instances : `${instances}, then ${sizer} sets the size`;
}

export const start = powerVerb({
  name: "start",
  op: "startService",
  summary: "Start a stopped service",
  button: "Start",
  near: ["up", "resume", "boot", "unpause"],
  phrases: [
    [
      "start [up|back] NAMES|(turn|switch) [back] on NAMES|(bring|turn) [back] up NAMES|bring back NAMES",
      "start NAMES",
    ],
  ],
  isDoneIn: isHealthy,
  diff: (service) => `starts ${startedSize(service)}`,
  effect: (service) => `Starts ${startedSize(service)}.`,
  undoes: "stopService",
});

export const stop = powerVerb({
  name: "stop",
  op: "stopService",
  summary: "Stop a service and keep its settings",
  button: "Stop",
  near: ["down", "halt", "pause", "suspend", "shutdown", "kill"],
  phrases: [["stop NAMES|(shut|take|bring) down NAMES|(turn|switch) off NAMES", "stop NAMES"]],
  // An idle service doesn't stay without instances.
  isDoneIn: (status) => isIdle(status) && !isStatus(status, "idle"),
  diff: (service) => `stops ${allInstances(service)}`,
  effect: (service) => `Stops ${allInstances(service)}. Its settings are kept, so you can start it again.`,
  undoes: "startService",
});

export const restart = powerVerb({
  name: "restart",
  isMostUsed: true,
  op: "restartService",
  summary: "Restart all instances of a service",
  button: "Restart",
  aliases: ["rollout restart"],
  near: ["reboot", "bounce", "recycle", "cycle", "reload", "kick"],
  phrases: [["[give|run] restart NAMES|NAMES need [another] restart", "restart NAMES"]],
  diff: (service) => `restarts ${allInstances(service)}`,
  effect: (service) => `Restarts ${allInstances(service)}. Causes a short interruption.`,
});
