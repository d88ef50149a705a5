import type { Clock } from "../../../../platform/clock.ts";
import type { BackOff } from "../../../workloads/lifecycle/back-off.ts";
import type { LogWriter } from "../../../workloads/logs/log-writer.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { KubeApi } from "../cluster/kube-api.ts";
import type { Opening, Places } from "./open-limits.ts";

/** Times in milliseconds. */
export type CollectorLimits = {
  /** Logs that are open at the same time, in all namespaces; more take turns. */
  readonly openLogs: number;
  readonly turnMs: number;
  /**
   * A follow can fall silent when the kubelet rotates the log (kubernetes#115701), so one without lines is opened again: after
   * as long as the log was quiet before. Only what is written makes a log rotate, so a quiet one needs it seldom.
   */
  readonly idleMs: number;
  readonly longestIdleMs: number;
  /** A log beyond the open ones is looked at after as long as it was quiet, at most this long, and when somebody reads it. */
  readonly longestRestMs: number;
  /** Requests for logs, in all namespaces. */
  readonly opensPerSecond: number;
  readonly backOffMs: BackOff;
  readonly beatMs: number;
  readonly renewMs: number;
  readonly leaseMs: number;
  /** A lease whose holder had another log store is taken over after so long without a renewal. */
  readonly otherStoreMs: number;
  /** The same after its holder gave it back. */
  readonly releasedMs: number;
};

export const collectorLimits: CollectorLimits = {
  openLogs: 500,
  turnMs: 10_000,
  idleMs: 120_000,
  longestIdleMs: 3_600_000,
  longestRestMs: 600_000,
  opensPerSecond: 20,
  backOffMs: { first: 1_000, max: 60_000 },
  beatMs: 20_000,
  renewMs: 5_000,
  leaseMs: 15_000,
  otherStoreMs: 3_600_000,
  releasedMs: 300_000,
};

/** What all readers of a region's logs share while this replica collects them. */
export type CollectorParts = CollectorLimits & {
  readonly api: Pick<KubeApi, "podLog">;
  readonly config: ClusterConfig;
  readonly logs: LogWriter;
  readonly clock: Clock;
  readonly onEvent: (message: string, data: object) => void;
  /** This replica, as the lease names it. */
  readonly collector: string;
  /** Throws when another server may collect by now: a process that was paused must not go on. */
  readonly ensureLeading: () => void;
  readonly opening: Opening;
  /** For logs that are followed. */
  readonly places: Places;
  /** For short looks at logs that have no place. */
  readonly looks: Places;
  /** Of all namespaces: each looks at the containers of a workload that aren't followed. */
  readonly lookers: Set<(workload: string) => Promise<void>>;
};
