/** A service or job whose log is read. */
export type LoggedWorkload = {
  readonly region: string;
  readonly namespace: string;
  readonly uid: string;
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

/** Where the logs of one region are read: from the log store, or from Loki. */
export type RegionLogs = {
  /** Lines of a day, counted from the newest; oldest first inside the page. Rejects with a `Refusal`. */
  readonly page: (workload: LoggedWorkload, options: PageOptions) => Promise<readonly InstanceLine[]>;
  /** Whether there is a log of this instance, whose pod may be gone. Rejects with a `Refusal`. */
  readonly hasInstance: (workload: LoggedWorkload, instance: string, signal: AbortSignal) => Promise<boolean>;
  /** Instances of which there is a log, oldest first; none where finding them is too expensive. Rejects with a `Refusal`. */
  readonly instances: (workload: LoggedWorkload) => Promise<readonly string[]>;
};

type Noted = Pick<PageOptions, "from" | "size"> & {
  /** The instance that the notes are of. */
  readonly speaker: string;
  /** Without `[gantry]`; the newest one last. */
  readonly notes: readonly string[];
};

/** A page of a log whose newest lines are these notes, so that pages stay consistent. `read` reads the log itself. */
export async function withNotes(
  { from, size, speaker, notes }: Noted,
  read: (from: number, size: number) => Promise<readonly InstanceLine[]>,
): Promise<readonly InstanceLine[]> {
  const shown = notes.slice(Math.max(0, notes.length - from - size), Math.max(0, notes.length - from));
  const rest = size - shown.length;
  const lines = rest > 0 ? await read(Math.max(0, from - notes.length), rest) : [];
  return [...lines, ...shown.map((note) => ({ instance: speaker, line: `[gantry] ${note}` }))];
}

/** A line of a service names an instance; without one, the workload itself. */
export function speakerOf({ pods, name }: LoggedWorkload): string {
  return pods[0] ?? name;
}
