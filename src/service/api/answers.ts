import { randomUUID } from "node:crypto";
import { annotate } from "../../platform/trail.ts";
import type { Route, Pointer, Validate } from "./contract.ts";
import { Refusal } from "../engine.ts";
import type { ErrorObject } from "ajv/dist/2020.js";
import { closest, distance } from "fastest-levenshtein";

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

/** The parameter that holds the value; without a name, the body. */
type Field = { readonly name?: string; readonly description?: string };

/**
 * Describes the error in a sentence that names the field: "containers[0].image is required". It never contains the
 * value, which may be a secret.
 */
export function fieldError(error: ErrorObject, field: Field = {}): string {
  const at = (field.name ?? "") + pathOf(error.instancePath);
  if (error.keyword === "required") return `${joined(at, text(error.params["missingProperty"]))} is required`;
  if (error.keyword === "additionalProperties") return unknownProperty(at, error);
  return `${at === "" ? "the body" : at.replace(/^\./, "")} ${rule(error, field.description)}`;
}

/** Without this error, a misspelt property would be ignored silently. */
function unknownProperty(at: string, { params, parentSchema }: ErrorObject): string {
  const name = String(params["additionalProperty"]);
  const known = Object.keys(Object(parentSchema?.["properties"]));
  const near = nearest(name, known);
  const next = near === undefined ? `use only ${known.join(", ")}` : `did you mean ${near}?`;
  return `${joined(at, shortened(name))} isn't a property of this request: ${next}`;
}

const longestName = 60;

function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName || known.length === 0) return undefined;
  const near = closest(name.toLowerCase(), known);
  return distance(name.toLowerCase(), near.toLowerCase()) <= Math.max(2, near.length / 4) ? near : undefined;
}

/** The name comes from the client: it can be a megabyte long or contain control characters. */
function shortened(name: string): string {
  const visible = name.replaceAll(/\p{C}/gu, "?");
  return visible.length > longestName ? `${visible.slice(0, longestName)}…` : visible;
}

const rules: Readonly<Record<string, (limit: unknown) => string>> = {
  type: (type) => `must be ${[type].flat().map(typeWords).join(" or ")}`,
  minimum: (limit) => `must be at least ${text(limit)}`,
  maximum: (limit) => `must be at most ${text(limit)}`,
  minLength: (limit) => (limit === 1 ? "must not be empty" : `must have at least ${text(limit)} characters`),
  maxLength: (limit) => `must have at most ${text(limit)} characters`,
  minItems: (limit) => (limit === 1 ? "must not be empty" : `must have at least ${text(limit)} entries`),
  maxItems: (limit) => `must have at most ${text(limit)} entries`,
  enum: (values) => `must be one of ${[values].flat().map(text).join(", ")}`,
};

function rule(error: ErrorObject, description: string | undefined): string {
  const words = rules[error.keyword];
  if (words) return words(error.schema);
  // A pattern or a choice of forms says little to people. The description in the contract does, without its part about
  // gaps of the API and what we added to it.
  const own: unknown = error.parentSchema?.["description"] ?? description;
  if (typeof own === "string")
    return `isn't valid: ${own
      .replace(/(?:Left open by the API|An extension:).*/s, "")
      .trim()
      .replaceAll(/\s+/g, " ")}`;
  return error.message ?? "isn't valid";
}

function typeWords(type: unknown): string {
  return typeNames[String(type)] ?? text(type);
}

const typeNames: Readonly<Record<string, string>> = {
  integer: "a whole number",
  array: "a list",
  string: "text",
  object: "an object",
  boolean: "true or false",
};

/** `/containers/0/image` → `.containers[0].image`. */
function pathOf(instancePath: string): string {
  return instancePath
    .split("/")
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key.replaceAll("~1", "/").replaceAll("~0", "~")}`))
    .join("");
}

function joined(at: string, key: string): string {
  return `${at}.${key}`.replace(/^\./, "");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
