import { z } from "zod";
import { type Fetch, answerOrAborted, readBody } from "./exchange.ts";
import { lenient, listOf } from "./workload-shapes.ts";

/** The engine behind the workload API. This is our extension: other workload APIs don't have this page. */
export type EngineInfo = {
  /** `Kubernetes`. */
  readonly title: string;
  readonly regions: readonly EngineRegion[];
  /** An update takes any memory limit, not only those of the API's document. */
  readonly takesAnyMemory: boolean;
  /** An update takes images and environment variables, and goes back to a kept revision. */
  readonly keepsRevisions: boolean;
};

export type EngineRegion = {
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
    regions: listOf(Region),
    update_memory: lenient(z.string()),
    updates: lenient(listOf(short)),
  }),
});

type Parts = { readonly baseUrl: string; readonly fetch: Fetch; readonly now: () => number };

/** An optional page must not delay an answer for long. */
const WITHIN_MS = 1_000;
const LIMIT_BYTES = 64 * 1024;
/** An absent page is asked for as rarely as a present one. */
const FRESH_MS = 60_000;

/**
 * Reads `GET {base}/healthz` without a token; it doesn't count as an API call. Undefined when there is no such page, it
 * says something else, or it takes too long. Never rejects.
 */
export function createEngineInfo(parts: Parts): () => Promise<EngineInfo | undefined> {
  let last: { readonly at: number; readonly info: Promise<EngineInfo | undefined> } | undefined;
  return () => {
    const at = parts.now();
    if (last === undefined || at - last.at >= FRESH_MS || at < last.at) {
      last = { at, info: read(parts).catch(() => undefined) };
    }
    return last.info;
  };
}

async function read({ baseUrl, fetch }: Parts): Promise<EngineInfo | undefined> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const response = await answerOrAborted(
    fetch(new Request(`${baseUrl}/healthz`, { signal, redirect: "error" })),
    signal,
  );
  const { chunks, end } = await readBody(response, LIMIT_BYTES, signal);
  if (end !== "whole") return undefined;
  // 503 while it isn't ready: the engine is the same.
  const health = Health.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
  if (!health.success) return undefined;
  const { title, regions, update_memory: memory, updates = [] } = health.data.engine;
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
  };
}
