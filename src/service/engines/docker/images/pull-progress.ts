import type { Clock, Timer } from "../../../../platform/clock.ts";
import { duration } from "../../../workloads/lifecycle/back-off.ts";
import type { Line as PullLine } from "../daemon/daemon-answers.ts";

/** In milliseconds. */
export type PullLimits = {
  /** Until the registry has answered. Docker itself gives up after 15 s, Podman never. */
  readonly answer: number;
  /** Without a further byte of a download. */
  readonly data: number;
  /** Without any progress while layers are unpacked or wait for other pulls. */
  readonly rest: number;
  /** Between two notes. */
  readonly note: number;
};

export const PULL_LIMITS: PullLimits = { answer: 30_000, data: 60_000, rest: 600_000, note: 30_000 };

/** Gives up a pull that makes no progress, and reports its progress now and then. */
export function watchPull(
  limits: PullLimits,
  clock: Pick<Clock, "elapsedMs" | "after">,
  note: (howFar: string) => void,
) {
  const { rest, data, answer } = limits;
  const givenUp = new AbortController();
  const progress = makePullProgress();
  let hasAnswered = false;
  let movedAt = clock.elapsedMs();
  let notedAt = movedAt;
  const everyMs = Math.min(1_000, answer / 4, data / 4, limits.note / 4);
  let why: string | undefined;

  function giveUpAfter(): { readonly ms: number; readonly why: string } {
    if (!hasAnswered) return { ms: answer, why: `hasn't answered for ${duration(answer)}` };
    if (progress.expectsData()) return { ms: data, why: `has sent nothing for ${duration(data)}` };
    return { ms: rest, why: `has sent everything, but nothing was unpacked for ${duration(rest)}` };
  }

  function check(): void {
    timer = clock.after(everyMs, check);
    const now = clock.elapsedMs();
    const limit = giveUpAfter();
    if (now - movedAt >= limit.ms) {
      const { text } = progress;
      why = text() === undefined ? limit.why : `${limit.why} (${text()})`;
      givenUp.abort();
    } else if (now - notedAt >= limits.note) {
      notedAt = now;
      note(progress.text() ?? "the registry hasn't answered yet");
    }
  }

  let timer: Timer = clock.after(everyMs, check);
  return {
    take(line: PullLine) {
      hasAnswered = true;
      if (progress.take(line)) movedAt = clock.elapsedMs();
    },
    /** Aborted when the pull is given up. */
    signal: givenUp.signal,
    /** Why it was given up, as a clause about the registry. */
    whyGivenUp: () => why,
    end: () => timer.cancel(),
  };
}

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

/** How far a pull has come, from the lines of its answer. */
export function makePullProgress() {
  const layers = new Map<string, Layer>();
  /** The most bytes of each step of each layer. */
  const reached = new Map<string, number>();
  return {
    /**
     * Takes the next line; returns whether the pull has come further. A download that broke off and is tried again hasn't
     * until it passes the point that it had reached.
     */
    take({ id = "", status = "", progressDetail }: PullLine) {
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
    /**
     * Whether the registry should be sending. If not, layers wait for their turn or are unpacked; both may take long, and
     * Podman says nothing meanwhile.
     */
    expectsData: () => layers.size === 0 || [...layers.values()].some(({ stage }) => stage === "loading"),
    /** "2 of 3 layers, 120 MB"; undefined before the first layer is known. */
    text: () => {
      const known = [...layers.values()];
      const loaded = known.filter(({ stage }) => stage === "loaded").length;
      const megabytes = Math.round(known.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000);
      return known.length === 0 ? undefined : `${loaded} of ${known.length} layers, ${megabytes} MB`;
    },
  };
}
