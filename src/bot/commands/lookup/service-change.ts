import type { Service } from "../../../api/answers.ts";
import type { Call } from "../../../api/operations.ts";
import type { Change } from "../../changes/change.ts";
import { serviceSnapshot } from "../../changes/updatable-fields.ts";
import type { ProposedChange } from "../command.ts";
import type { VerbContext } from "../grammar/verb.ts";
import { refusalOf } from "./refused-operations.ts";

type ServiceOp = "updateService" | "startService" | "stopService" | "restartService" | "deleteService";
type ServiceCall = { readonly [Op in ServiceOp]: Omit<Call<Op>, "path" | "query"> }[ServiceOp];

/** A Change of a service that was read. Pure. */
export function serviceChange(
  service: Service,
  { region, ask }: VerbContext,
  wanted: ServiceCall & { diff: string[] },
): ProposedChange {
  const { diff, ...call } = wanted;
  const before = serviceSnapshot(service);
  return {
    call: { ...call, path: { region, service_name: service.name }, query: undefined },
    workload: { kind: "service", region, name: service.name, uid: before.uid },
    before,
    diff,
    refusal: refusalOf(service, ask.verb),
  };
}

type Update = Call<"updateService">["body"];

/** The new value of a field when the Change updates this field of a service and no other. Pure. */
export function onlyUpdate<Field extends keyof Update>({ call }: Change, field: Field): Update[Field] | undefined {
  if (call.op !== "updateService") return undefined;
  const { [field]: value, ...others } = call.body;
  return Object.values(others).every((other) => other === undefined) ? value : undefined;
}
