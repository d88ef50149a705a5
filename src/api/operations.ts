import type { Client } from "openapi-fetch";
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

/** The part of `openapi-fetch`'s result that the client reads. */
export type Sent = { readonly response: Response };
type Api = Client<paths>;
/** Settings of one request; all requests share the client. */
export type SendOptions = {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: (request: Request) => Promise<Response>;
};

export type Operation<Op extends OperationId> = {
  /** Shown to people. */
  readonly title: string;
  /** A read may be repeated and shared; a write is sent once. */
  readonly effect: "read" | "write";
  /** Time limit of one attempt including its answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly send: (api: Api, call: Call<Op>, options: SendOptions) => Promise<Sent>;
};

const READ_MS = 5_000;
const WRITE_MS = 10_000;

/** One row per operation; a missing or mistyped one does not compile. */
export const operationTable: { readonly [Op in OperationId]: Operation<Op> } = {
  listJobs: {
    title: "List jobs",
    effect: "read",
    timeoutMs: READ_MS,
    send: (api, { path }, options) =>
      api.GET("/v1/regions/{region}/jobs", { params: { path }, parseAs: "stream", ...options }),
  },
  getJob: {
    title: "Read job",
    effect: "read",
    timeoutMs: READ_MS,
    send: (api, { path }, options) =>
      api.GET("/v1/regions/{region}/jobs/{job_name}", { params: { path }, parseAs: "stream", ...options }),
  },
  createJob: {
    title: "Create job",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path, body }, options) =>
      api.POST("/v1/regions/{region}/jobs/{job_name}", { params: { path }, body, parseAs: "stream", ...options }),
  },
  deleteJob: {
    title: "Delete job",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path }, options) =>
      api.DELETE("/v1/regions/{region}/jobs/{job_name}", { params: { path }, parseAs: "stream", ...options }),
  },
  getJobInstanceLogs: {
    title: "Read job log",
    effect: "read",
    timeoutMs: READ_MS,
    send: (api, { path, query }, options) =>
      api.GET("/v1/regions/{region}/jobs/{job_name}/instances/{instance_name}/logs", {
        params: { path, ...(query && { query }) },
        parseAs: "stream",
        ...options,
      }),
  },
  listServices: {
    title: "List services",
    effect: "read",
    timeoutMs: READ_MS,
    send: (api, { path }, options) =>
      api.GET("/v1/regions/{region}/services", { params: { path }, parseAs: "stream", ...options }),
  },
  getService: {
    title: "Read service",
    effect: "read",
    timeoutMs: READ_MS,
    send: (api, { path }, options) =>
      api.GET("/v1/regions/{region}/services/{service_name}", { params: { path }, parseAs: "stream", ...options }),
  },
  createService: {
    title: "Create service",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path, body }, options) =>
      api.POST("/v1/regions/{region}/services/{service_name}", {
        params: { path },
        body,
        parseAs: "stream",
        ...options,
      }),
  },
  deleteService: {
    title: "Delete service",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path }, options) =>
      api.DELETE("/v1/regions/{region}/services/{service_name}", { params: { path }, parseAs: "stream", ...options }),
  },
  updateService: {
    title: "Update service",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path, body }, options) =>
      api.PUT("/v1/regions/{region}/services/{service_name}", {
        params: { path },
        body,
        parseAs: "stream",
        ...options,
      }),
  },
  startService: {
    title: "Start service",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path }, options) =>
      api.PUT("/v1/regions/{region}/services/{service_name}/start", {
        params: { path },
        parseAs: "stream",
        ...options,
      }),
  },
  stopService: {
    title: "Stop service",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path }, options) =>
      api.PUT("/v1/regions/{region}/services/{service_name}/stop", { params: { path }, parseAs: "stream", ...options }),
  },
  restartService: {
    title: "Restart service",
    effect: "write",
    timeoutMs: WRITE_MS,
    send: (api, { path }, options) =>
      api.PUT("/v1/regions/{region}/services/{service_name}/restart", {
        params: { path },
        parseAs: "stream",
        ...options,
      }),
  },
  getServiceLogs: {
    title: "Read service log",
    effect: "read",
    timeoutMs: READ_MS,
    send: (api, { path, query }, options) =>
      api.GET("/v1/regions/{region}/services/{service_name}/logs", {
        params: { path, ...(query && { query }) },
        parseAs: "stream",
        ...options,
      }),
  },
};
