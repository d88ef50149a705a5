import type { Exchange } from "./exchange.ts";
import { backOffMs } from "../platform/waiting.ts";
import { Problem } from "./problem.ts";

export type RetrySettings = {
  /** 0 for a write. */
  readonly retries: number;
  /** Milliseconds left of the budget. A pause that doesn't fit is skipped, and there is no retry. */
  readonly timeLeftMs: () => number;
  readonly now: () => number;
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

type Outcome = { readonly exchange: Exchange } | { readonly failure: unknown };

// Full jitter: callers who failed together don't try again together.
const GROWTH = { firstMs: 200, longestMs: 2_000, jitter: 1 };

/** Retries a lost connection and statuses that may pass. A timeout isn't retried. Ends with the last attempt's outcome. */
export async function withRetries(attempt: () => Promise<Exchange>, settings: RetrySettings): Promise<Exchange> {
  for (let tried = 0; ; tried += 1) {
    const outcome = await attempt().then<Outcome, Outcome>(
      (exchange) => ({ exchange }),
      (failure: unknown) => ({ failure }),
    );
    const delayMs = tried < settings.retries ? delayAfter(outcome, tried, settings) : undefined;
    if (delayMs === undefined || delayMs >= settings.timeLeftMs()) {
      if ("failure" in outcome) throw outcome.failure;
      return outcome.exchange;
    }
    await settings.wait(delayMs);
  }
}

/** Milliseconds before the next attempt; undefined when another one wouldn't help. */
function delayAfter(outcome: Outcome, tried: number, { now, random }: RetrySettings): number | undefined {
  const jitterMs = Math.floor(backOffMs(tried + 1, GROWTH, random));
  if ("failure" in outcome) {
    return outcome.failure instanceof Problem && outcome.failure.kind === "unreachable" ? jitterMs : undefined;
  }
  const { status, headers } = outcome.exchange;
  if (![429, 502, 503, 504].includes(status)) return undefined;
  const askedSeconds = retryAfterSeconds(headers, now());
  // A 429 without Retry-After can mean tomorrow: some services limit calls per day.
  if (askedSeconds === undefined) return status === 429 ? undefined : jitterMs;
  return Math.max(askedSeconds * 1000, jitterMs);
}

/** `Retry-After` in seconds from now, from a number or a date (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). */
export function retryAfterSeconds(headers: Pick<Headers, "get">, nowMs: number): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/u.test(value)) return Number(value);
  // Date.parse would also accept "-1" and "1.5".
  if (!/^[A-Za-z]{3,9},? /u.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
