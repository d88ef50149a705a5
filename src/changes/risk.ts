import type { Call } from "../api/operations.ts";
import type { Risk } from "../policy/question.ts";
import type { Change, WriteOperationId } from "./change.ts";
import type { Snapshot } from "./snapshot.ts";
import { domainSet } from "./updatable-fields.ts";

type Update = Call<"updateService">["body"];

/** How much each operation can hurt; an update hurts as much as the worst of the fields that it sets. */
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

/** The risk of a Call, given what was read before it. Pure. What is not certain to be harmless is not called routine. */
export function riskOf(call: Change["call"], before: Snapshot): Risk {
  const risk = table[call.op];
  if (typeof risk === "string") return risk;
  return risk(call.op === "updateService" ? call.body : {}, before);
}

/** An update without any field that is known here may do anything the API adds one day: it is not called routine. */
function worst(risks: readonly (Risk | undefined)[]): Risk {
  return order.findLast((risk) => risks.includes(risk)) ?? "disruptive";
}

/** Only what is certain to be more than before is routine. */
function sizeRisk({ target_instance_size: wanted }: Update, before: Snapshot): Risk | undefined {
  if (wanted === undefined) return undefined;
  if (wanted === 0) return "destructive";
  return before?.size !== undefined && wanted > before.size ? "routine" : "disruptive";
}

/** Every instance is started anew with another limit, whichever way it goes. */
function memoryRisk({ containers }: Update): Risk | undefined {
  return containers === undefined ? undefined : "disruptive";
}

/** The whole list is set: what was bound before and is not in it is taken away. */
function domainRisk({ binding_domain_name: wanted }: Update, before: Snapshot): Risk | undefined {
  if (wanted === undefined) return undefined;
  const kept = new Set(domainSet(wanted));
  return before !== undefined && domainSet(before.domains).every((domain) => kept.has(domain))
    ? "routine"
    : "destructive";
}
