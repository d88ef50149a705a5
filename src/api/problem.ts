import type { OperationId } from "./operations.ts";

/**
 * - `refused`: the API answered with an error (4xx, 5xx)
 * - `unreachable`: no connection, or it broke off
 * - `timeout`: no complete answer in time
 * - `unexpected`: the answer isn't of this API
 * - `aborted`: the caller gave up
 * - `invalid`: not sent, because it could never succeed
 */
export type ProblemKind = "refused" | "unreachable" | "timeout" | "unexpected" | "aborted" | "invalid";

export type ProblemDetails = {
  readonly kind: ProblemKind;
  readonly op: OperationId;
  readonly status?: number;
  readonly maybeSent: boolean;
  readonly sentence: string;
  readonly next: string;
  readonly retryAfterSeconds?: number;
  readonly instead?: string;
  readonly cause?: unknown;
};

/** Why an operation failed, in sentences for people. They never contain the token or a raw body. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly kind: ProblemKind;
  readonly op: OperationId;
  /** The HTTP status, when the API answered with one. */
  readonly status?: number;
  /**
   * Whether the operation may have been done. True for a write: the outcome is unknown, so it must not be sent again
   * before the workload was read. False: it was never sent, or the API refused it with a 4xx.
   */
  readonly maybeSent: boolean;
  /** One line, ending with a full stop: what happened and why. */
  readonly sentence: string;
  /** One or two sentences: the next step. */
  readonly next: string;
  /** From the API's `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Of a 404: what the name is instead, as sentences. */
  readonly instead?: string;

  constructor(details: ProblemDetails) {
    super(`${details.sentence} ${details.next}`, details.cause === undefined ? {} : { cause: details.cause });
    this.kind = details.kind;
    this.op = details.op;
    this.maybeSent = details.maybeSent;
    this.sentence = details.sentence;
    this.next = details.next;
    if (details.instead !== undefined) this.instead = details.instead;
    if (details.status !== undefined) this.status = details.status;
    if (details.retryAfterSeconds !== undefined) this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
