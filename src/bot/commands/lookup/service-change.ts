import type { Service, Job, JobContainer, ServiceContainer } from "../../../api/answers.ts";
import type { Call } from "../../../api/operations.ts";
import type { Change } from "../../changes/change.ts";
import { serviceSnapshot } from "../../changes/updatable-fields.ts";
import type { ProposedChange, Sent, VerbContext } from "../command.ts";
import type { Line } from "../../views/kit/blocks.ts";
import { words, strong } from "../../views/kit/inline.ts";
import { z } from "zod";
import { requestLimits } from "../../../api/request-limits.ts";
import type { ContainerUpdate } from "../../../api/schema.ts";
import { type FormField, type FormFacts, type FormValues, noFacts } from "../forms/form.ts";
import { UserError } from "../../errors.ts";
import { Target } from "../grammar/argument-types.ts";
import { findService } from "./find.ts";
import { checkMaySee } from "./may-see.ts";
import { serviceStatus } from "../../../api/workload-status.ts";
import { dotOf } from "../../views/kit/health.ts";
import { counted } from "../../views/kit/text.ts";

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

export const containerField: FormField = {
  id: "container",
  label: "Container",
  hint: "Only needed if the service has several containers.",
  isMore: true,
  input: { kind: "text", maxLength: requestLimits.containerName },
};

/** `--container`, for services with several. */
export const ContainerName = z
  .string()
  .min(1, "--container needs a value.")
  .max(requestLimits.containerName, `--container takes at most ${requestLimits.containerName} characters.`);

/**
 * All containers whose image can be changed: those that start before the others have the places after them, and an update
 * finds them by their names.
 */
export function deployable(service: Service): Service {
  const { containers, init_containers: init = [] } = service;
  return containers === undefined ? service : { ...service, containers: [...containers, ...init] };
}

/** The position of the only container, or of the named one. Throws a `UserError` when it is unclear. */
export function containerPosition({ name, containers }: Service, wanted: string | undefined): number {
  if (containers === undefined) {
    if (wanted === undefined) return 0;
    throw new UserError(
      `Couldn't find container ${wanted} of ${name}: the workload API doesn't report its containers.`,
      { next: "Nothing was changed. Without --container, it is the first container." },
    );
  }
  if (wanted === undefined && containers.length <= 1) return 0;
  const at = wanted === undefined ? -1 : containers.findIndex((container) => container.name === wanted);
  if (at >= 0) return at;
  const names = containers
    .map((container, index) => container.name ?? `(container ${index + 1} has no name)`)
    .join(", ");
  const what =
    wanted === undefined ? `${name} has ${containers.length} containers` : `${name} has no container named ${wanted}`;
  throw new UserError(`${what}.`, { next: `Say which with --container: ${names}.` });
}

/** " of web": which container a difference is about, where there are several. */
export function ofContainer({ containers = [] }: Service, at: number): string {
  return containers.length > 1 ? ` of ${containers[at]?.name ?? `container ${at + 1}`}` : "";
}

/**
 * The API doesn't document whether an update finds its container by position or by name. With several containers the
 * update has both: each container in its position with its name, and only one with a new limit.
 */
export function containerUpdates(
  { containers = [] }: Service,
  at: number,
  update: (name: string | undefined) => ContainerUpdate,
): ContainerUpdate[] {
  if (containers.length <= 1) return [update(undefined)];
  return containers
    .slice(0, at + 1)
    .map(({ name }, index) => (index === at ? update(name) : name === undefined ? {} : { name }));
}

/** Fields of a service that the API's answer leaves out. They are unknown, which isn't the same as empty. Pure. */
export function unreportedOf(service: Service): string[] {
  const { containers, target_instance_size, port_mappings, volumes, binding_domain_name } = service;
  return [
    ...(target_instance_size === undefined ? ["instances"] : []),
    ...unreportedIn(containers?.[0]),
    ...(containers?.[0]?.command === undefined ? ["command"] : []),
    ...(containers?.[0]?.env === undefined ? ["environment"] : []),
    ...(port_mappings === undefined ? ["ports"] : []),
    ...(volumes === undefined ? ["volumes"] : []),
    ...(binding_domain_name === undefined ? ["domains"] : []),
  ];
}

/** The same of a container. In the API's document, a job's has `env` and `command` only where they were given. */
export function unreportedIn(container: ServiceContainer | JobContainer | undefined): string[] {
  return [
    ...(container?.image === undefined ? ["image"] : []),
    ...(container?.resources === undefined ? ["memory"] : []),
  ];
}

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
