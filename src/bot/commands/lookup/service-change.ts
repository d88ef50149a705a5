import type { Service, Job } from "../../../api/answers.ts";
import type { Call } from "../../../api/operations.ts";
import type { Change } from "../../changes/change.ts";
import { serviceSnapshot } from "../../changes/updatable-fields.ts";
import type { ProposedChange, Sent, VerbContext } from "../command.ts";
import type { Line } from "../../views/kit/blocks.ts";
import { words } from "../../views/kit/inline.ts";

type ServiceOp = "updateService" | "startService" | "stopService" | "restartService" | "deleteService";
type ServiceCall = { readonly [Op in ServiceOp]: Omit<Call<Op>, "path" | "query"> }[ServiceOp];

/** A Change of a service that was read. Pure. */
export function serviceChange(
  service: Service,
  { region, sends, settings }: VerbContext,
  wanted: ServiceCall & { diff: string[]; backTo?: Change["backTo"] },
): ProposedChange {
  const { diff, backTo, ...call } = wanted;
  const itself = diff.length === 0 ? [] : itselfLines(service, call, settings.host);
  const before = serviceSnapshot(service);
  return {
    call: { ...call, path: { region, service_name: service.name }, query: undefined },
    workload: { kind: "service", region, name: service.name, uid: before.uid },
    before,
    diff: [...diff, ...itself],
    ...(itself.length > 0 && { itself }),
    ...(backTo !== undefined && { backTo }),
    refusal: refusalOf(service, sends),
  };
}

/** What becomes of Gantry where it runs in this service itself: then nobody would say what happened. Pure. */
function itselfLines(service: Service, call: ServiceCall, host: string): string[] {
  const isBot = service.instance_names?.includes(host) === true;
  if (!isBot && service.runs_this_api !== true) return [];
  const [who, none] = isBot ? ["Gantry itself", "nobody answers"] : ["Gantry's workload API", "no request works"];
  const { op, body } = call;
  if (op === "deleteService") return [`${who} is deleted: ${none} afterwards`, "to bring it back: deploy it again"];
  if (op === "stopService" || (op === "updateService" && body.target_instance_size === 0)) {
    const { start_command: command = "start it without Gantry" } = service;
    return [`${who} stops: ${none} afterwards`, `to bring it back: ${command}`];
  }
  const isReplaced = op === "updateService" && (body.containers ?? body.revision) !== undefined;
  return isReplaced || op === "restartService" ? [`${who} restarts: ${none} for a while`] : [];
}

type Update = Call<"updateService">["body"];

/** The new value of a field when the Change updates this field of a service and no other. Pure. */
export function onlyUpdate<Field extends keyof Update>({ call }: Change, field: Field): Update[Field] | undefined {
  if (call.op !== "updateService") return undefined;
  const { [field]: value, ...others } = call.body;
  return Object.values(others).every((other) => other === undefined) ? value : undefined;
}

type Workload = Pick<Service | Job, "refused_operations">;

/**
 * Why the workload API would refuse a verb that sends these operations, as it said when the workload was read. Undefined
 * if it wouldn't, or doesn't say: then it decides when the request is sent. Pure.
 */
export function refusalOf({ refused_operations: refused = [] }: Workload, sends: readonly Sent[]): string | undefined {
  const isSent = (operation: string, part: string | undefined): boolean =>
    sends.some((each) => each.operation === operation && (part === undefined || each.part === part));
  return refused.find(({ operation, part }) => isSent(operation, part))?.reason;
}

/** A form's line about it. */
export function refusalNote(workload: Workload, sends: readonly Sent[]): Line[] {
  const refusal = refusalOf(workload, sends);
  return refusal === undefined ? [] : [[words(`🚫 ${refusal}`, 600)]];
}
