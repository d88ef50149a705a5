import type { OperationId } from "../../api/operations.ts";

/** An action that a rule can name: an operation of the API, an update to another version, binding a channel, or watching. */
export type ActionId = OperationId | "deploy" | "bindChannel" | "watch";

/** The operations that change something. */
export const writeOperationIds = [
  "createJob",
  "deleteJob",
  "createService",
  "deleteService",
  "updateService",
  "startService",
  "stopService",
  "restartService",
] as const;
export type WriteOperationId = (typeof writeOperationIds)[number];

/**
 * How much harm a write can do: `routine` adds (create, start, scale up, add a domain), `disruptive` interrupts (restart, stop, scale down, memory), `destructive` removes (delete, scale to 0,
 * remove a domain). Creating something with an image that isn't known where it will run is disruptive: see
 * `commands/lookup/new-image.ts`.
 */
export type Risk = "routine" | "disruptive" | "destructive";

type OperationFacts = {
  readonly effect: "read" | "write";
  /** Undefined for a read, and for an update, whose risk depends on its fields: see `changes/updatable-fields.ts`. */
  readonly risk: Risk | undefined;
  /** Undefined for an action without a workload. */
  readonly kind: "service" | "job" | undefined;
  /** The same action on the other kind: a bare name doesn't say whether it is a service or a job. */
  readonly twin: ActionId | undefined;
  /** The operation that it is a kind of: rules for that are about it too. */
  readonly isA?: OperationId;
  /** Completes "no rule lets you …". */
  readonly verb: string;
};

const reads = { effect: "read", risk: undefined } as const; // a literal effect

/** One row per operation; a missing one does not compile. */
export const operationFacts: { readonly [Op in ActionId]: OperationFacts } = {
  listServices: { ...reads, kind: "service", twin: "listJobs", verb: "list" },
  listJobs: { ...reads, kind: "job", twin: "listServices", verb: "list" },
  getService: { ...reads, kind: "service", twin: "getJob", verb: "look at" },
  getJob: { ...reads, kind: "job", twin: "getService", verb: "look at" },
  getServiceLogs: { ...reads, kind: "service", twin: "getJobInstanceLogs", verb: "read the log of" },
  getJobInstanceLogs: { ...reads, kind: "job", twin: "getServiceLogs", verb: "read the log of" },
  createService: { effect: "write", risk: "routine", kind: "service", twin: undefined, verb: "create" },
  createJob: { effect: "write", risk: "routine", kind: "job", twin: undefined, verb: "create" },
  deleteService: { effect: "write", risk: "destructive", kind: "service", twin: "deleteJob", verb: "delete" },
  deleteJob: { effect: "write", risk: "destructive", kind: "job", twin: "deleteService", verb: "delete" },
  updateService: { effect: "write", risk: undefined, kind: "service", twin: undefined, verb: "change" },
  // Going back to a kept revision is routine.
  deploy: {
    effect: "write",
    risk: "disruptive",
    kind: "service",
    twin: undefined,
    isA: "updateService",
    verb: "change the version of",
  },
  startService: { effect: "write", risk: "routine", kind: "service", twin: undefined, verb: "start" },
  stopService: { effect: "write", risk: "disruptive", kind: "service", twin: undefined, verb: "stop" },
  restartService: { effect: "write", risk: "disruptive", kind: "service", twin: undefined, verb: "restart" },
  bindChannel: { effect: "write", risk: "routine", kind: undefined, twin: undefined, verb: "bind" },
  // It shows what happens to workloads, to whoever is in the place where it tells.
  watch: { ...reads, kind: undefined, twin: undefined, verb: "watch" },
};

export function isActionId(word: string): word is ActionId {
  return Object.hasOwn(operationFacts, word);
}
