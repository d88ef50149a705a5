import { lookFirst } from "./advice.ts";
import type { OperationId } from "./operations.ts";
import { Problem } from "./problem.ts";

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
  /** What the service said, already fit to be shown. */
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
    next: lookFirst(op, maybeSent, later || "Try again later; some services count calls per day."),
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
