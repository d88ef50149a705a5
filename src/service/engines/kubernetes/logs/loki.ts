import { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import { Refusal } from "../../../engine.ts";
import type { LokiConfig } from "../cluster/cluster-config.ts";
import type { InstanceLine, LoggedWorkload, PageOptions, RegionLogs } from "./region-logs.ts";
import { jsonIn } from "../../../../platform/optional.ts";
import type { KubernetesParts, Region } from "../regions.ts";

/** Loki's default for `max_entries_limit_per_query`. https://grafana.com/docs/loki/latest/configure/#limits_config */
const MAX_ENTRIES = 5_000;
/** Loki has no offset, so skipped lines are read too. */
const MAX_READ = 100_000;
/** Less than Loki's default for `max_query_length`, 721 h. */
const LOOK_BACK_MS = 29 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

type LokiClock = Pick<Clock, "now" | "limit">;

/** The logs of a region whose pods' lines are in a Loki. Its own rules say how long they are kept. */
export function lokiLogs(config: LokiConfig, clock: LokiClock): RegionLogs {
  return {
    async page(workload, options) {
      const { day, from, size } = options;
      if (from + size > MAX_READ) {
        const text = `from and size together may be at most ${MAX_READ} here, because the logs are read from Loki`;
        throw new Refusal(400, `${text}: read another day, or fewer lines`);
      }
      const start = Math.max(Date.parse(`${day}T00:00:00Z`), Date.parse(workload.createdAt));
      const end = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
      if (start >= end) return [];
      return await readNewest({ config, clock }, { workload, options, start: nanos(start), end: nanos(end) });
    },
    async hasInstance(workload, instance, signal) {
      if (!new RegExp(`^(?:${podNamePattern(workload)})$`, "u").test(instance)) return false;
      const end = clock.now().getTime();
      const start = Math.max(end - LOOK_BACK_MS, Date.parse(workload.createdAt));
      if (start >= end) return false;
      const query = selectorOf(config, workload, instance);
      const found = await queryLoki(
        { config, clock },
        { query, start: nanos(start), end: nanos(end), limit: 1, signal },
      );
      return found.length > 0;
    },
  };
}

type Asking = { readonly config: LokiConfig; readonly clock: Pick<Clock, "limit"> };
type Wanted = Pick<LokiQuery, "start" | "end"> & { readonly workload: LoggedWorkload; readonly options: PageOptions };

/** Reads backward in chunks. A chunk that ends in the middle of a moment is continued at that moment. */
async function readNewest(
  asking: Asking,
  { workload, options, start, end: until }: Wanted,
): Promise<readonly InstanceLine[]> {
  const { config } = asking;
  const { from, size, instance, signal } = options;
  const max = config.maxEntries ?? MAX_ENTRIES;
  const query = selectorOf(config, workload, instance);
  const page: LokiEntry[] = [];
  let end = until;
  let least = 0;
  for (let read = 0; read < from + size && end > start;) {
    const limit = Math.min(max, Math.max(least, from + size - read + 1));
    const entries = await queryLoki(asking, { query, start, end, limit, signal });
    // Loki chooses which lines of a moment it sends: for the same order each time, all of them are needed.
    least = entries.at(0)?.time === entries.at(-1)?.time ? max : 0;
    if (entries.length === limit && limit < least) continue;
    const whole = entries.length < limit ? entries : untilOldestMoment(entries);
    page.push(...whole.slice(Math.max(0, from - read), Math.max(0, from + size - read)));
    read += whole.length;
    if (entries.length < limit) break;
    // The end of a query is exclusive.
    const oldest = entries.at(-1)?.time ?? 0n;
    end = whole.length < entries.length ? oldest + 1n : oldest;
  }
  return page.toReversed().map(({ labels, line }) => ({ instance: labels[config.labels.pod] ?? workload.name, line }));
}

/** Without the lines of the oldest moment, of which there may be more; all of them if there is no other moment. */
function untilOldestMoment(entries: readonly LokiEntry[]): readonly LokiEntry[] {
  const oldest = entries.at(-1)?.time;
  const whole = entries.filter(({ time }) => time !== oldest);
  return whole.length > 0 ? whole : entries;
}

function selectorOf({ labels }: LokiConfig, workload: LoggedWorkload, instance: string | undefined): string {
  const pod = instance === undefined ? `=~${JSON.stringify(podNamePattern(workload))}` : `=${JSON.stringify(instance)}`;
  return `{${labels.namespace}=${JSON.stringify(workload.namespace)}, ${labels.pod}${pod}}`;
}

function nanos(ms: number): bigint {
  return BigInt(ms) * 1_000_000n;
}

/** Of the suffixes that Kubernetes makes. https://github.com/kubernetes/apimachinery/blob/v0.34.0/pkg/util/rand/rand.go */
const LETTER = "[bcdfghjklmnpqrstvwxz2456789]";

/**
 * A pattern for the names of a workload's pods, also of those that are gone: `web-5d4f8c7b9-x7k2p`. In Go's and in
 * JavaScript's regular expressions alike.
 */
export function podNamePattern({ kind, objectName }: Pick<LoggedWorkload, "kind" | "objectName">): string {
  const name = objectName.replaceAll(".", String.raw`\.`);
  if (kind === "Deployment") return `${name}-${LETTER}{5,10}-${LETTER}{5}`;
  if (kind === "DaemonSet") return `${name}-${LETTER}{5}`;
  return kind === "StatefulSet" ? `${name}-[0-9]+` : `${name}-(?:[0-9]+-)?${LETTER}{5}`;
}

/** A line with its time in nanoseconds. */
type LokiEntry = {
  readonly time: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly line: string;
};

type LokiQuery = {
  readonly query: string;
  /** Inclusive, in nanoseconds. */
  readonly start: bigint;
  /** Exclusive. */
  readonly end: bigint;
  readonly limit: number;
  readonly signal: AbortSignal;
};

const Answer = z.object({
  data: z.object({
    resultType: z.literal("streams"),
    result: z.array(
      z.object({
        stream: z.record(z.string(), z.string()),
        values: z.array(z.tuple([z.string().regex(/^\d+$/u), z.string()]).rest(z.unknown())),
      }),
    ),
  }),
});

const TIMEOUT_MS = 15_000;

/**
 * The newest lines of a time, newest first and in the same order each time. Rejects with a `Refusal` 503 that has
 * Loki's text. https://grafana.com/docs/loki/latest/reference/loki-http-api/#query-logs-within-a-range-of-time
 */
async function queryLoki(asking: Asking, { query, start, end, limit, signal }: LokiQuery): Promise<LokiEntry[]> {
  const url = new URL(`${asking.config.url.replace(/\/+$/u, "")}/loki/api/v1/query_range`);
  const asked = { query, start: String(start), end: String(end), limit: String(limit), direction: "backward" };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const text = await textOf(asking, url, signal);
  const answer = Answer.safeParse(jsonIn(text));
  if (!answer.success)
    throw refused("its answer has another form. Check the address in SERVICE_CLUSTERS", answer.error);
  return answer.data.data.result
    .toSorted((left, right) => compare(keyOf(left.stream), keyOf(right.stream)))
    .flatMap(({ stream, values }) => values.map(([time, line]) => ({ time: BigInt(time), labels: stream, line })))
    .toSorted((left, right) => compare(right.time, left.time));
}

async function textOf({ config, clock }: Asking, url: URL, signal: AbortSignal): Promise<string> {
  const { tenant, authorization } = config;
  const headers = { ...(tenant !== undefined && { "x-scope-orgid": tenant }), ...(authorization && { authorization }) };
  try {
    const late = clock.limit(TIMEOUT_MS);
    const answer = await fetch(url, { headers, signal: AbortSignal.any([signal, late]) });
    const text = await answer.text();
    if (answer.ok) return text;
    throw refused(`${text.slice(0, 300).trim() || answer.statusText} (status ${answer.status})`);
  } catch (error) {
    if (error instanceof Refusal || signal.aborted) throw error;
    const isLate = error instanceof Error && error.name === "TimeoutError";
    throw refused(isLate ? `it didn't answer in ${TIMEOUT_MS / 1_000} s` : `it can't be reached at ${url.host}`, error);
  }
}

function refused(why: string, cause?: unknown): Refusal {
  return new Refusal(503, `The log can't be read from Loki: ${why}. Try again in a minute.`, { cause });
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).toSorted(([left], [right]) => compare(left, right)));
}

function compare<T extends bigint | string>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A start must not wait long for logs. */
const WITHIN_MS = 3_000;
const HOUR_NS = 3_600_000_000_000n;

/** Asks each region's Loki once: for each that can't be read, a sentence for the operator. Never rejects. */
export async function lokiNotices({ regions, clock }: Pick<KubernetesParts, "regions" | "clock">): Promise<string[]> {
  const problems = [...regions].map(async ([name, region]) => {
    const why = await problemOf(region, clock);
    return why === undefined ? [] : [`Region ${name}: ${why} Only logs need it; each request for a log asks it again.`];
  });
  return (await Promise.all(problems)).flat();
}

async function problemOf({ config, namespaces }: Region, clock: LokiClock): Promise<string | undefined> {
  if (!config.logs) return undefined;
  const { loki } = config.logs;
  const query = `{${loki.labels.namespace}=${JSON.stringify(namespaces.all()[0] ?? "")}}`;
  try {
    const signal = clock.limit(WITHIN_MS);
    const end = nanos(clock.now().getTime());
    await queryLoki({ config: loki, clock }, { query, start: end - HOUR_NS, end, limit: 1, signal });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message.replace(/ Try again in a minute\.$/u, "");
    return `Loki didn't answer in ${WITHIN_MS / 1_000} s.`;
  }
}
