import { operationTable, type OperationId } from "./operations.ts";
import { Problem } from "./problem.ts";

const ASK_OPERATORS = "if it stays so, tell those who run this bot.";

/** Not sent: the call could never succeed. */
export function invalid(op: OperationId, sentence: string, next: string): Problem {
  return new Problem({ kind: "invalid", op, maybeSent: false, sentence, next });
}

/** The caller gave up. `maybeSent`: whether the request had already left. */
export function aborted(op: OperationId, maybeSent: boolean): Problem {
  const sentence = "The request was given up before the service had answered.";
  const unsent = maybeSent ? "Try again when you need it." : "Nothing was sent; try again when you need it.";
  return new Problem({ kind: "aborted", op, maybeSent, sentence, next: nextStep(op, maybeSent, unsent) });
}

/** `mayLeave` said no right before the request would have left. */
export function heldBack(op: OperationId): Problem {
  const sentence = "The request was held back in the last moment: by then it might have come too late.";
  const next = "Nothing was sent; try again when you need it.";
  return new Problem({ kind: "aborted", op, maybeSent: false, sentence, next });
}

export function timedOut(op: OperationId, limitMs: number, maybeSent: boolean): Problem {
  const seconds = limitMs / 1000;
  const sentence = `The service did not answer within ${seconds} second${seconds === 1 ? "" : "s"}.`;
  const next = nextStep(op, maybeSent, `Try again in a minute; ${ASK_OPERATORS}`);
  return new Problem({ kind: "timeout", op, maybeSent, sentence, next });
}

/** The answer isn't of this API. `what` completes "The service answered something unexpected: …". */
export function unexpected(op: OperationId, what: string, status?: number): Problem {
  const isWrite = operationTable[op].effect === "write";
  const check = "check that the bot's address of the service is right and that no login page or proxy answers instead.";
  return new Problem({
    kind: "unexpected",
    op,
    maybeSent: true,
    sentence: `The service answered something unexpected: ${what}.`,
    next: isWrite ? `${nextStep(op, true, "")} If it stays so, ${check}` : `Try again; if it stays so, ${check}`,
    ...(status !== undefined && { status }),
  });
}

/** No connection, or it broke off. `host` includes the port. */
export function unreachable(op: OperationId, cause: unknown, host: string): Problem {
  const reason = unsentReason(cause);
  const maybeSent = reason === undefined;
  const why = reason ?? "the connection broke off before the answer was complete";
  return new Problem({
    kind: "unreachable",
    op,
    maybeSent,
    sentence: `The service cannot be reached at ${host}: ${why}.`,
    next: nextStep(op, maybeSent, `Try again in a minute; ${ASK_OPERATORS}`),
    cause,
  });
}

const NAME_UNKNOWN = "its host name is not known";
const CERTIFICATE = "its certificate is not trusted";

// Codes of Node (https://nodejs.org/api/errors.html#common-system-errors), TLS and undici that can only occur before a
// request is written. A code that can also occur later must not be listed: a write that was done would count as not sent.
const beforeSending: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers there",
  ENOTFOUND: NAME_UNKNOWN,
  EAI_AGAIN: NAME_UNKNOWN,
  EAI_FAIL: NAME_UNKNOWN,
  UND_ERR_CONNECT_TIMEOUT: "no connection came about in time",
  CERT_HAS_EXPIRED: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
};

/** Why nothing was sent; undefined when something might have been. */
function unsentReason(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined;
  // Several addresses were tried (localhost has two). The one that got furthest decides.
  if (error instanceof AggregateError) {
    const reasons = error.errors.map((each) => unsentReason(each, depth + 1));
    return reasons.includes(undefined) ? undefined : reasons[0];
  }
  if (error.message === "bad port") return "fetch never calls this port (https://fetch.spec.whatwg.org/#port-blocking)";
  const known = "code" in error ? beforeSending[String(error.code)] : undefined;
  if (known !== undefined) return known;
  if ("syscall" in error && error.syscall === "connect") return "no connection came about";
  return unsentReason(error.cause, depth + 1);
}

type Words = { readonly sentence: string; readonly next: string };

const CORRECT_IT = "Check the values that were given and try again.";
const FAILED: Words = {
  sentence: "The service failed",
  next: "Try again in a minute; if it stays so, tell those who run the service.",
};
const DOWN: Words = { ...FAILED, sentence: "The service is not available at the moment" };

const words: Readonly<Record<number, Words>> = {
  400: { sentence: "The service did not accept the request", next: CORRECT_IT },
  401: {
    sentence: "The service did not accept the user name and token",
    next: "The token is wrong or has expired: renew it at the service, then link the account again.",
  },
  403: {
    sentence: "The workload API doesn't allow this account to do that",
    next: "Use another account, or ask your Gantry admin for the permission or a larger quota.",
  },
  404: { sentence: "The service knows no such thing", next: "Check the name and the region, or list what exists." },
  405: {
    sentence: "The service does not offer this operation",
    next: "Tell those who run this bot: its address of the service may be wrong.",
  },
  409: {
    sentence: "The state it is in does not allow that, or the name is taken",
    next: "Look at what exists and at its status; wait until it has settled, then try again.",
  },
  413: { sentence: "The request was too large for the service", next: "Make it smaller and try again." },
  422: { sentence: "The service did not accept the request", next: CORRECT_IT },
  429: { sentence: "The service takes no more calls from this account for now", next: "" },
  500: FAILED,
  502: DOWN,
  503: DOWN,
  504: { ...DOWN, sentence: "The service did not answer in time" },
};

function wordsOf(status: number): Words {
  return words[status] ?? (status >= 500 ? FAILED : { sentence: "The service refused the request", next: CORRECT_IT });
}

export type Refused = {
  readonly op: OperationId;
  readonly status: number;
  /** The service's own message, already displayable. */
  readonly detail: string | undefined;
  readonly retryAfterSeconds: number | undefined;
};

/**
 * The service said no. After a 4xx a write was not done. After a 5xx nobody knows: a gateway may have lost the answer of
 * a service that did it.
 */
export function refusal({ op, status, detail, retryAfterSeconds }: Refused): Problem {
  const { sentence, next } = wordsOf(status);
  const maybeSent = status >= 500;
  const said = detail === undefined ? `${sentence} (${status}).` : `${sentence} (${status}): ${ended(detail)}`;
  const later = retryAfterSeconds === undefined ? next : `Try again in ${duration(retryAfterSeconds)}.`;
  return new Problem({
    kind: "refused",
    op,
    status,
    maybeSent,
    sentence: said,
    next: nextStep(op, maybeSent, later || "Try again later; some services count calls per day."),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
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
  return isUnknown ? "Whether it was done is not known: look at it before you try again." : otherwise;
}
