import { checkedBody } from "./checked-body.ts";
import { fieldError } from "./field-error.ts";
import { jsonBody } from "./json-body.ts";
import { logDate } from "./log-date.ts";
import { NotServed } from "./not-served.ts";
import type { Route, RouteParameter } from "./routes.ts";
import type { Pointer } from "./spec.ts";
import type { Validate } from "./validator.ts";

/** A Call without its `op`, read from a request and validated. */
export type ReadCall = {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;
};
type Context = { readonly compile: (pointer: Pointer) => Validate; readonly now: () => Date };
type Incoming = { readonly request: Request; readonly segments: readonly string[]; readonly query: URLSearchParams };

/**
 * Returns a function that reads the requests of one operation. It fills in the defaults of the contract and writes log
 * dates with two digits. Throws a `NotServed` 400 or 413 that names the field. Unknown fields are ignored in the query
 * and refused in the body. `segments` is the path below the base, still encoded.
 */
export function callReader(route: Route, { compile, now }: Context): (incoming: Incoming) => Promise<ReadCall> {
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

/** Decodes a name once. Throws a `NotServed` 400 for a name with slashes or control characters. */
function decoded(segment: string, name: string): string {
  try {
    const value = decodeURIComponent(segment);
    if (!/[/\\\p{Cc}]/u.test(value)) return value;
  } catch {
    // Invalid percent-encoding is refused below.
  }
  throw new NotServed(400, `${name} must not contain slashes, control characters or broken percent signs`);
}

function queryValue(query: URLSearchParams, { name, required, schema }: RouteParameter): unknown {
  const values = query.getAll(name);
  if (values.length > 1) throw new NotServed(400, `${name} is repeated: send it once`);
  const value = values[0];
  if (value === undefined && required === true) throw new NotServed(400, `${name} is required`);
  if (value === undefined) return schema.default;
  // Anything but a safe integer stays a text, so that the validation names the expected type.
  const isInteger = schema.type === "integer" && /^-?\d+$/.test(value) && Number.isSafeInteger(Number(value));
  return isInteger ? Number(value) : value;
}

function conforming(value: unknown, { name, description }: RouteParameter, validate: Validate): unknown {
  const error = validate(value);
  if (error) throw new NotServed(400, fieldError(error, { name, ...(description !== undefined && { description }) }));
  return value;
}

/** The schema's pattern can't check the length of a month or compare with today. */
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
