import { z } from "zod";
import { Refusal } from "../../../engine.ts";
import type { LokiConfig } from "../cluster/cluster-config.ts";

/** A line with its time in nanoseconds. */
export type LokiEntry = {
  readonly time: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly line: string;
};

export type LokiQuery = {
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
export async function queryLoki(
  config: LokiConfig,
  { query, start, end, limit, signal }: LokiQuery,
): Promise<LokiEntry[]> {
  const url = new URL(`${config.url.replace(/\/+$/u, "")}/loki/api/v1/query_range`);
  const asked = { query, start: String(start), end: String(end), limit: String(limit), direction: "backward" };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  const text = await textOf(config, url, signal);
  const answer = Answer.safeParse(jsonOf(text));
  if (!answer.success)
    throw refused("its answer has another form. Check the address in SERVICE_CLUSTERS", answer.error);
  return answer.data.data.result
    .toSorted((left, right) => compare(keyOf(left.stream), keyOf(right.stream)))
    .flatMap(({ stream, values }) => values.map(([time, line]) => ({ time: BigInt(time), labels: stream, line })))
    .toSorted((left, right) => compare(right.time, left.time));
}

async function textOf(config: LokiConfig, url: URL, signal: AbortSignal): Promise<string> {
  const { tenant, authorization } = config;
  const headers = { ...(tenant !== undefined && { "x-scope-orgid": tenant }), ...(authorization && { authorization }) };
  try {
    const late = AbortSignal.timeout(TIMEOUT_MS);
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).toSorted(([left], [right]) => compare(left, right)));
}

function compare<T extends bigint | string>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
