import type { Clock } from "../platform/clock.ts";
import type { Exchange } from "./exchange.ts";
import type { Flight } from "./single-flight.ts";
import { backOffMs } from "../platform/waiting.ts";
import { Problem } from "./problem.ts";

export type RetrySettings = {
  /** 0 for a write. */
  readonly retries: number;
  /** A pause that doesn't fit into the time left is skipped, and there is no retry. */
  readonly flight: Pick<Flight, "signal" | "timeLeftMs">;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly random: () => number;
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
    if (delayMs === undefined || delayMs >= settings.flight.timeLeftMs()) {
      if ("failure" in outcome) throw outcome.failure;
      return outcome.exchange;
    }
    await settings.clock.sleep(delayMs, settings.flight.signal);
  }
}

/** Milliseconds before the next attempt; undefined when another one wouldn't help. */
function delayAfter(outcome: Outcome, tried: number, { clock, random }: RetrySettings): number | undefined {
  const jitterMs = Math.floor(backOffMs(tried + 1, GROWTH, random));
  if ("failure" in outcome) {
    return outcome.failure instanceof Problem && outcome.failure.kind === "unreachable" ? jitterMs : undefined;
  }
  const { status, headers } = outcome.exchange;
  if (![429, 502, 503, 504].includes(status)) return undefined;
  const askedSeconds = retryAfterSeconds(headers, clock.now().getTime());
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
