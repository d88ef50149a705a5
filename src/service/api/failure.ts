import { randomUUID } from "node:crypto";
import { Refusal } from "../engine.ts";
import { json, WrongAnswer } from "./answerer.ts";
import { NotServed } from "./not-served.ts";
import type { Route } from "./routes.ts";

/** The part of a pino logger that `serve` uses. */
export type ServeLog = {
  readonly error: (data: object, message: string) => void;
  readonly warn: (data: object, message: string) => void;
};

/**
 * Turns an error into an answer `{"message": …}` with a reference in the header `X-Request-Id`. The cause of a refusal
 * is logged under that reference. An unexpected error is a bug: its answer is a 500 without details, and the log has
 * the error.
 */
export function failureAnswer(error: unknown, log: ServeLog | undefined): Response {
  const reference = randomUUID().slice(0, 8);
  const named = { "X-Request-Id": reference };
  if (error instanceof NotServed || error instanceof Refusal) {
    const { status, message, cause } = error;
    if (cause !== undefined) log?.warn({ err: cause, reference, status }, "refused a request");
    const instead = error instanceof Refusal ? error.instead : undefined;
    return json(status, { message, ...(instead !== undefined && { instead }) }, { ...named, ...headersOf(error) });
  }
  log?.error({ err: error, reference }, "internal error in the workload API");
  const message = `internal error in the workload API, reference ${reference}`;
  return json(500, { message }, named);
}

function headersOf(error: NotServed | Refusal): Readonly<Record<string, string>> {
  if (error instanceof NotServed) return error.headers;
  return error.retryAfterSeconds === undefined ? {} : { "Retry-After": String(error.retryAfterSeconds) };
}

/** A refusal with a status that the contract does not name for the operation is as wrong as a wrong body. */
export function documented(error: unknown, route: Route): unknown {
  if (!(error instanceof Refusal) || route.statuses.has(error.status)) return error;
  return new WrongAnswer(`${route.op} refused with ${error.status}, which openapi.yaml doesn't list for it`, {
    cause: error,
  });
}
