import { z } from "zod";
import type { Clock } from "../platform/clock.ts";
import type { Outgoing, Send } from "../platform/http/send.ts";
import { answerOrAborted, readBody, isOk, type ApiAccount } from "./exchange.ts";
import type { Guarded } from "./redacted.ts";
import { lenient, listOf } from "./workload-shapes.ts";
import { pathSafe } from "./request-limits.ts";

/** The engine behind the workload API. This is our extension: other workload APIs don't have this page. */
export type RawEngineInfo = {
  /** `Kubernetes`. */
  readonly title: string;
  readonly regions: readonly RawRegion[];
  /** An update takes any memory limit, not only those of the API's document. */
  readonly takesAnyMemory: boolean;
  /** An update takes images and environment variables, and goes back to a kept revision. */
  readonly keepsRevisions: boolean;
  /** Repositories of the only images that it runs, with any tag; undefined when it runs any image. */
  readonly images?: readonly string[];
  /** It tells when a list changes, so that nobody has to look. */
  readonly pushesChanges: boolean;
};

/** The same once its words are redacted. */
export type EngineInfo = Guarded<RawEngineInfo>;

type RawRegion = {
  readonly name: string;
  /** Undefined while it isn't known. */
  readonly version: string | undefined;
  /** Why its workloads can't be read now, as a sentence. */
  readonly problem?: string;
  /** Features that this engine doesn't support: `custom domains`. */
  readonly cannot: readonly string[];
};

const short = z.string().min(1).max(80);
const MOST_REGIONS = 100;

/** `partly` is left out: most of the feature works, and the line is short. */
const Limit = z.object({ what: short, effect: z.string() });
const Region = z.object({
  name: short,
  version: lenient(short),
  problem: lenient(z.string().min(1).max(300)),
  cannot: listOf(Limit)
    .catch([])
    .transform((limits) => limits.filter(({ effect }) => effect !== "partly").map(({ what }) => what)),
});
const Health = z.object({
  engine: z.object({
    title: short,
    images: lenient(listOf(short).refine(({ length }) => length > 0)),
    regions: listOf(Region),
    update_memory: lenient(z.string()),
    updates: lenient(listOf(short)),
    events: lenient(z.boolean()),
  }),
});

type Parts = { readonly baseUrl: string; readonly send: Send; readonly clock: Pick<Clock, "now" | "limit"> };

/** An optional page must not delay an answer for long. */
const WITHIN_MS = 1_000;
const LIMIT_BYTES = 64 * 1024;
/** An absent page is asked for as rarely as a present one. */
const FRESH_MS = 60_000;
/** One that didn't answer in time may do so at the next try; until then, what it said before counts. */
const AGAIN_MS = 5_000;

/**
 * Reads `GET {base}/healthz` without a token; it doesn't count as an API call. Undefined when there is no such page, it
 * says something else, or it takes too long. Never rejects.
 */
export function createEngineInfo(parts: Parts): () => Promise<RawEngineInfo | undefined> {
  let last: { readonly at: number; forMs: number; readonly info: Promise<RawEngineInfo | undefined> } | undefined;
  return () => {
    const at = parts.clock.now().getTime();
    if (last === undefined || at - last.at >= last.forMs || at < last.at) {
      const before = last?.info;
      const next = {
        at,
        forMs: FRESH_MS,
        info: read(parts).catch((error: unknown) => {
          // Another page than ours.
          if (error instanceof SyntaxError) return undefined;
          next.forMs = AGAIN_MS;
          return before;
        }),
      };
      last = next;
    }
    return last.info;
  };
}

async function read({ baseUrl, send, clock }: Parts): Promise<RawEngineInfo | undefined> {
  const signal = clock.limit(WITHIN_MS);
  const answer = await jsonAt(`${baseUrl}/healthz`, send, { headers: {}, signal });
  if (answer === undefined) return undefined;
  if (answer.status >= 300 && answer.status < 400) throw new Error("a redirect, which nobody follows");
  // 503 while it isn't ready: the engine is the same.
  const health = Health.safeParse(answer.json());
  if (!health.success) return undefined;
  const { title, images, regions, update_memory: memory, updates = [], events = false } = health.data.engine;
  return {
    title,
    regions: regions.slice(0, MOST_REGIONS).map(({ name, version, problem, cannot }) => ({
      name,
      version,
      cannot,
      ...(problem !== undefined && { problem }),
    })),
    takesAnyMemory: memory === "any",
    keepsRevisions: ["image", "env", "revision"].every((each) => updates.includes(each)),
    ...(images !== undefined && { images }),
    pushesChanges: events,
  };
}

/** Undefined when the answer is cut off or too long. */
async function jsonAt(url: string, send: Send, asked: Pick<Outgoing, "headers" | "signal">) {
  const { signal } = asked;
  const incoming = await answerOrAborted(send(url, { method: "GET", ...asked }), signal);
  const { chunks, end } = await readBody(incoming, LIMIT_BYTES, signal);
  if (end !== "whole") return undefined;
  return { status: incoming.status, json: (): unknown => JSON.parse(Buffer.concat(chunks).toString()) };
}

/** Which lists of an account changed in a region. */
export type Changes = {
  /** For the next request. */
  readonly cursor: string;
  readonly changed: readonly ("service" | "job")[];
};

export type ChangesRequest = {
  readonly region: string;
  /** Of the last answer; undefined for the first request, which is answered at once and names both lists. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
};

const Answer = z.object({
  cursor: z.string().min(1).max(200),
  changed: z
    .array(z.string())
    .max(10)
    .transform((kinds) => kinds.filter((kind) => kind === "service" || kind === "job")),
});

/** Shorter than proxies hold a connection that says nothing. */
const WAIT_SECONDS = 25;
const ANSWER_WITHIN_MS = 10_000;

/**
 * Waits until a list changes, at most for half a minute: docs/events.openapi.yaml, which only some servers offer (`pushesChanges`).
 * It doesn't count as an API call. Undefined when no such answer came. Never rejects.
 */
export async function readChanges(
  { baseUrl, send, clock }: { readonly baseUrl: string; readonly send: Send; readonly clock: Pick<Clock, "limit"> },
  { username, token }: ApiAccount,
  { region, after, signal }: ChangesRequest,
): Promise<Changes | undefined> {
  if (!pathSafe(region)) return undefined;
  const query = new URLSearchParams({ wait: String(WAIT_SECONDS), ...(after !== undefined && { after }) });
  const limit = AbortSignal.any([signal, clock.limit(WAIT_SECONDS * 1000 + ANSWER_WITHIN_MS)]);
  try {
    const url = `${baseUrl}/v1/regions/${encodeURIComponent(region)}/events?${query.toString()}`;
    const headers = { username, authorization: `token ${token}` };
    const answer = await jsonAt(url, send, { headers, signal: limit });
    return answer !== undefined && isOk(answer) ? Answer.safeParse(answer.json()).data : undefined;
  } catch {
    return undefined; // unreachable, aborted, or no JSON
  }
}
