import { randomUUID } from "node:crypto";
import { annotate } from "../../platform/trail.ts";
import { fieldError } from "./field-error.ts";
import type { Route, Pointer, Validate } from "./contract.ts";
import { Refusal } from "../engine.ts";

/**
 * Refuses a request before an engine sees it: routing, authentication, validation and limits. The `cause` is logged and
 * never sent to the client.
 */
export class NotServed extends Error {
  override readonly name = "NotServed";
  readonly status: 400 | 401 | 404 | 405 | 413 | 415 | 429;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: NotServed["status"],
    message: string,
    { headers = {}, ...options }: ErrorOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message, options);
    this.status = status;
    this.headers = headers;
  }
}

/** An answer or refusal that the contract doesn't allow: a bug of the service or its engine. */
class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

/**
 * Returns a function that makes the 200 answers of one operation: text if the contract names `text/plain`, otherwise
 * JSON. With `compile` each body is checked against the contract, and a wrong one throws a `WrongAnswer`.
 */
export function answerer(route: Route, compile?: (pointer: Pointer) => Validate): (body: unknown) => Response {
  const checks = new Map([...route.answers].map(([type, pointer]) => [type, compile?.(pointer)]));
  return (body) => {
    const type = typeof body === "string" && route.answers.has("text/plain") ? "text/plain" : "application/json";
    const error = checks.get(type)?.(body);
    if (error) throw new WrongAnswer(`${route.op} answered off the contract: ${fieldError(error)}`);
    return type === "text/plain" ? new Response(String(body), { headers: { "Content-Type": type } }) : json(200, body);
  };
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers });
}

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
  annotate({ reference });
  const named = { "X-Request-Id": reference };
  if (error instanceof NotServed || error instanceof Refusal) {
    const { status, message, cause } = error;
    if (cause !== undefined) log?.warn({ err: cause, reference, status }, "refused a request");
    const instead = error instanceof Refusal ? error.instead : undefined;
    const retryAfter = error instanceof Refusal ? error.retryAfterSeconds : undefined;
    return json(
      status,
      { message, ...(instead !== undefined && { instead }) },
      {
        ...named,
        ...(error instanceof NotServed && error.headers),
        ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
      },
    );
  }
  log?.error({ err: error, reference }, "internal error in the workload API");
  const message = `internal error in the workload API, reference ${reference}`;
  return json(500, { message }, named);
}

/** A refusal with a status that the contract does not name for the operation is as wrong as a wrong body. */
export function documented(error: unknown, route: Route): unknown {
  if (!(error instanceof Refusal) || route.statuses.has(error.status)) return error;
  return new WrongAnswer(`${route.op} refused with ${error.status}, which openapi.yaml doesn't list for it`, {
    cause: error,
  });
}
