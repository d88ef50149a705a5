import { invalid, timedOut, unexpected, unreachable } from "./failures.ts";
import type { OperationId } from "./operations.ts";
import { Problem } from "./problem.ts";

/** What came back: any status. `text` is undefined when the body was not UTF-8. */
export type Exchange = { readonly status: number; readonly headers: Headers; readonly text: string | undefined };

export type Fetch = (request: Request) => Promise<Response>;

export type ExchangeOptions = {
  readonly op: OperationId;
  /** Builds the request, to be aborted by the signal. */
  readonly request: (signal: AbortSignal) => Promise<Request>;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly limitBytes: number;
  /** Ends the exchange from outside, when nobody waits for it any longer. */
  readonly signal: AbortSignal;
};

/** Enough for a sentence; of a body that says nothing more than the status, no more is read. */
const TELLING_BYTES = 64 * 1024;

/** Operations whose success is the status: their body may be of any form, or break off. */
const statusSaysAll: ReadonlySet<OperationId> = new Set<OperationId>([
  "deleteJob",
  "deleteService",
  "updateService",
  "startService",
  "stopService",
  "restartService",
]);

/** Whether the body of a successful answer counts for nothing. */
export function isStatusAll(op: OperationId): boolean {
  return statusSaysAll.has(op);
}

/** One request and its whole answer, within `timeoutMs`. Sent once. Throws a Problem. */
export async function exchange(options: ExchangeOptions): Promise<Exchange> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), options.timeoutMs);
  const signal = AbortSignal.any([options.signal, limit.signal]);
  try {
    return await answerTo(options, signal);
  } finally {
    clearTimeout(timer);
  }
}

async function answerTo(options: ExchangeOptions, signal: AbortSignal): Promise<Exchange> {
  const { op, timeoutMs } = options;
  const request = await options.request(signal).catch(() => {
    throw invalid(
      op,
      "This request cannot be put on the wire.",
      "Tell those who run this bot: it is a mistake of its own.",
    );
  });
  const failed = (error: unknown) => {
    // What was held back says so itself.
    if (error instanceof Problem) return error;
    return signal.aborted ? timedOut(op, timeoutMs, true) : unreachable(op, error, new URL(request.url).host);
  };
  const response = await unlessAborted(options.fetch, request, signal).catch((error: unknown) => {
    throw failed(error);
  });
  const isBodyNeeded = response.ok && !isStatusAll(op);
  const limitBytes = isBodyNeeded ? options.limitBytes : Math.min(TELLING_BYTES, options.limitBytes);
  const { bytes, end } = await readBody(response, limitBytes, signal);
  const { status, headers } = response;
  // The status is the answer: a body that broke off takes nothing from it.
  if (!isBodyNeeded) return { status, headers, text: new TextDecoder().decode(bytes) };
  if (end === "cut") throw failed(undefined);
  if (end === "limit") throw unexpected(op, `more than ${amount(limitBytes)}`, status);
  return { status, headers, text: textOf(bytes) };
}

function amount(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.floor(bytes / (1024 * 1024))} MB` : `${bytes} bytes`;
}

/** Ends with the signal even when `fetch` is a function that does not listen to it. */
async function unlessAborted(fetch: Fetch, request: Request, signal: AbortSignal): Promise<Response> {
  // Whoever gave up by now was told that nothing was sent.
  if (signal.aborted) throw new Error("aborted");
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error("aborted"));
  signal.addEventListener("abort", stop, { once: true });
  const answered = (async () => fetch(request))();
  try {
    return await Promise.race([answered, stopped]);
  } catch (error) {
    // An answer that comes too late is not read: its connection is given back.
    answered
      .then(
        (late) => late.body?.cancel(),
        () => undefined,
      )
      .catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

export type Body = {
  readonly bytes: Uint8Array;
  /** `limit`: there was more than allowed; `cut`: the connection broke off, or the signal was aborted. */
  readonly end: "whole" | "limit" | "cut";
};

/**
 * Reads a body, at most `limitBytes` of it: the rest is never taken from the wire. Never throws. Bytes are counted after
 * decompression, so a small bomb does not pass either.
 */
export async function readBody(response: Response, limitBytes: number, signal: AbortSignal): Promise<Body> {
  const chunks: Uint8Array[] = [];
  const end = await collect(response, { chunks, limitBytes, signal }).catch(() => "cut" as const);
  return { bytes: Buffer.concat(chunks), end };
}

type Collecting = { readonly chunks: Uint8Array[]; readonly limitBytes: number; readonly signal: AbortSignal };

async function collect(response: Response, { chunks, limitBytes, signal }: Collecting): Promise<Body["end"]> {
  if (response.body === null) return "whole";
  const reader = response.body.getReader();
  // Cancelling ends a pending read at once, also that of a stream which knows nothing of the signal.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    let left = limitBytes;
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return signal.aborted ? "cut" : "whole";
      if (!(value instanceof Uint8Array)) return "cut";
      chunks.push(value.subarray(0, left));
      if (value.byteLength > left) return "limit";
      left -= value.byteLength;
    }
    return "cut";
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** The text of a body; undefined when it is not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
