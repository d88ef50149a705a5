import type { Exchange } from "./exchange.ts";
import { Problem } from "./problem.ts";

export type RetrySettings = {
  /** 0 for a write: it is sent once. */
  readonly retries: number;
  /** Milliseconds that are left of the budget. A wait that does not fit is not begun. */
  readonly timeLeftMs: () => number;
  readonly now: () => number;
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

type Outcome = { readonly exchange: Exchange } | { readonly failure: unknown };

const BASE_MS = 200;
const LONGEST_MS = 2_000;

/** Repeats `attempt` while that may help; the last outcome is the outcome. A time-out is not repeated. */
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

/** How long to wait before the next attempt, in milliseconds; undefined when there is no point in one. */
function delayAfter(outcome: Outcome, tried: number, { now, random }: RetrySettings): number | undefined {
  // Full jitter, so that many callers do not come back together
  // (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
  const jitterMs = Math.floor(random() * Math.min(LONGEST_MS, BASE_MS * 2 ** tried));
  if ("failure" in outcome) {
    return outcome.failure instanceof Problem && outcome.failure.kind === "unreachable" ? jitterMs : undefined;
  }
  const { status, headers } = outcome.exchange;
  if (![429, 502, 503, 504].includes(status)) return undefined;
  const askedSeconds = retryAfterSeconds(headers, now());
  // A 429 that does not say when may mean tomorrow: some services count calls per day.
  if (askedSeconds === undefined) return status === 429 ? undefined : jitterMs;
  return Math.max(askedSeconds * 1000, jitterMs);
}

/** `Retry-After` in seconds from now, from either of its forms (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after). */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/u.test(value)) return Number(value);
  // Only dates: Date.parse would also take "-1" or "1.5".
  if (!/^[A-Za-z]{3,9},? /u.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
