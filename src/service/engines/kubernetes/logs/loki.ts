import { Refusal } from "../../../engine.ts";
import type { LokiConfig } from "../cluster/cluster-config.ts";
import { type LokiEntry, queryLoki } from "./loki-query.ts";
import { podNamePattern } from "./pod-names.ts";
import type { InstanceLine, LoggedWorkload, PageOptions, RegionLogs } from "./region-logs.ts";

/** Loki's default for `max_entries_limit_per_query`. https://grafana.com/docs/loki/latest/configure/#limits_config */
const MAX_ENTRIES = 5_000;
/** Loki has no offset, so skipped lines are read too. */
const MAX_READ = 100_000;
/** Less than Loki's default for `max_query_length`, 721 h. */
const LOOK_BACK_MS = 29 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** The logs of a region whose pods' lines are in a Loki. Its own rules say how long they are kept. */
export function lokiLogs(config: LokiConfig, now: () => Date): RegionLogs {
  return {
    async page(workload, options) {
      const { day, from, size } = options;
      if (from + size > MAX_READ) {
        const text = `from and size together may be at most ${MAX_READ} here, because the logs are read from Loki`;
        throw new Refusal(400, `${text}: read another day, or fewer lines`);
      }
      const start = Math.max(Date.parse(`${day}T00:00:00Z`), Date.parse(workload.createdAt));
      const span = { start: nanos(start), end: nanos(Date.parse(`${day}T00:00:00Z`) + DAY_MS) };
      if (span.start >= span.end) return [];
      return await readNewest(config, { workload, options, span });
    },
    async hasInstance(workload, instance, signal) {
      if (!new RegExp(`^(?:${podNamePattern(workload)})$`, "u").test(instance)) return false;
      const end = now().getTime();
      const start = Math.max(end - LOOK_BACK_MS, Date.parse(workload.createdAt));
      if (start >= end) return false;
      const query = selectorOf(config, workload, instance);
      const found = await queryLoki(config, { query, start: nanos(start), end: nanos(end), limit: 1, signal });
      return found.length > 0;
    },
    // Loki would read the streams of the whole time since the job began, for each look at it.
    instances: async () => [],
  };
}

type Span = { readonly start: bigint; readonly end: bigint };
type Wanted = { readonly workload: LoggedWorkload; readonly options: PageOptions; readonly span: Span };

/** Reads backward in chunks. A chunk that ends in the middle of a moment is continued at that moment. */
async function readNewest(config: LokiConfig, { workload, options, span }: Wanted): Promise<readonly InstanceLine[]> {
  const { from, size, instance, signal } = options;
  const max = config.maxEntries ?? MAX_ENTRIES;
  const query = selectorOf(config, workload, instance);
  const page: LokiEntry[] = [];
  let { end } = span;
  let least = 0;
  for (let read = 0; read < from + size && end > span.start;) {
    const limit = Math.min(max, Math.max(least, from + size - read + 1));
    const entries = await queryLoki(config, { query, start: span.start, end, limit, signal });
    // Loki chooses which lines of a moment it sends: for the same order each time, all of them are needed.
    least = entries.at(0)?.time === entries.at(-1)?.time ? max : 0;
    if (entries.length === limit && limit < least) continue;
    const whole = entries.length < limit ? entries : untilOldestMoment(entries);
    page.push(...whole.slice(Math.max(0, from - read), Math.max(0, from + size - read)));
    read += whole.length;
    if (entries.length < limit) break;
    end = nextEnd(entries, whole);
  }
  return page.toReversed().map(({ labels, line }) => ({ instance: labels[config.labels.pod] ?? workload.name, line }));
}

/** Without the lines of the oldest moment, of which there may be more; all of them if there is no other moment. */
function untilOldestMoment(entries: readonly LokiEntry[]): readonly LokiEntry[] {
  const oldest = entries.at(-1)?.time;
  const whole = entries.filter(({ time }) => time !== oldest);
  return whole.length > 0 ? whole : entries;
}

/** The end of a query is exclusive. */
function nextEnd(entries: readonly LokiEntry[], whole: readonly LokiEntry[]): bigint {
  const oldest = entries.at(-1)?.time ?? 0n;
  return whole.length < entries.length ? oldest + 1n : oldest;
}

function selectorOf({ labels }: LokiConfig, workload: LoggedWorkload, instance: string | undefined): string {
  const pod = instance === undefined ? `=~${JSON.stringify(podNamePattern(workload))}` : `=${JSON.stringify(instance)}`;
  return `{${labels.namespace}=${JSON.stringify(workload.namespace)}, ${labels.pod}${pod}}`;
}

function nanos(ms: number): bigint {
  return BigInt(ms) * 1_000_000n;
}
