import type { PostgresOptions } from "../../../platform/database/postgres.ts";
import type { ClusterConfig } from "./cluster/cluster-config.ts";

/** How the Kubernetes engine is opened. */
export type KubernetesEngineOptions = {
  /** For the log store on SQLite; workloads have no file, the cluster is the truth. */
  readonly dataDir: string;
  /** The PostgreSQL database of the logs, for several replicas; SQLite in `dataDir` without it. */
  readonly database: Pick<PostgresOptions, "url" | "tls"> | undefined;
  readonly clusters: readonly ClusterConfig[];
  readonly users: readonly string[];
  /** Background actions and failures, for the caller's log. */
  readonly onEvent: (message: string, data: object) => void;
  readonly now?: () => Date;
  /** How many times a failed job is tried again; 6. */
  readonly jobRetries?: number;
};
