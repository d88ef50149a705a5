import { orAborted } from "../platform/waiting.ts";
import { invalid, timedOut, tooLong, unreachable, Problem } from "./problem.ts";
import type { OperationId } from "./operations.ts";

/** An answer with any status, its body in the parts in which it came. */
export type Exchange = { readonly status: number; readonly headers: Headers; readonly chunks: readonly Uint8Array[] };

export type Fetch = (request: Request) => Promise<Response>;

export type Attempt = {
  readonly op: OperationId;
  readonly request: (signal: AbortSignal) => Promise<Request>;
  /** Called right before the request leaves, with nothing awaited in between. Throws a Problem to hold it back. */
  readonly leaving: () => void;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly limitBytes: number;
  readonly signal: AbortSignal;
};

/** Enough for the sentence of an error; more of such a body isn't read. */
const ERROR_BYTES = 64 * 1024;

/** Operations whose success is the status alone: the body may have any form, or break off. */
const statusOnly: ReadonlySet<OperationId> = new Set<OperationId>([
  "deleteJob",
  "deleteService",
  "updateService",
  "startService",
  "stopService",
  "restartService",
]);

export function isStatusOnly(op: OperationId): boolean {
  return statusOnly.has(op);
}

/** Sends one request once and reads its whole answer, within `timeoutMs`. Throws a Problem. */
export async function exchange(attempt: Attempt): Promise<Exchange> {
  const { op, timeoutMs } = attempt;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const signal = AbortSignal.any([attempt.signal, limit.signal]);
  let host = "";
  try {
    const request = await attempt.request(signal).catch(() => {
      throw invalid(op, "This request couldn't be built.", "Nothing was sent. Report this bug to your Gantry admin.");
    });
    ({ host } = new URL(request.url));
    // A caller who gave up by now was told that nothing was sent.
    signal.throwIfAborted();
    attempt.leaving();
    const response = await answerOrAborted(attempt.fetch(request), signal);
    return await answerIn(response, attempt, signal);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw signal.aborted ? timedOut(op, timeoutMs, true) : unreachable(op, error, host);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects when the signal aborts, even if `fetch` ignores it. A response that arrives later is discarded. */
export async function answerOrAborted(answered: Promise<Response>, signal: AbortSignal): Promise<Response> {
  try {
    return await orAborted(answered, signal);
  } catch (error) {
    // Cancelling the body gives its connection back.
    answered.then((late) => late.body?.cancel()).catch(() => undefined);
    throw error;
  }
}

async function answerIn(response: Response, attempt: Attempt, signal: AbortSignal): Promise<Exchange> {
  const { op } = attempt;
  const { status, headers, ok } = response;
  const isBodyNeeded = ok && !isStatusOnly(op);
  const limitBytes = isBodyNeeded ? attempt.limitBytes : Math.min(ERROR_BYTES, attempt.limitBytes);
  const { chunks, end } = await readBody(response, limitBytes, signal);
  if (isBodyNeeded && end === "cut") throw new Error("the answer was cut off");
  if (isBodyNeeded && end === "limit") throw tooLong(op, limitBytes, status);
  return { status, headers, chunks };
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
export async function readBody(response: Response, limitBytes: number, signal: AbortSignal): Promise<Body> {
  const chunks: Uint8Array[] = [];
  const ended = (end: Body["end"]): Body => ({ chunks, end });
  if (response.body === null) return ended("whole");
  const reader = response.body.getReader();
  // Cancelling ends a pending read at once, even of a stream that ignores the signal.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    let left = limitBytes;
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return ended(signal.aborted ? "cut" : "whole");
      if (!(value instanceof Uint8Array)) break;
      chunks.push(value.subarray(0, left));
      if (value.byteLength > left) return ended("limit");
      left -= value.byteLength;
    }
    return ended("cut");
  } catch {
    return ended("cut");
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
