import type { Clock } from "../../platform/clock.ts";
import { checkedBody } from "./checked-body.ts";
import { fieldError, NotServed } from "./answers.ts";
import type { Route, RouteParameter, Pointer, Validate } from "./contract.ts";
import { decodedIn } from "../../platform/optional.ts";

/** A Call without its `op`, read from a request and validated. */
export type ReadCall = {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;
};

type Incoming = { readonly request: Request; readonly segments: readonly string[]; readonly query: URLSearchParams };

/**
 * Returns a function that reads the requests of one operation. It fills in the defaults of the contract and writes log
 * dates with two digits. Throws a `NotServed` 400 or 413 that names the field. Unknown fields are ignored in the query
 * and refused in the body. `segments` is the path below the base, still encoded.
 */
export function callReader(
  route: Route,
  { compile, clock }: { readonly compile: (pointer: Pointer) => Validate; readonly clock: Pick<Clock, "now"> },
): (incoming: Incoming) => Promise<ReadCall> {
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
      if (value === undefined) return [];
      const valid = conforming(value, parameter, validate);
      // The schema's pattern can't check the length of a month or compare with today.
      const isDay = parameter.name === "date" && typeof valid === "string";
      return [[parameter.name, isDay ? logDate(valid, clock.now()) : valid]];
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
  const value = decodedIn(segment);
  if (value !== undefined && !/[/\\\p{Cc}]/u.test(value)) return value;
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

async function readBody(request: Request, validate: Validate, required: boolean): Promise<unknown> {
  const body = await jsonBody(request);
  if (body === undefined && !required) return undefined;
  if (body === undefined) throw new NotServed(400, "a JSON body is required");
  const error = validate(body);
  if (error) throw new NotServed(400, fieldError(error));
  return body;
}

/**
 * Normalizes a day: `2026.11.5` becomes `2026.11.05`. Throws a `NotServed` 400 for invalid days and for days after today
 * in UTC, which can't have a log yet.
 */
function logDate(text: string, now: Date): string {
  const [year = NaN, month = NaN, day = NaN] = text.split(".").map(Number);
  const date = new Date(Date.UTC(year, month - 1, day));
  // Date.UTC reads years below 100 as 19xx. They are refused like days that roll over, such as 2026.02.30.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw new NotServed(400, `date ${text} doesn't exist`);
  }
  if (date.getTime() > now.getTime()) {
    throw new NotServed(400, `date ${text} is in the future: today is ${dotted(now)} in UTC`);
  }
  return dotted(date);
}

function dotted(date: Date): string {
  return date.toISOString().slice(0, 10).replaceAll("-", ".");
}

/** The API sets no limit; `openapi.yaml` documents ours (TooLarge). */
const bodyLimitBytes = 1_000_000;

/**
 * Reads the JSON body of a request; undefined without a body. Refuses invalid, ambiguous or incomplete JSON with 400, a
 * compressed body with 415, and a body over the limit with 413: by its `Content-Length` before a byte is read, else as
 * soon as the limit is passed.
 */
export async function jsonBody(request: Request): Promise<unknown> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new NotServed(415, "the body is encoded: send it as it is, without the header Content-Encoding");
  }
  if (Number(request.headers.get("content-length") ?? 0) > bodyLimitBytes) throw tooLarge();
  const bytes = await limitedBytes(request).catch((error: unknown) => {
    if (error instanceof NotServed) throw error;
    throw new NotServed(400, "the body is incomplete: send it again");
  });
  if (bytes.length === 0) return undefined;
  if (request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new NotServed(400, "the body must be JSON: send the header Content-Type: application/json");
  }
  return parsed(bytes);
}

async function limitedBytes(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > bodyLimitBytes) {
      await reader?.cancel();
      throw tooLarge();
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

/** The parser's own message is neither sent nor logged: it quotes the body, which may hold secrets. */
function parsed(bytes: Buffer): unknown {
  let text: string;
  let body: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    body = JSON.parse(text);
  } catch {
    throw new NotServed(400, "the body isn't valid JSON in UTF-8");
  }
  const repeated = repeatedName(text);
  if (repeated === undefined) return body;
  const shown = /^\w{1,40}$/u.test(repeated) ? repeated : "a name in the body";
  throw new NotServed(400, `${shown} occurs twice in one object: send it once`);
}

/** The parts of valid JSON that tell its objects apart. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(?<name>\s*:)?|[{}]/gu;

/**
 * The first name that an object of this valid JSON has twice; `JSON.parse` keeps the last value without a word. Not by a
 * library: those that tell recurse, and a body can be nested deeper than the stack.
 */
function repeatedName(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, groups } of json.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (groups?.["name"] !== undefined) {
      const name = JSON.parse(token.slice(0, token.lastIndexOf(":"))) as string; // a string, by the pattern
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

function tooLarge(): NotServed {
  return new NotServed(413, `the body is larger than ${bodyLimitBytes} bytes: send less`);
}
