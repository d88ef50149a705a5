import { Refusal } from "../../../engine.ts";
import type { KubernetesParts, Region } from "../region.ts";
import { queryLoki } from "./loki-query.ts";

/** A start must not wait long for logs. */
const WITHIN_MS = 3_000;
const HOUR_NS = 3_600_000_000_000n;

/** Asks each region's Loki once: for each that can't be read, a sentence for the operator. Never rejects. */
export async function lokiNotices({ regions, now }: Pick<KubernetesParts, "regions" | "now">): Promise<string[]> {
  const problems = [...regions].map(async ([name, region]) => {
    const why = await problemOf(region, BigInt(now().getTime()) * 1_000_000n);
    return why === undefined ? [] : [`Region ${name}: ${why} Only logs need it; each request for a log asks it again.`];
  });
  return (await Promise.all(problems)).flat();
}

async function problemOf({ config, namespaces }: Region, end: bigint): Promise<string | undefined> {
  if (!config.logs || config.logs === "live") return undefined;
  const { loki } = config.logs;
  const query = `{${loki.labels.namespace}=${JSON.stringify(namespaces.all()[0] ?? "")}}`;
  try {
    const signal = AbortSignal.timeout(WITHIN_MS);
    await queryLoki(loki, { query, start: end - HOUR_NS, end, limit: 1, signal });
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message.replace(/ Try again in a minute\.$/u, "");
    return `Loki didn't answer in ${WITHIN_MS / 1_000} s.`;
  }
}
