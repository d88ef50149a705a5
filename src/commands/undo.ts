import { isUpdateMemory } from "../api/memory.ts";
import { isDomainName } from "../api/names.ts";
import { requestLimits } from "../api/request-limits.ts";
import type { Change } from "../changes/change.ts";
import type { Ask } from "./ask.ts";
import { InstanceSize } from "./verbs/scale.ts";

type Inverse = Pick<Ask, "verb" | "args">;
type Update = Extract<Change["call"], { op: "updateService" }>["body"];

/**
 * What takes a Change back, as a person would ask for it; `undefined` where nothing does (delete, restart, create, a
 * Change that changed nothing) and where the old value was not told or cannot be asked for. Pure. What it proposes is a
 * Change of its own, under policy.
 */
export function undoAsk(change: Change): Ask | undefined {
  const { workload, diff } = change;
  const inverse = diff.length === 0 ? undefined : inverseOf(change);
  if (inverse === undefined) return undefined;
  const { verb, args } = inverse;
  return { verb, region: workload.region, share: false, args: { name: `service/${workload.name}`, ...args } };
}

function inverseOf({ call, before }: Change): Inverse | undefined {
  switch (call.op) {
    case "startService":
      return { verb: "stop", args: {} };
    case "stopService":
      return { verb: "start", args: {} };
    case "updateService":
      return inverseUpdate(call.body, before);
    case "createJob":
    case "createService":
    case "deleteJob":
    case "deleteService":
    case "restartService":
      return undefined;
  }
}

/** A verb updates one field; a body with several has no single verb that takes it back. */
function inverseUpdate(body: Update, before: Change["before"]): Inverse | undefined {
  const { target_instance_size: size, containers, binding_domain_name: domains } = body;
  if ([size, containers, domains].filter((field) => field !== undefined).length !== 1) return undefined;
  if (size !== undefined) {
    const was = InstanceSize.safeParse(before?.size).data;
    return was === undefined ? undefined : { verb: "scale", args: { size: was } };
  }
  if (containers !== undefined) return memoryBack(containers, before);
  return domainsBack(before);
}

/** A container goes by its place in the list, as `memory` wrote it; its name has to be said where there are several. */
function memoryBack(updates: NonNullable<Update["containers"]>, before: Change["before"]): Inverse | undefined {
  const memory = before?.memoryMiB ?? [];
  const at = updates.findIndex(({ resources, resource }) => resources !== undefined || resource !== undefined);
  const mib = memory[at];
  if (!isUpdateMemory(mib)) return undefined;
  if (memory.length === 1) return { verb: "memory", args: { mib: String(mib) } };
  const container = updates[at]?.name;
  return container === undefined || container === ""
    ? undefined
    : { verb: "memory", args: { mib: String(mib), container } };
}

/** A service can hold names that we would not set; a list that would come out otherwise is no way back. */
function domainsBack(before: Change["before"]): Inverse | undefined {
  const domains = before?.domains;
  if (domains === undefined || domains.length > requestLimits.domains) return undefined;
  const isSettable = domains.every(isDomainName);
  return isSettable ? { verb: "domains", args: { edit: "set", domains: [...domains] } } : undefined;
}
