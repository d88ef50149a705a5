import type { Clock } from "../../../../platform/clock.ts";
import { fewAtOnce } from "../../../../platform/waiting.ts";
import { Refusal } from "../../../engine.ts";
import { dayOf } from "../../../workloads/logs/log-writer.ts";
import type { Pod } from "../cluster/kinds.ts";
import { KubeError, missingRightOf } from "../cluster/kube-api.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import type { Region } from "../regions.ts";
import {
  DISORDER_MS,
  type InstanceLine,
  type LoggedWorkload,
  momentOf,
  type PageOptions,
  type RegionLogs,
  splitTimedLines,
  type TimedLine,
} from "./region-logs.ts";

/** The bot waits 5 s for an answer. */
const PAGE_MS = 4_000;
/** Each line of a page, and each newer one, is held until the page is complete. */
const MAX_LINES = 100_000;
const MAX_BYTES = 64 * 2 ** 20;
const OPEN_AT_ONCE = 20;
/** A runtime cuts longer lines into pieces, each of which counts for `tailLines`, so a tail can begin inside of a line. */
const PIECE_BYTES = 16 * 1024;
const DAY_MS = 24 * 3_600_000;

type LiveParts = { readonly region: Pick<Region, "api" | "cacheOf">; readonly clock: Pick<Clock, "now" | "limit"> };

/** The logs of a region whose pods' lines are nowhere else. */
export function liveLogs(parts: LiveParts): RegionLogs {
  return {
    page: (workload, options) => livePage(parts, workload, options),
    // A pod takes its lines with it.
    hasInstance: async () => false,
  };
}

/**
 * A page of the lines that Kubernetes still has, as `kubectl logs` would show them: of the pods that exist, the current run
 * of each container and the one before. A position is counted from the newest line that is there now: nothing is remembered
 * between requests, so it moves when lines come, and older ones go with their pod, run or file. Where they may have gone, a
 * note is the oldest line. Rejects with a `Refusal`.
 */
async function livePage(
  { region, clock }: LiveParts,
  workload: LoggedWorkload,
  { day, instance, from, size, signal }: PageOptions,
): Promise<readonly InstanceLine[]> {
  if (from + size > MAX_LINES) throw tooMuch(`from and size together may be at most ${MAX_LINES} here`);
  const now = clock.now();
  const today = dayOf(now);
  if (day < workload.createdAt.slice(0, 10) || day > today) return [];
  const late = clock.limit(PAGE_MS);
  const reading: PageReading = {
    api: region.api,
    day,
    isNewest: day === today,
    most: Math.max(1, from + size),
    signal: AbortSignal.any([signal, late]),
    late,
    held: { bytes: 0 },
  };
  const pods = region
    .cacheOf(workload.namespace)
    .all("Pod")
    .filter(({ metadata: { name } }) => (instance === undefined ? workload.pods.includes(name) : name === instance));
  const read = await fewAtOnce(pods.flatMap(sourcesOf), OPEN_AT_ONCE, (source) => readContainer(reading, source)).catch(
    (error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw refusalOf(error, { doing: `read the log of ${workload.name}`, wrote: false });
    },
  );
  const lines = read
    .flatMap((each) => each.lines)
    .toSorted(({ time: left }, { time: right }) => (left < right ? -1 : left > right ? 1 : 0));
  const firstMs = Date.parse(workload.createdAt) + WITH_IT_MS;
  const isAnother = ({ metadata: { creationTimestamp: at } }: Pod): boolean =>
    at.slice(0, 10) >= day && Date.parse(at) > firstMs;
  const isCut =
    day < today ||
    read.some((each) => each.isCut) ||
    (instance === undefined && (pods.length === 0 ? now.getTime() > firstMs : pods.some(isAnother)));
  const what = lines.length === 0 ? `no lines of ${day} are left` : `older lines of ${day} can be missing`;
  const note = (text: string): InstanceLine => ({
    instance: instance ?? workload.pods[0] ?? workload.name,
    line: `[gantry] ${text}`,
  });
  const all = [
    ...(isCut ? [note(`${what}: ${KEPT}`)] : []),
    ...lines,
    ...[...new Set(read.flatMap((each) => each.notes))].map(note),
  ];
  return all.slice(Math.max(0, all.length - from - size), Math.max(0, all.length - from));
}

export const KEPT =
  "Kubernetes keeps only the newest lines of pods that still exist. With Loki, older lines stay readable.";

/** The first pods are made with their workload: one that was made later that day may have replaced another. */
const WITH_IT_MS = 60_000;

type PageReading = {
  readonly api: Pick<Region["api"], "podLog">;
  readonly day: string;
  /** False for a day that is over: its lines aren't the newest. */
  readonly isNewest: boolean;
  readonly most: number;
  readonly signal: AbortSignal;
  readonly late: AbortSignal;
  /** Of all containers of this page together. */
  readonly held: { bytes: number };
};

/** `time` never goes back inside of a container, so that sorting keeps the order of its lines. */
type LiveLine = InstanceLine & { readonly time: string };
type ReadContainer = {
  readonly lines: readonly LiveLine[];
  /** Why newer lines are missing. */
  readonly notes: readonly string[];
  /** Kubernetes no longer has all of its runs of this day. */
  readonly isCut: boolean;
};

async function readContainer(reading: PageReading, source: ContainerSource): Promise<ReadContainer> {
  const { run, isWaiting, previousStartedAt = "" } = source;
  const notes: string[] = [];
  // While it waits, its last run is the only one that can be read.
  const kept = isWaiting ? 1 : 2;
  let isCut = run >= kept && previousStartedAt.slice(0, 10) >= reading.day;
  const runOf = async (previous: boolean, most: number): Promise<readonly LiveLine[]> => {
    try {
      return await readRun(reading, source, { previous, most });
    } catch (error) {
      if (previous && error instanceof KubeError && error.status === 400) isCut = true;
      else notes.push(...notesFor(error, reading, source));
      return [];
    }
  };
  const current = await runOf(false, reading.most);
  const missing = reading.most - current.length;
  const before = run > 0 && !isWaiting && missing > 0 ? await runOf(true, missing) : [];
  return { lines: [...before, ...current], notes, isCut };
}

/** Says whose lines couldn't be read, unless the pod is gone. Throws what concerns all containers. */
function notesFor(error: unknown, { late }: PageReading, { pod }: ContainerSource): string[] {
  if (late.aborted) return [`lines of ${pod} are missing: Kubernetes took too long to send them`];
  if (!(error instanceof KubeError) || missingRightOf(error)) throw error;
  return error.status === 404 ? [] : [`lines of ${pod} are missing: ${error.message}`];
}

type Run = { readonly previous: boolean; readonly most: number };

async function readRun(reading: PageReading, source: ContainerSource, run: Run): Promise<readonly LiveLine[]> {
  if (!reading.isNewest) return await readLines(reading, source, run);
  // One more, because the first one may be a piece.
  const tail = run.most + 1;
  const lines = await readLines(reading, source, { previous: run.previous, most: tail, tail });
  const hasPieces = lines.length < tail && lines.some(({ line }) => Buffer.byteLength(line) >= PIECE_BYTES);
  return hasPieces ? await readLines(reading, source, run) : lines.slice(-run.most);
}

async function readLines(
  { api, day, signal, held }: PageReading,
  { namespace, pod, container, isRunning }: ContainerSource,
  { previous, most, tail }: Run & { readonly tail?: number },
): Promise<readonly LiveLine[]> {
  const enough = new AbortController();
  const chunks = await api.podLog(
    {
      namespace,
      pod,
      container,
      ...(previous && { previous }),
      ...(tail !== undefined && { tailLines: tail }),
      sinceTime: `${day}T00:00:00Z`,
    },
    AbortSignal.any([signal, enough.signal]),
  );
  const end = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
  let lines: LiveLine[] = [];
  let newest = "";
  const take = ({ time, text }: TimedLine): void => {
    if (time === undefined && text.startsWith(NO_FILE_YET)) return;
    if (time === undefined && text.startsWith(DELETED)) throw new KubeError(400, text);
    if (time !== undefined) {
      const at = momentOf(time).getTime();
      if (at >= end + DISORDER_MS) enough.abort();
      if (dayOf(new Date(at)) !== day) return;
      if (time > newest) newest = time;
    }
    held.bytes += text.length;
    if (held.bytes > MAX_BYTES) throw tooMuch("these are too many lines to read them live from Kubernetes");
    lines.push({
      instance: pod,
      line: time === undefined ? `[gantry] Kubernetes wrote in place of lines: ${text}` : text,
      time: newest,
    });
    if (lines.length < 2 * most) return;
    for (const { line } of lines.slice(0, -most)) held.bytes -= line.length;
    lines = lines.slice(-most);
  };
  const split = splitTimedLines();
  try {
    for await (const chunk of chunks) {
      for (const line of split.push(chunk)) take(line);
      if (enough.signal.aborted) break;
    }
    // What a running container hasn't ended yet isn't a line: a follower would read it again as another one.
    if (previous || !isRunning) for (const line of split.end()) take(line);
  } finally {
    enough.abort();
  }
  return lines.slice(-most);
}

/** What the kubelet says in place of lines: for a moment at the start of a container, and of a run that the runtime removed. */
const NO_FILE_YET = "failed to try resolving symlinks in path";
const DELETED = "unable to retrieve container logs for ";

function tooMuch(what: string): Refusal {
  return new Refusal(400, `${what}, because the log is read live from Kubernetes: read another day, or fewer lines`);
}

/** A container of a pod that has or had a run. */
type ContainerSource = {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** How often it was restarted: each run has a log of its own, of which Kubernetes keeps the last two. */
  readonly run: number;
  readonly isRunning: boolean;
  /** Its last run has ended, and another one will start. */
  readonly isWaiting: boolean;
  /** When the run before began, or the last one if it is waiting: 2026-11-21T10:00:00Z. */
  readonly previousStartedAt: string | undefined;
};

/** The containers of a pod, init containers first. */
function sourcesOf({ metadata: { name: pod, namespace }, status }: Pod): readonly ContainerSource[] {
  return [...status.initContainerStatuses, ...status.containerStatuses].flatMap(
    ({ name: container, restartCount: run, state, lastState }) => {
      const previous = lastState?.terminated;
      const isRunning = state?.running !== undefined;
      const isWaiting = !isRunning && state?.terminated === undefined;
      if (isWaiting && !previous) return [];
      return [{ namespace, pod, container, run, isRunning, isWaiting, previousStartedAt: previous?.startedAt }];
    },
  );
}
