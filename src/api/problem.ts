import { defined } from "../platform/optional.ts";
import { type OperationId, operationTable } from "./operations.ts";

/**
 * - `refused`: the API answered with an error (4xx, 5xx)
 * - `unreachable`: no connection, or it broke off
 * - `timeout`: no complete answer in time
 * - `unexpected`: the answer isn't of this API
 * - `aborted`: the caller gave up
 * - `invalid`: not sent, because it could never succeed
 */
export type ProblemKind = "refused" | "unreachable" | "timeout" | "unexpected" | "aborted" | "invalid";

export type ProblemDetails = Pick<Problem, "kind" | "op" | "maybeSent" | "sentence" | "next"> & {
  readonly [Name in "status" | "retryAfterSeconds" | "instead"]?: Problem[Name] | undefined;
} & { readonly cause?: unknown };

/** Why an operation failed, in sentences for people. They never contain the token or a raw body. */
export class Problem extends Error {
  override readonly name = "Problem";
  declare readonly kind: ProblemKind;
  declare readonly op: OperationId;
  /** The HTTP status, when the API answered with one. */
  declare readonly status?: number;
  /**
   * Whether the operation may have been done. True for a write: the outcome is unknown, so it must not be sent again
   * before the workload was read. False: it was never sent, or the API refused it with a 4xx.
   */
  declare readonly maybeSent: boolean;
  /** One line, ending with a full stop: what happened and why. */
  declare readonly sentence: string;
  /** One or two sentences: the next step. */
  declare readonly next: string;
  /** From the API's `Retry-After`. */
  declare readonly retryAfterSeconds?: number;
  /** Of a 404: what the name is instead, as sentences. */
  declare readonly instead?: string;

  constructor({ cause, ...details }: ProblemDetails) {
    super(`${details.sentence} ${details.next}`, defined({ cause }));
    Object.assign(this, defined(details));
  }

  /** The same in other words, for what must not be repeated. */
  inOtherWords(reworded: (text: string) => string): Problem {
    const { kind, op, status, maybeSent, retryAfterSeconds, cause } = this;
    const [sentence, next] = [reworded(this.sentence), reworded(this.next)];
    const instead = this.instead === undefined ? undefined : reworded(this.instead);
    return new Problem({ kind, op, maybeSent, sentence, next, cause, status, retryAfterSeconds, instead });
  }
}

const TRY_AGAIN = "Try again in a minute. If this keeps happening, contact your Gantry admin.";
const NOT_SENT = "Nothing was sent. Try again.";

/** Not sent: the call could never succeed. */
export function invalid(op: OperationId, sentence: string, next: string): Problem {
  return new Problem({ kind: "invalid", op, maybeSent: false, sentence, next });
}

/** The caller gave up. `maybeSent`: whether the request had already left. */
export function aborted(op: OperationId, maybeSent: boolean): Problem {
  const sentence = "The request was stopped before the workload API answered.";
  const next = nextStep(op, maybeSent, maybeSent ? "Try again." : NOT_SENT);
  return new Problem({ kind: "aborted", op, maybeSent, sentence, next });
}

/** `mayLeave` said no right before the request would have left. */
export function heldBack(op: OperationId): Problem {
  const sentence = "The request took too long to prepare, and its time to run was over.";
  return new Problem({ kind: "aborted", op, maybeSent: false, sentence, next: NOT_SENT });
}

export function timedOut(op: OperationId, limitMs: number, maybeSent: boolean): Problem {
  const sentence = `The workload API didn't answer in ${limitMs / 1000} s.`;
  const next = nextStep(op, maybeSent, TRY_AGAIN);
  return new Problem({ kind: "timeout", op, maybeSent, sentence, next });
}

/** The answer isn't of this API. `what` completes "The workload API sent …". */
export function unexpected(op: OperationId, what: string, status?: number): Problem {
  const check =
    "If this keeps happening, ask your Gantry admin to check WORKLOAD_API_URL: a login page or proxy may be answering.";
  return new Problem({
    kind: "unexpected",
    op,
    maybeSent: true,
    sentence: `The workload API sent ${what}.`,
    next: `${nextStep(op, true, "Try again.")} ${check}`,
    status,
  });
}

/** The answer is longer than the limit. */
export function tooLong(op: OperationId, limitBytes: number, status: number): Problem {
  const size = limitBytes >= 1024 * 1024 ? `${Math.floor(limitBytes / (1024 * 1024))} MB` : `${limitBytes} bytes`;
  if (op !== "listServices" && op !== "listJobs") return unexpected(op, `an answer of more than ${size}`, status);
  return new Problem({
    kind: "unexpected",
    op,
    maybeSent: true,
    sentence: `The workload API sent a list of more than ${size}, the most that Gantry reads.`,
    next: "Trying again won't help. Name a workload instead, as in “show web”: Gantry then reads that one alone.",
    status,
  });
}

/** No connection, or it broke off. `host` includes the port. */
export function unreachable(op: OperationId, cause: unknown, host: string): Problem {
  const reason = unsentReason(cause);
  const maybeSent = reason === undefined;
  return new Problem({
    kind: "unreachable",
    op,
    maybeSent,
    sentence: `The workload API at ${host} ${reason ?? "closed the connection before its answer was complete"}.`,
    next: nextStep(op, maybeSent, TRY_AGAIN),
    cause,
  });
}

const NAME_UNKNOWN = "wasn't found: its host name is unknown";
const CERTIFICATE = "has a TLS certificate that isn't trusted";

// Codes of Node (https://nodejs.org/api/errors.html#common-system-errors), TLS and undici that can only occur before a
// request is written. A code that can also occur later must not be listed: a write that was done would count as not sent.
const beforeSending: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ENOTFOUND: NAME_UNKNOWN,
  EAI_AGAIN: NAME_UNKNOWN,
  EAI_FAIL: NAME_UNKNOWN,
  UND_ERR_CONNECT_TIMEOUT: "didn't accept a connection in time",
  CERT_HAS_EXPIRED: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
};

/** Follows "The workload API at …" when nothing was sent; undefined when something might have been. */
function unsentReason(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined;
  // Several addresses were tried (localhost has two). The one that got furthest decides.
  if (error instanceof AggregateError) {
    const reasons = error.errors.map((each) => unsentReason(each, depth + 1));
    return reasons.includes(undefined) ? undefined : reasons[0];
  }
  const known = "code" in error ? beforeSending[String(error.code)] : undefined;
  if (known !== undefined) return known;
  if ("syscall" in error && error.syscall === "connect") return "couldn't be reached";
  return unsentReason(error.cause, depth + 1);
}

type Words = { readonly sentence: string; readonly next: string };

const CORRECT_IT = "Correct the values and try again.";
const FAILED: Words = { sentence: "The workload API failed", next: TRY_AGAIN };
const DOWN: Words = { ...FAILED, sentence: "The workload API is unavailable" };

const words: Readonly<Record<number, Words>> = {
  400: { sentence: "The workload API rejected the request", next: CORRECT_IT },
  401: {
    sentence: "The workload API rejected the user name or token",
    next: "The token is wrong or expired. Connect your account again, or ask your Gantry admin to renew the shared one.",
  },
  403: {
    sentence: "The workload API doesn't allow this account to do that",
    next: "Connect another account, or ask your Gantry admin for access or a larger quota.",
  },
  404: { sentence: "The workload API didn't find it", next: "Check the name and the region." },
  405: {
    sentence: "The workload API doesn't offer this operation",
    next: "Ask your Gantry admin to check WORKLOAD_API_URL.",
  },
  409: {
    sentence: "The workload's state doesn't allow this, or the name is taken",
    next: "Check its status, then try again.",
  },
  413: { sentence: "The request is too large for the workload API", next: "Make it smaller and try again." },
  422: { sentence: "The workload API rejected the request", next: CORRECT_IT },
  429: { sentence: "The workload API accepts no more requests from this account for now", next: "" },
  500: FAILED,
  502: DOWN,
  503: DOWN,
  504: { ...DOWN, sentence: "The workload API didn't answer in time" },
};

/** Before the API's own message. */
const REFUSED: Readonly<Record<number, string>> = {
  403: "The workload API refused the request",
  409: "The workload API refused the request",
};

export type Refused = {
  readonly op: OperationId;
  readonly status: number;
  /** The API's own message, already displayable. */
  readonly detail: string | undefined;
  /** What the name is that no workload has, likewise. */
  readonly instead?: string | undefined;
  readonly retryAfterSeconds: number | undefined;
};

/**
 * The API said no. After a 4xx a write was not done. After a 5xx it may have been: a gateway can lose the answer to a
 * write that succeeded.
 */
export function refusal({ op, status, detail, instead, retryAfterSeconds }: Refused): Problem {
  const { next, ...general } =
    words[status] ?? (status >= 500 ? FAILED : { sentence: "The workload API refused the request", next: CORRECT_IT });
  // What the API says is better than a guess at it.
  const sentence = detail === undefined ? general.sentence : (REFUSED[status] ?? general.sentence);
  const maybeSent = status >= 500;
  const { told, advice } = partsOf(detail);
  const said = told === undefined ? `${sentence} (HTTP ${status}).` : `${sentence}: ${ended(told)}`;
  // Only a message about a quota is helped by a larger one.
  const accessAdvice = /\bquota/iu.test(told ?? "")
    ? "Use less, or ask your Gantry admin for a larger quota."
    : "If you need this, ask your Gantry admin.";
  const todo = told !== undefined && status === 403 ? accessAdvice : next;
  const later = retryAfterSeconds === undefined ? (advice ?? todo) : `Try again in ${duration(retryAfterSeconds)}.`;
  return new Problem({
    kind: "refused",
    op,
    status,
    maybeSent,
    sentence: said,
    next: nextStep(op, maybeSent, later || "Try again later. The limit may be per day."),
    instead,
    retryAfterSeconds,
  });
}

/** After a 4xx, every view says that nothing was changed; after a 5xx, nobody knows. What the API advises after that is better than a guess. */
function partsOf(detail: string | undefined): { readonly told?: string; readonly advice?: string | undefined } {
  if (detail === undefined) return {};
  const [told = "", ...others] = detail.split(/\s*\bNothing was changed(?:\.\s*|$)/iu);
  const advice = others.filter((each) => each !== "").join(" ");
  return { ...(told !== "" && { told }), advice: advice === "" ? undefined : ended(advice) };
}

function ended(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

function duration(seconds: number): string {
  const [count, unit] =
    seconds < 120
      ? [Math.max(1, Math.ceil(seconds)), "second"]
      : seconds < 7200
        ? [Math.ceil(seconds / 60), "minute"]
        : [Math.ceil(seconds / 3600), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/**
 * The next step after a failure. A write with an unknown outcome must never be repeated blindly; otherwise, the given
 * advice.
 */
export function nextStep(op: OperationId, maybeSent: boolean, otherwise: string): string {
  const isUnknown = maybeSent && operationTable[op].effect === "write";
  return isUnknown ? "It may or may not have been done. Check the workload before you try again." : otherwise;
}

/** The API refuses the account: its token, or what it may do. */
export function refusesAccount({ status }: Pick<Problem, "status">): boolean {
  return status === 401 || status === 403;
}
