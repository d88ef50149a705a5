import type { operations, paths } from "./schema.ts";

/** The 14 operations of `openapi.yaml`, by their `operationId`. */
export type OperationId = keyof operations;

type JsonBody<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined;
type QueryOf<Op extends OperationId> = operations[Op]["parameters"] extends { query?: infer Query }
  ? [Query] extends [undefined]
    ? undefined
    : Query
  : undefined;

/**
 * Everything one operation needs, as plain data that can be stored, shown and replayed. Without an argument: the union
 * of all operations.
 */
export type Call<Op extends OperationId = OperationId> = {
  [O in Op]: {
    readonly op: O;
    readonly path: Readonly<operations[O]["parameters"]["path"]>;
    readonly query: QueryOf<O>;
    readonly body: JsonBody<operations[O]["requestBody"]>;
  };
}[Op];

/** The body of a successful answer, as `openapi.yaml` describes it. */
export type Answer<Op extends OperationId> =
  operations[Op]["responses"][200]["content"][keyof operations[Op]["responses"][200]["content"]];

export type Operation = {
  /** Shown to people. */
  readonly title: string;
  /** A read may be repeated and shared; a write is sent once. */
  readonly effect: "read" | "write";
  /** Time limit of one attempt including its answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: keyof paths;
};

const reads = { effect: "read", timeoutMs: 5_000, method: "GET" } as const;
const writes = { effect: "write", timeoutMs: 10_000 } as const;
const JOB = "/v1/regions/{region}/jobs/{job_name}";
const SERVICE = "/v1/regions/{region}/services/{service_name}";

/** One row per operation: the compiler notices a missing one, and a test one with another method or path than the spec's. */
export const operationTable: Readonly<Record<OperationId, Operation>> = {
  listJobs: { title: "List jobs", ...reads, path: "/v1/regions/{region}/jobs" },
  getJob: { title: "Read job", ...reads, path: JOB },
  createJob: { title: "Create job", ...writes, method: "POST", path: JOB },
  deleteJob: { title: "Delete job", ...writes, method: "DELETE", path: JOB },
  getJobInstanceLogs: { title: "Read job log", ...reads, path: `${JOB}/instances/{instance_name}/logs` },
  listServices: { title: "List services", ...reads, path: "/v1/regions/{region}/services" },
  getService: { title: "Read service", ...reads, path: SERVICE },
  createService: { title: "Create service", ...writes, method: "POST", path: SERVICE },
  deleteService: { title: "Delete service", ...writes, method: "DELETE", path: SERVICE },
  updateService: { title: "Update service", ...writes, method: "PUT", path: SERVICE },
  startService: { title: "Start service", ...writes, method: "PUT", path: `${SERVICE}/start` },
  stopService: { title: "Stop service", ...writes, method: "PUT", path: `${SERVICE}/stop` },
  restartService: { title: "Restart service", ...writes, method: "PUT", path: `${SERVICE}/restart` },
  getServiceLogs: { title: "Read service log", ...reads, path: `${SERVICE}/logs` },
};
