import { orAborted } from "../../../../platform/waiting.ts";
import { KubeError } from "../cluster/kube-api.ts";
import type { CollectorParts } from "./collector-parts.ts";
import type { ContainerSource } from "./log-sources.ts";
import {
  cursorOf,
  DISORDER_MS,
  isAfter,
  isSame,
  makeCounter,
  momentOf,
  type Position,
  sinceOf,
  splitTimedLines,
  type TimedLine,
} from "./log-lines.ts";

export type Reading = {
  readonly source: ContainerSource;
  readonly after: Position | undefined;
  readonly run: number;
  /** `look` reads what is there of a container that runs, `rest` the same of one that doesn't. */
  readonly which: "follow" | "look" | "rest" | "previous";
  /** A follow of this run came to its end, so nothing is missing when Kubernetes has deleted the log since. */
  readonly wasFollowed: boolean;
  /** After how long without lines it ends, as of the lines that came. */
  readonly idleMs: () => number;
  readonly signal: AbortSignal;
  /** Called with the position of each line that the store took. */
  readonly onLine: (position: Position) => void;
  /** Called, also more than once, when the lines that were there came, or none for a while. */
  readonly onCaughtUp: () => void;
  /** Called after `turnMs`: `leave` ends the reading though lines may still come. */
  readonly onTurnOver: (leave: () => void) => void;
};

/** A log that sends nothing for so long has sent what was there. */
const SILENT_MS = 1_000;

type ReadingParts = Pick<CollectorParts, "api" | "clock" | "logs" | "ensureLeading" | "turnMs">;

/** How a reading ended: the log ended, no line came for long, or its turn was over. */
export type ReadingEnd = "end" | "idle" | "turn";

/**
 * Reads the log of one run of a container into the log store, from a position on, and each line once. Rejects as `podLog`
 * does.
 */
export async function readLog(parts: ReadingParts, reading: Reading): Promise<ReadingEnd> {
  const { source, after, which } = reading;
  const { clock } = parts;
  const stop = new AbortController();
  const signal = AbortSignal.any([reading.signal, stop.signal]);
  const chunks = await parts.api.podLog(
    {
      namespace: source.namespace,
      pod: source.pod,
      container: source.container,
      ...(which === "follow" && { follow: true }),
      ...(which === "previous" && { previous: true }),
      ...(after && { sinceTime: sinceOf(after) }),
    },
    signal,
  );
  let stopped: ReadingEnd | undefined;
  const stopAs = (end: ReadingEnd): void => {
    stopped = end;
    stop.abort();
  };
  let aliveAt = clock.elapsedMs();
  const check = (): void => {
    const leftMs = aliveAt + reading.idleMs() - clock.elapsedMs();
    if (leftMs <= 0) stopAs("idle");
    else idle = clock.after(leftMs, check);
  };
  let idle = clock.after(reading.idleMs(), check);
  const silent = clock.after(SILENT_MS, reading.onCaughtUp);
  const turn = clock.after(parts.turnMs, () => reading.onTurnOver(() => stopAs("turn")));
  try {
    await readChunks(chunks, {
      parts,
      reading,
      alive() {
        aliveAt = clock.elapsedMs();
        reading.onCaughtUp();
      },
    });
    return "end";
  } catch (error) {
    if (stopped === undefined || reading.signal.aborted) throw error;
    return stopped;
  } finally {
    for (const timer of [idle, silent, turn]) timer.cancel();
    stop.abort();
  }
}

type Chunks = { readonly parts: ReadingParts; readonly reading: Reading; readonly alive: () => unknown };

async function readChunks(chunks: AsyncIterable<Buffer>, { parts, reading, alive }: Chunks): Promise<void> {
  const lines = splitTimedLines();
  const take = makeTaker(parts, reading);
  for await (const chunk of chunks) {
    parts.ensureLeading();
    for (const line of lines.push(chunk)) {
      take(line);
      const room = parts.logs.room();
      if (room) await orAborted(room, reading.signal);
    }
    alive();
  }
  // A running container may be in the middle of a line: it is read again as a whole.
  if (reading.which === "rest" || reading.which === "previous") for (const line of lines.end()) take(line);
}

/** For a moment, the file of a container that was just started isn't there, and the kubelet says so instead of lines. */
export function isTooEarly(text: string): boolean {
  return text.startsWith("failed to try resolving symlinks in path");
}

/** The runtime removes what an old container wrote, and the kubelet says so instead of lines. */
function isDeleted(text: string): boolean {
  return text.startsWith("unable to retrieve container logs for ");
}

/** The kubelet's answer in place of lines. */
export function untimed(text: string): string {
  if (isDeleted(text)) return "lines can be missing: Kubernetes deleted the log of a run before it was read";
  return `Kubernetes wrote in place of lines: ${text}`;
}

/** Stores the lines after the position that the reading began with, and notes what is missing before them. */
function makeTaker(
  { logs }: ReadingParts,
  { source, after, run, which, wasFollowed, onLine }: Reading,
): (line: TimedLine) => void {
  const numbered = makeCounter(run);
  const note = (text: string) => logs.append(source.workload, source.pod, `[gantry] ${text}`);
  // The line at the position is in the log still, unless the file was replaced; a new run begins with a new file.
  let isConnected = after === undefined || run !== after.run;
  let newest = "";
  return ({ time, text }) => {
    if (time === undefined && isTooEarly(text) && which !== "previous") throw new KubeError(503, text);
    if (time === undefined) return wasFollowed && isDeleted(text) ? undefined : note(untimed(text));
    if (newest !== "" && momentOf(newest).getTime() - momentOf(time).getTime() > DISORDER_MS) {
      note(`the clock of the node was set back to ${momentOf(time).toISOString()}: lines from then on can be missing`);
      newest = time;
    }
    if (time > newest) newest = time;
    const position = numbered(time);
    if (after && !isAfter(position, after)) {
      isConnected ||= isSame(position, after);
      return undefined;
    }
    if (!isConnected) note("the container's log was rotated here: lines before the next one can be missing");
    isConnected = true;
    const { workload, pod: instance } = source;
    logs.collect({
      workload,
      source: sourceKey(source),
      instance,
      at: momentOf(time),
      text,
      cursor: cursorOf(position),
    });
    return onLine(position);
  };
}

/** A container's name in the log store. A pod of a StatefulSet that is created again has its name and another uid. */
export function sourceKey({ podUid, container }: Pick<ContainerSource, "podUid" | "container">): string {
  return `${podUid}/${container}`;
}
