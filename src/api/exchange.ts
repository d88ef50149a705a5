import createClient from "openapi-fetch";
import type { Clock } from "../platform/clock.ts";
import { type Incoming, type Outgoing, type Send, Response } from "../platform/http/send.ts";
import { backOffMs, orAborted } from "../platform/waiting.ts";
import { invalid, timedOut, tooLong, unreachable, Problem } from "./problem.ts";
import { type OperationId, operationTable, type Call } from "./operations.ts";
import type { Flight } from "./single-flight.ts";
import { currentTrail } from "../platform/trail.ts";
import { type AskedBy, askedByHeaders } from "./extension-headers.ts";
import { pathSafe } from "./request-limits.ts";
import type { paths } from "./schema.ts";

/** An answer with any status, its body in the parts in which it came. */
export type Exchange = {
  readonly status: number;
  readonly headers: Incoming["headers"];
  readonly chunks: readonly Uint8Array[];
};

/** A request that is ready to leave. */
export type Built = { readonly url: string; readonly outgoing: Outgoing };

export type Attempt = {
  readonly op: OperationId;
  readonly request: (signal: AbortSignal) => Promise<Built>;
  /** Called right before the request leaves, with nothing awaited in between. Throws a Problem to hold it back. */
  readonly leaving: () => void;
  readonly send: Send;
  readonly clock: Pick<Clock, "after">;
  readonly timeoutMs: number;
  readonly limitBytes: number;
  readonly signal: AbortSignal;
};

/** Enough for the sentence of an error; more of such a body isn't read. */
const ERROR_BYTES = 64 * 1024;

/** Whether an operation's success is the status alone: the body may have any form, or break off. */
export function isStatusOnly(op: OperationId): boolean {
  return operationTable[op].effect === "write" && !op.startsWith("create");
}

/** Sends one request once and reads its whole answer, within `timeoutMs`. Throws a Problem. */
export async function exchange(attempt: Attempt): Promise<Exchange> {
  const { op, timeoutMs, clock } = attempt;
  // One signal for both: `AbortSignal.any` costs as much as the rest of a request.
  const limit = new AbortController();
  const { signal } = limit;
  const end = (): void => limit.abort();
  const timer = clock.after(timeoutMs, end);
  attempt.signal.addEventListener("abort", end, { once: true });
  if (attempt.signal.aborted) end();
  let host = "";
  try {
    const { url, outgoing } = await built(attempt, signal);
    ({ host } = new URL(url));
    // A caller who gave up by now was told that nothing was sent.
    signal.throwIfAborted();
    attempt.leaving();
    const answer = await answerOrAborted(attempt.send(url, outgoing), signal);
    return await answerIn(answer, attempt, signal);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw signal.aborted ? timedOut(op, timeoutMs, true) : unreachable(op, error, host);
  } finally {
    timer.cancel();
    attempt.signal.removeEventListener("abort", end);
  }
}

async function built({ op, request }: Attempt, signal: AbortSignal): Promise<Built> {
  try {
    return await request(signal);
  } catch {
    throw invalid(op, "This request couldn't be built.", "Nothing was sent. Report this bug to your Gantry admin.");
  }
}

/** Rejects when the signal aborts, even if `send` ignores it. An answer that arrives later is discarded. */
export async function answerOrAborted(answered: Promise<Incoming>, signal: AbortSignal): Promise<Incoming> {
  try {
    return await orAborted(answered, signal);
  } catch (error) {
    answered.then((late) => late.end()).catch(() => undefined);
    throw error;
  }
}

async function answerIn(answer: Incoming, attempt: Attempt, signal: AbortSignal): Promise<Exchange> {
  const { op } = attempt;
  const { status, headers } = answer;
  const isBodyNeeded = isOk(answer) && !isStatusOnly(op);
  const limitBytes = isBodyNeeded ? attempt.limitBytes : Math.min(ERROR_BYTES, attempt.limitBytes);
  const { chunks, end } = await readBody(answer, limitBytes, signal);
  if (isBodyNeeded && end === "cut") throw new Error("the answer was cut off");
  if (isBodyNeeded && end === "limit") throw tooLong(op, limitBytes, status);
  return { status, headers, chunks };
}

export function isOk({ status }: Pick<Incoming, "status">): boolean {
  return status >= 200 && status < 300;
}

type Body = {
  readonly chunks: readonly Uint8Array[];
  /** `limit`: there was more than allowed; `cut`: the connection broke off, or the signal was aborted. */
  readonly end: "whole" | "limit" | "cut";
};

/**
 * Reads at most `limitBytes`, counted after decompression so that a small archive can't expand without limit. The rest
 * stays on the wire. Never throws.
 */
export async function readBody({ read, end }: Incoming, limitBytes: number, signal: AbortSignal): Promise<Body> {
  const chunks: Uint8Array[] = [];
  const ended = (end: Body["end"]): Body => ({ chunks, end });
  signal.addEventListener("abort", end, { once: true });
  try {
    let left = limitBytes;
    while (!signal.aborted) {
      const chunk = await read();
      if (chunk === undefined) return ended(signal.aborted ? "cut" : "whole");
      chunks.push(chunk.subarray(0, left));
      if (chunk.byteLength > left) return ended("limit");
      left -= chunk.byteLength;
    }
    return ended("cut");
  } catch {
    return ended("cut");
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

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

export type ApiAccount = { readonly username: string; readonly token: string };

/** Why a call can't be sent; undefined when it can. */
export function unsendable(call: Call, account: ApiAccount): Problem | undefined {
  if (!fitsHeader(account.username) || !fitsHeader(account.token)) {
    // The runtime's own error would quote the token.
    const sentence = "This account's user name or token is empty or has characters that can't be sent.";
    return invalid(call.op, sentence, "Connect the account again and copy the token exactly.");
  }
  for (const [parameter, value] of Object.entries(call.path)) {
    // `typeof`: the compiler hasn't checked a stored call.
    if (typeof value === "string" && pathSafe(value)) continue;
    const what = parameter.replaceAll("_", " ");
    const sentence = `This ${what} can't be used: it is empty, "." or "..", or contains "/", "\\" or control characters.`;
    return invalid(call.op, sentence, `Copy the ${what} from the list.`);
  }
  return undefined;
}

/** Visible ASCII and inner spaces, which every server reads the same way (https://www.rfc-editor.org/rfc/rfc9110#section-5.5). */
function fitsHeader(value: string): boolean {
  return /^[!-~](?:[ -~]*[!-~])?$/u.test(value);
}

export type RequestSettings = {
  /** Without a trailing slash; may have a path. */
  readonly baseUrl: string;
  readonly account: ApiAccount;
  readonly signal: AbortSignal;
  readonly asked?: AskedBy | undefined;
};

/** What openapi-fetch would send: a `Request` costs more than the rest of the work for one. */
class Unsent {
  readonly url: string;
  readonly init: RequestInit;
  constructor(url: string, init: RequestInit) {
    this.url = url;
    this.init = init;
  }
}

/** It builds requests and sends none: it would read the body of an error without a limit. */
const builder = createClient<paths>({ Request: Unsent as unknown as typeof Request }); // made with `new`, handed to `fetch`

/** openapi-fetch needs a response, though nothing was sent. */
const NOTHING = new Response(null, { status: 204 });

/** Builds the request of a call. Throws when a parameter of its path is missing: the compiler hasn't checked a stored call. */
export async function requestFor(call: Call, { baseUrl, account, signal, asked }: RequestSettings): Promise<Built> {
  const { method, path } = operationTable[call.op];
  // Only with tracing: https://www.w3.org/TR/trace-context/#traceparent-header
  const traceparent = currentTrail()?.traceparent();
  let built: Unsent | undefined;
  // The row and the call belong to one operation; TypeScript can't relate the two unions.
  const request = builder.request as (method: string, path: string, init: object) => Promise<unknown>; // see above
  await request(method, path, {
    params: { path: call.path, query: call.query },
    body: call.body,
    baseUrl,
    headers: {
      username: account.username,
      Authorization: `token ${account.token}`,
      ...askedByHeaders(asked),
      ...(traceparent !== undefined && { traceparent }),
    },
    fetch(unsent: Unsent) {
      built = unsent;
      return Promise.resolve(NOTHING);
    },
  });
  if (built === undefined || built.url.includes("{")) throw new Error(`${call.op} lacks a part of its path`);
  const { headers, body } = built.init;
  return {
    url: built.url,
    outgoing: {
      method,
      headers: Object.fromEntries(headers as Headers), // openapi-fetch merges all of them into one
      ...(typeof body === "string" && { body }),
      signal,
    },
  };
}
