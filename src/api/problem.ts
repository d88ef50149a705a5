import type { OperationId } from "./operations.ts";

/**
 * - `refused`: the service answered, and said no (4xx, 5xx)
 * - `unreachable`: no connection, or it broke off
 * - `timeout`: no complete answer in time
 * - `unexpected`: an answer that is not of this API
 * - `aborted`: the caller gave up
 * - `invalid`: not sent at all, because it could never be right
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
  readonly cause?: unknown;
};

/** Why an operation has no answer, in words that people can read. Its texts never hold the token or a raw body. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly kind: ProblemKind;
  readonly op: OperationId;
  /** The HTTP status, when the service answered with one. */
  readonly status?: number;
  /**
   * Whether the operation may have been done. For a write, true means that the outcome is unknown: it must not be sent
   * again before somebody looked. False: it was not done (it never left, or the service refused it with a 4xx).
   */
  readonly maybeSent: boolean;
  /** What happened and why: one line that ends with a full stop. */
  readonly sentence: string;
  /** What to do about it: one or two sentences. */
  readonly next: string;
  /** Seconds until the service takes calls again, as it said itself. */
  readonly retryAfterSeconds?: number;

  constructor(details: ProblemDetails) {
    super(`${details.sentence} ${details.next}`, details.cause === undefined ? {} : { cause: details.cause });
    this.kind = details.kind;
    this.op = details.op;
    this.maybeSent = details.maybeSent;
    this.sentence = details.sentence;
    this.next = details.next;
    if (details.status !== undefined) this.status = details.status;
    if (details.retryAfterSeconds !== undefined) this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
