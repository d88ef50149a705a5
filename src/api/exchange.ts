import type { Clock } from "../platform/clock.ts";
import type { Incoming, Outgoing, Send } from "../platform/http/send.ts";
import { orAborted } from "../platform/waiting.ts";
import { invalid, timedOut, tooLong, unreachable, Problem } from "./problem.ts";
import type { OperationId } from "./operations.ts";

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
  const { op, timeoutMs, clock } = attempt;
  const limit = new AbortController();
  const timer = clock.after(timeoutMs, () => limit.abort());
  const signal = AbortSignal.any([attempt.signal, limit.signal]);
  let host = "";
  try {
    const { url, outgoing } = await attempt.request(signal).catch(() => {
      throw invalid(op, "This request couldn't be built.", "Nothing was sent. Report this bug to your Gantry admin.");
    });
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
