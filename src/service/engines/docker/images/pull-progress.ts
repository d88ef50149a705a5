import type { PullLine } from "../daemon/daemon-api.ts";

/** How far a pull has come, from the lines of its answer. */
export type PullProgress = {
  /**
   * Takes the next line; returns whether the pull has come further. A download that broke off and is tried again hasn't
   * until it passes the point that it had reached.
   */
  readonly take: (line: PullLine) => boolean;
  /**
   * Whether the registry should be sending. If not, layers wait for their turn or are unpacked; both may take long, and
   * Podman says nothing meanwhile.
   */
  readonly expectsData: () => boolean;
  /** "2 of 3 layers, 120 MB"; undefined before the first layer is known. */
  readonly text: () => string | undefined;
};

type Layer = { readonly stage: "loading" | "waiting" | "loaded"; readonly bytes: number };

/** What Docker and Podman say of a layer; they say other things of the pull as a whole. */
const stages: Readonly<Record<string, Layer["stage"]>> = {
  "Pulling fs layer": "loading",
  Waiting: "waiting",
  Downloading: "loading",
  Retrying: "loading",
  "Verifying Checksum": "loaded",
  "Download complete": "loaded",
  Extracting: "loaded",
  "Pull complete": "loaded",
  "Already exists": "loaded",
};

export function makePullProgress(): PullProgress {
  const layers = new Map<string, Layer>();
  /** The most bytes of each step of each layer. */
  const reached = new Map<string, number>();
  return {
    take({ id = "", status = "", progressDetail }) {
      // Docker counts the seconds down: "Retrying in 5 seconds".
      const step = status.startsWith("Retrying") ? "Retrying" : status;
      const { current = 0 } = progressDetail ?? {};
      const stage = stages[step];
      const bytes = step === "Downloading" ? current : 0;
      if (stage) layers.set(id, { stage, bytes: Math.max(bytes, layers.get(id)?.bytes ?? 0) });
      const key = `${id} ${step}`;
      const isFurther = current > (reached.get(key) ?? -1);
      if (isFurther) reached.set(key, current);
      return isFurther;
    },
    expectsData: () => layers.size === 0 || [...layers.values()].some(({ stage }) => stage === "loading"),
    text() {
      const known = [...layers.values()];
      const loaded = known.filter(({ stage }) => stage === "loaded").length;
      const megabytes = Math.round(known.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000);
      return known.length === 0 ? undefined : `${loaded} of ${known.length} layers, ${megabytes} MB`;
    },
  };
}
