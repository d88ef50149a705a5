import type { Call } from "../api/operations.ts";

/** The operations that change something. */
export type WriteOperationId =
  | "createJob"
  | "deleteJob"
  | "createService"
  | "deleteService"
  | "updateService"
  | "startService"
  | "stopService"
  | "restartService";

/** Which workload: the name is the API's only key, the `uid` tells a workload from its namesake made later. */
export type WorkloadRef = {
  readonly kind: "service" | "job";
  readonly region: string;
  readonly name: string;
  readonly uid: string | undefined;
};

/** The fields of a workload that a write can change or depends on, as read; `undefined` when it does not exist. */
export type Snapshot =
  | {
      readonly uid: string | undefined;
      readonly status: string | undefined;
      readonly size: number | undefined;
      /** MiB by container, in the order of the containers. */
      readonly memoryMiB: readonly (number | undefined)[];
      readonly domains: readonly string[];
    }
  | undefined;

/** What a write would do: the exact Call, what was read before it, and what changes in words. */
export type Change = {
  readonly call: Call<WriteOperationId>;
  readonly workload: WorkloadRef;
  readonly before: Snapshot;
  /** `instances 2 → 6`, one change a line. Empty: it is already so, and nothing needs to be sent. */
  readonly diff: readonly string[];
};
