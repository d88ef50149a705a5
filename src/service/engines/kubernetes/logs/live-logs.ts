import type { Clock } from "../../../../platform/clock.ts";
import { fewAtOnce } from "../../../../platform/waiting.ts";
import { Refusal } from "../../../engine.ts";
import { dayOf } from "../../../workloads/logs/log-writer.ts";
import { KubeError, missingRightOf } from "../cluster/kube-api.ts";
import { refusalOf } from "../cluster/refusal-of.ts";
import type { Region } from "../regions.ts";
import { type ContainerSource, shownSources } from "./log-sources.ts";
import { isTooEarly, untimed } from "./log-reading.ts";
import { DISORDER_MS, momentOf, splitTimedLines, type TimedLine } from "./log-lines.ts";
import { type InstanceLine, type LoggedWorkload, type PageOptions, speakerOf, withNotes } from "./region-logs.ts";

/** The bot waits 5 s for an answer. */
const PAGE_MS = 4_000;
/** Each line of a page, and each newer one, is held until the page is complete. */
const MAX_LINES = 100_000;
const MAX_BYTES = 64 * 2 ** 20;
const OPEN_AT_ONCE = 20;
/** A runtime cuts longer lines into pieces, each of which counts for `tailLines`, so a tail can begin inside of a line. */
const PIECE_BYTES = 16 * 1024;
const DAY_MS = 24 * 3_600_000;

/**
 * A page of the lines that Kubernetes still has, as `kubectl logs` would show them: of the pods that exist, the current run
 * of each container and the one before. The newest line says what can be missing, after `why`. Rejects with a `Refusal`.
 */
export async function livePage(
  { region, clock }: { readonly region: Pick<Region, "api" | "cacheOf">; readonly clock: Pick<Clock, "now" | "limit"> },
  workload: LoggedWorkload,
  { why, ...options }: PageOptions & { readonly why: string },
): Promise<readonly InstanceLine[]> {
  const { day, instance, from, size } = options;
  if (from + size > MAX_LINES) throw tooMuch(`from and size together may be at most ${MAX_LINES} here`);
  const today = dayOf(clock.now());
  if (day < workload.createdAt.slice(0, 10) || day > today) return [];
  const late = clock.limit(PAGE_MS);
  const reading: PageReading = {
    api: region.api,
    day,
    isNewest: day === today,
    most: Math.max(1, from + size),
    signal: AbortSignal.any([options.signal, late]),
    late,
    held: { bytes: 0 },
  };
  const sources = shownSources(region, workload, instance);
  const read = await fewAtOnce(sources, OPEN_AT_ONCE, (source) => readContainer(reading, source)).catch(
    (error: unknown) => {
      if (options.signal.aborted) throw options.signal.reason;
      throw refusalOf(error, { doing: `read the log of ${workload.name}`, wrote: false });
    },
  );
  const lines = read
    .flatMap((each) => each.lines)
    .toSorted(({ time: left }, { time: right }) => (left < right ? -1 : left > right ? 1 : 0));
  const speaker = instance ?? speakerOf(workload);
  const missing =
    day === today
      ? "lines of pods that are gone, and of all but the last two runs of a container, are missing"
      : `of ${day}, it shows only what Kubernetes still has: lines of pods that are gone are missing`;
  const notes = [...read.flatMap((each) => each.notes), `${why}: ${missing}`];
  return await withNotes({ from, size, speaker, notes }, async (skip, count) =>
    lines.slice(Math.max(0, lines.length - skip - count), Math.max(0, lines.length - skip)),
  );
}

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
type ReadContainer = { readonly lines: readonly LiveLine[]; readonly notes: readonly string[] };

async function readContainer(reading: PageReading, source: ContainerSource): Promise<ReadContainer> {
  const notes: string[] = [];
  const runOf = async (previous: boolean, most: number): Promise<readonly LiveLine[]> => {
    try {
      return await readRun(reading, source, { previous, most });
    } catch (error) {
      const note = noteFor(error, { reading, source, previous });
      if (note !== undefined) notes.push(note);
      return [];
    }
  };
  const current = await runOf(false, reading.most);
  const missing = reading.most - current.length;
  const before = source.state.run > 0 && missing > 0 ? await runOf(true, missing) : [];
  return { lines: [...before, ...current], notes };
}

type Failed = { readonly reading: PageReading; readonly source: ContainerSource; readonly previous: boolean };

/** Says which lines couldn't be read; undefined for a pod that is gone. Throws what concerns all containers. */
function noteFor(error: unknown, { reading, source, previous }: Failed): string | undefined {
  const { pod } = source;
  if (reading.late.aborted) return `lines of ${pod} are missing: Kubernetes took too long to send them`;
  if (!(error instanceof KubeError) || missingRightOf(error)) throw error;
  if (error.status === 404) return undefined;
  return previous
    ? `lines before the last restart of ${pod} can be missing: ${error.message}`
    : `lines of ${pod} are missing: ${error.message}`;
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
  { namespace, pod, container, state }: ContainerSource,
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
    if (time === undefined && isTooEarly(text)) return;
    if (time !== undefined) {
      const at = momentOf(time).getTime();
      if (at >= end + DISORDER_MS) enough.abort();
      if (dayOf(new Date(at)) !== day) return;
      if (time > newest) newest = time;
    }
    held.bytes += text.length;
    if (held.bytes > MAX_BYTES) throw tooMuch("these are too many lines to read them live from Kubernetes");
    lines.push({ instance: pod, line: time === undefined ? `[gantry] ${untimed(text)}` : text, time: newest });
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
    // What a running container hasn't ended yet isn't a line, as in a log that is collected.
    if (previous || state.is !== "running") for (const line of split.end()) take(line);
  } finally {
    enough.abort();
  }
  return lines.slice(-most);
}

function tooMuch(what: string): Refusal {
  return new Refusal(400, `${what}, because the log is read live from Kubernetes: read another day, or fewer lines`);
}
