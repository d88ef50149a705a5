import { z } from "zod";
import type { Clock } from "../platform/clock.ts";
import type { Send } from "../platform/http/send.ts";
import { answerOrAborted, isOk, readBody } from "./exchange.ts";
import type { ApiAccount } from "./request.ts";
import { pathSafe } from "./request-limits.ts";

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
const LIMIT_BYTES = 64 * 1024;

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
    const incoming = await answerOrAborted(send(url, { method: "GET", headers, signal: limit }), limit);
    const { chunks, end } = await readBody(incoming, LIMIT_BYTES, limit);
    if (!isOk(incoming) || end !== "whole") return undefined;
    const answer = Answer.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
    return answer.success ? answer.data : undefined;
  } catch {
    return undefined; // unreachable, aborted, or no JSON
  }
}
