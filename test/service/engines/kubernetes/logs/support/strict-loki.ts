import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Loki's defaults. https://grafana.com/docs/loki/latest/configure/#limits_config */
const MAX_ENTRIES = 5_000;
const MAX_LENGTH_HOURS = 721;
const NANOS_PER_HOUR = 3_600_000_000_000n;

export type LokiLine = {
  /** Nanoseconds. */
  readonly time: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly line: string;
};

export type StrictLoki = {
  readonly url: string;
  readonly lines: LokiLine[];
  readonly queries: readonly URLSearchParams[];
  /** Each query gets this answer; undefined ends it. */
  readonly fail: (fault: { readonly status: number; readonly text: string } | undefined) => void;
};

/**
 * Stands in for Loki's `query_range`, with its limits and the texts of its errors. It was written from Loki's
 * documentation; no real Loki was asked.
 */
export async function openStrictLoki(tenant: string): Promise<StrictLoki> {
  const lines: LokiLine[] = [];
  const queries: URLSearchParams[] = [];
  let fault: { readonly status: number; readonly text: string } | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://loki");
    const refusal = fault ?? refusalOf(url, request.headers["x-scope-orgid"] === tenant);
    if (refusal) return send(response, refusal.status, refusal.text);
    queries.push(url.searchParams);
    return send(response, 200, JSON.stringify(answer(lines, url.searchParams)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}`, lines, queries, fail: (next) => (fault = next) };
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": status === 200 ? "application/json" : "text/plain" });
  response.end(text);
}

function refusalOf({ pathname, searchParams }: URL, hasTenant: boolean) {
  if (pathname !== "/loki/api/v1/query_range") return { status: 404, text: "404 page not found" };
  if (!hasTenant) return { status: 401, text: "no org id" };
  const text = problemOf(searchParams);
  return text === undefined ? undefined : { status: 400, text };
}

function problemOf(asked: URLSearchParams): string | undefined {
  const [start, end] = [asked.get("start") ?? "", asked.get("end") ?? ""];
  if (!/^\d{19}$/u.test(start) || !/^\d{19}$/u.test(end)) return `could not parse 'start' parameter: ${start}`;
  const length = BigInt(end) - BigInt(start);
  if (length <= 0n) return "end timestamp must not be before or equal to start time";
  if (length > BigInt(MAX_LENGTH_HOURS) * NANOS_PER_HOUR) {
    return `the query time range exceeds the limit (query length: ${length / NANOS_PER_HOUR}h, limit: 30d1h)`;
  }
  const limit = Number(asked.get("limit") ?? "100");
  if (!Number.isInteger(limit) || limit <= 0) return "limit must be a positive value";
  if (limit > MAX_ENTRIES) {
    return `max entries limit per query exceeded, limit > max_entries_limit_per_query (${limit} > ${MAX_ENTRIES})`;
  }
  if (asked.get("direction") !== "backward") return "invalid direction";
  if (!matchersOf(asked.get("query") ?? "")) return "parse error : syntax error";
  return undefined;
}

type Matcher = (labels: Readonly<Record<string, string>>) => boolean;

/** `{a="b", c=~"d"}`; undefined for anything else. Patterns match whole values. */
function matchersOf(query: string): readonly Matcher[] | undefined {
  const inside = /^\{(.+)\}$/u.exec(query)?.[1];
  if (inside === undefined) return undefined;
  const parsed = [...inside.matchAll(/([a-z_][a-z0-9_]*)(=~|=)("(?:[^"\\]|\\.)*")(?:, |$)/gu)];
  if (parsed.map(([whole]) => whole).join("") !== inside) return undefined;
  return parsed.map(([, label = "", operator, quoted = '""']) => {
    const value = JSON.parse(quoted) as string; // Go's strings, as far as they are used here
    const pattern = new RegExp(`^(?:${value})$`, "u");
    return (labels) => (operator === "=" ? labels[label] === value : pattern.test(labels[label] ?? ""));
  });
}

function answer(lines: readonly LokiLine[], asked: URLSearchParams): object {
  const matchers = matchersOf(asked.get("query") ?? "") ?? [];
  const [start, end] = [BigInt(asked.get("start") ?? 0), BigInt(asked.get("end") ?? 0)];
  const newest = lines
    .filter(({ time, labels }) => time >= start && time < end && matchers.every((matches) => matches(labels)))
    .toSorted((left, right) => (left.time < right.time ? 1 : left.time > right.time ? -1 : 0))
    .slice(0, Number(asked.get("limit") ?? 100));
  const streams = Map.groupBy(newest, ({ labels }) => JSON.stringify(labels));
  const result = [...streams].map(([stream, values]) => ({
    stream: JSON.parse(stream) as object, // from above
    values: values.map(({ time, line }) => [String(time), line]),
  }));
  return { status: "success", data: { resultType: "streams", result, stats: {} } };
}
