import { checkedBody } from "./checked-body.ts";
import { fieldError } from "./field-error.ts";
import { jsonBody } from "./json-body.ts";
import { logDate } from "./log-date.ts";
import { NotServed } from "./not-served.ts";
import type { Route, RouteParameter } from "./routes.ts";
import type { Pointer } from "./spec.ts";
import type { Validate } from "./validator.ts";

/** A Call without its `op`, as read from a request and found to be of the documented form. */
export type ReadCall = {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;
};
type Context = { readonly compile: (pointer: Pointer) => Validate; readonly now: () => Date };
type Place = { readonly request: Request; readonly segments: readonly string[]; readonly query: URLSearchParams };

/**
 * Makes the reader of one operation's requests. It refuses with a sentence that names the field (400, 413), fills in
 * the defaults of the contract and writes log dates with two digits. What the contract does not name is ignored in the
 * query and refused in the body. `segments` is the path below the base, still encoded.
 */
export function callReader(route: Route, { compile, now }: Context): (place: Place) => Promise<ReadCall> {
  const checked = route.parameters.map((parameter) => ({ parameter, validate: compile(parameter.schemaAt) }));
  const names = route.template.split("/");
  const ofPath = checked.filter(({ parameter }) => parameter.in === "path");
  const ofQuery = checked.filter(({ parameter }) => parameter.in === "query");
  const validateBody = route.body && compile(route.body.schema);
  return async ({ request, segments, query }) => {
    const path = ofPath.map(({ parameter, validate }) => {
      const value = decoded(segments[names.indexOf(`{${parameter.name}}`)] ?? "", parameter.name);
      return [parameter.name, conforming(value, parameter, validate)];
    });
    const queried = ofQuery.flatMap(({ parameter, validate }) => {
      const value = queryValue(query, parameter);
      return value === undefined
        ? []
        : [[parameter.name, dated(conforming(value, parameter, validate), parameter, now)]];
    });
    return {
      path: Object.fromEntries(path),
      query: ofQuery.length > 0 ? Object.fromEntries(queried) : undefined,
      body: validateBody && checkedBody(route.op, await readBody(request, validateBody, route.body?.required ?? false)),
    };
  };
}

/** Decoded once. A name with an encoded slash stays one name, and no name may hold a slash or control characters. */
function decoded(segment: string, name: string): string {
  try {
    const value = decodeURIComponent(segment);
    if (!/[/\\\p{Cc}]/u.test(value)) return value;
  } catch {
    // Not percent-encoded UTF-8: refused below, like the others.
  }
  throw new NotServed(400, `${name} must not hold slashes, control characters or broken percent signs`);
}

function queryValue(query: URLSearchParams, { name, required, schema }: RouteParameter): unknown {
  const values = query.getAll(name);
  if (values.length > 1) throw new NotServed(400, `${name} is there ${values.length} times: send it once`);
  const value = values[0];
  if (value === undefined && required === true) throw new NotServed(400, `${name} is required`);
  if (value === undefined) return schema.default;
  // A text that is no safe integer stays a text, so that the check below says what was expected.
  const isInteger = schema.type === "integer" && /^-?\d+$/.test(value) && Number.isSafeInteger(Number(value));
  return isInteger ? Number(value) : value;
}

function conforming(value: unknown, { name, description }: RouteParameter, validate: Validate): unknown {
  const error = validate(value);
  if (error) throw new NotServed(400, fieldError(error, { name, ...(description !== undefined && { description }) }));
  return value;
}

/** The pattern of a date cannot say how long a month is, nor what day it is today. */
function dated(value: unknown, { name }: RouteParameter, now: () => Date): unknown {
  return name === "date" && typeof value === "string" ? logDate(value, now()) : value;
}

async function readBody(request: Request, validate: Validate, required: boolean): Promise<unknown> {
  const body = await jsonBody(request);
  if (body === undefined && !required) return undefined;
  if (body === undefined) throw new NotServed(400, "a JSON body is required");
  const error = validate(body);
  if (error) throw new NotServed(400, fieldError(error));
  return body;
}
