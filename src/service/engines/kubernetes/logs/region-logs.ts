/** A service or job whose log is read. */
export type LoggedWorkload = {
  readonly namespace: string;
  /** In the API; an adopted one's object can have another name. */
  readonly name: string;
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet" | "Job";
  readonly objectName: string;
  /** As Kubernetes says it: 2026-11-21T10:00:00Z. */
  readonly createdAt: string;
  /** Names of its pods, as far as they exist. */
  readonly pods: readonly string[];
};

export type PageOptions = {
  readonly instance?: string | undefined;
  /** 2026-11-21, in UTC */
  readonly day: string;
  /** How many of the newest lines are left out. */
  readonly from: number;
  readonly size: number;
  readonly signal: AbortSignal;
};

export type InstanceLine = { readonly instance: string; readonly line: string };

/** Where the logs of one region are read: from Kubernetes, or from Loki. */
export type RegionLogs = {
  /** Lines of a day, counted from the newest; oldest first inside the page. Rejects with a `Refusal`. */
  readonly page: (workload: LoggedWorkload, options: PageOptions) => Promise<readonly InstanceLine[]>;
  /** Whether there is a log of this instance, whose pod is gone. Rejects with a `Refusal`. */
  readonly hasInstance: (workload: LoggedWorkload, instance: string, signal: AbortSignal) => Promise<boolean>;
};
