import { randomUUID } from "node:crypto";
import { json, WrongAnswer } from "./answerer.ts";
import { Refusal } from "../engine.ts";
import { NotServed } from "./not-served.ts";
import type { Route } from "./routes.ts";

/** What is logged with; a pino logger fits. */
export type ServeLog = { readonly error: (data: object, message: string) => void };

/**
 * Turns what was thrown into an answer `{"message": …}`. What nobody meant to throw is a bug: its answer is a 500 with
 * a reference and no detail, and the same reference stands in the log with the error.
 */
export function failureAnswer(error: unknown, log: ServeLog | undefined): Response {
  if (error instanceof NotServed) return json(error.status, { message: error.message }, error.headers);
  if (error instanceof Refusal) return json(error.status, { message: error.message });
  const reference = randomUUID().slice(0, 8);
  log?.error({ err: error, reference }, "the service failed");
  return json(500, { message: `something broke in the service; its log says more under the reference ${reference}` });
}

/** A refusal with a status that the contract does not name for the operation is as wrong as a wrong body. */
export function documented(error: unknown, route: Route): unknown {
  if (!(error instanceof Refusal) || route.statuses.has(error.status)) return error;
  return new WrongAnswer(`${route.op} refused with ${error.status}, which the contract does not name for it`, {
    cause: error,
  });
}
