import { fieldError } from "./field-error.ts";
import type { Route } from "./routes.ts";
import type { Pointer } from "./spec.ts";
import type { Validate } from "./validator.ts";

/** An answer or refusal that the contract doesn't allow: a bug of the service or its engine. */
export class WrongAnswer extends Error {
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
