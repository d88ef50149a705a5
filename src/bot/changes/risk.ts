import type { Call } from "../../api/operations.ts";
import type { Risk } from "../policy/question.ts";
import type { Change, WriteOperationId } from "./change.ts";
import type { Snapshot } from "./snapshot.ts";
import { domainSet } from "./updatable-fields.ts";

type Update = Call<"updateService">["body"];

/** The risk of each operation; of an update, the highest of the fields that it sets. */
const table: { readonly [Op in WriteOperationId]: Risk | ((body: Update, before: Snapshot) => Risk) } = {
  createJob: "routine",
  createService: "routine",
  startService: "routine",
  restartService: "disruptive",
  stopService: "disruptive",
  deleteJob: "destructive",
  deleteService: "destructive",
  updateService: (body, before) => worst([sizeRisk(body, before), memoryRisk(body), domainRisk(body, before)]),
};

const order: readonly Risk[] = ["routine", "disruptive", "destructive"];

/** The risk of a Call, given the workload before. Pure. Only what is certainly harmless is routine. */
export function riskOf(call: Change["call"], before: Snapshot): Risk {
  const risk = table[call.op];
  if (typeof risk === "string") return risk;
  return risk(call.op === "updateService" ? call.body : {}, before);
}

/** An update without known fields isn't routine: the API may have added a field. */
function worst(risks: readonly (Risk | undefined)[]): Risk {
  return order.findLast((risk) => risks.includes(risk)) ?? "disruptive";
}

/** Only a certain increase is routine. */
function sizeRisk({ target_instance_size: wanted }: Update, before: Snapshot): Risk | undefined {
  if (wanted === undefined) return undefined;
  if (wanted === 0) return "destructive";
  return before?.size !== undefined && wanted > before.size ? "routine" : "disruptive";
}

/** A new limit restarts every instance, except where the engine changes it in place. */
function memoryRisk({ containers }: Update): Risk | undefined {
  return containers === undefined ? undefined : "disruptive";
}

/** The list replaces the old one: a domain that isn't in it is removed. */
function domainRisk({ binding_domain_name: wanted }: Update, before: Snapshot): Risk | undefined {
  if (wanted === undefined) return undefined;
  const kept = new Set(domainSet(wanted));
  // Where the API doesn't report the old list, any domain may be removed.
  return before?.domains !== undefined && domainSet(before.domains).every((domain) => kept.has(domain))
    ? "routine"
    : "destructive";
}
