import type { OperationId } from "../api/operations.ts";

/** What a rule can speak of by its id: an operation of the API, or the one thing that Gantry does without it. */
export type ActionId = OperationId | "bindChannel";

type OperationFacts = {
  readonly effect: "read" | "write";
  /** Undefined for what is about no workload. */
  readonly kind: "service" | "job" | undefined;
  /** What the same words of a person may mean as well, as long as nobody knows whether they mean a service or a job. */
  readonly twin: ActionId | undefined;
  /** As in "no rule lets you …", before the workload. */
  readonly verb: string;
};

/** What policy has to know of each operation; a new one does not compile until it stands here. */
export const operationFacts: { readonly [Op in ActionId]: OperationFacts } = {
  listServices: { effect: "read", kind: "service", twin: "listJobs", verb: "list" },
  listJobs: { effect: "read", kind: "job", twin: "listServices", verb: "list" },
  getService: { effect: "read", kind: "service", twin: "getJob", verb: "look at" },
  getJob: { effect: "read", kind: "job", twin: "getService", verb: "look at" },
  getServiceLogs: { effect: "read", kind: "service", twin: "getJobInstanceLogs", verb: "read the log of" },
  getJobInstanceLogs: { effect: "read", kind: "job", twin: "getServiceLogs", verb: "read the log of" },
  createService: { effect: "write", kind: "service", twin: undefined, verb: "create" },
  createJob: { effect: "write", kind: "job", twin: undefined, verb: "create" },
  deleteService: { effect: "write", kind: "service", twin: "deleteJob", verb: "delete" },
  deleteJob: { effect: "write", kind: "job", twin: "deleteService", verb: "delete" },
  updateService: { effect: "write", kind: "service", twin: undefined, verb: "change" },
  startService: { effect: "write", kind: "service", twin: undefined, verb: "start" },
  stopService: { effect: "write", kind: "service", twin: undefined, verb: "stop" },
  restartService: { effect: "write", kind: "service", twin: undefined, verb: "restart" },
  bindChannel: { effect: "write", kind: undefined, twin: undefined, verb: "bind" },
};

/** Narrows a word to the id of something that a rule can speak of. */
export function isDeedId(word: string): word is ActionId {
  return Object.hasOwn(operationFacts, word);
}
