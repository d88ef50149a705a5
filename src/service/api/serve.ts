import { Hono } from "hono";
import { createHash, timingSafeEqual } from "node:crypto";
import { type AskedBy, askedByIn, warningHeaders } from "../../api/extension-headers.ts";
import { type Clock, machineClock } from "../../platform/clock.ts";
import { answerer, documented, failureAnswer, json, type ServeLog, NotServed } from "./answers.ts";
import { callReader, type ReadCall } from "./call-reader.ts";
import type { ChangesRequest, Engine, OpenedEngine, User } from "../engine.ts";
import { type Route, routesOf, loadSpec, type Pointer, type Validate, validatorsOf } from "./contract.ts";
import type { Account } from "./users.ts";

type Followed = {
  /** Undefined for a path or a method that the API doesn't have. */
  readonly operation: string | undefined;
  /** Of the client, as it was sent. */
  readonly traceparent: string | undefined;
};

/** Looks on while a request is answered, which resolves to the status of the answer and never rejects. */
export type Follow = (request: Followed, answer: () => Promise<number>) => Promise<void>;

export type ServeOptions = {
  readonly engine: Engine;
  /** Of the engine; without it the path of events is unknown. */
  readonly changes?: OpenedEngine["changes"];
  readonly users: readonly Account[];
  /** Regions where services may run; without it the engine alone decides. Jobs are not affected. */
  readonly regions?: readonly string[];
  /** Check each answer against the contract: a wrong one becomes a 500 and is logged. For development and tests. */
  readonly checkAnswers?: boolean;
  readonly rateLimitPerDay?: number;
  /** A prefix of every path, e.g. `/workloads`. */
  readonly basePath?: string;
  readonly log?: ServeLog;
  readonly follow?: Follow;
  readonly clock?: Pick<Clock, "now">;
};

/** The Container Workload Service over an engine, as a `fetch` function. It never rejects. */
export function serve(options: ServeOptions): (request: Request) => Promise<Response> {
  const routes = routesOf(loadSpec());
  const authenticate = authenticator(options.users);
  const { clock = machineClock, rateLimitPerDay } = options;
  const context: Context = {
    options,
    base: options.basePath?.replace(/\/+$/, "") ?? "",
    compile: validatorsOf(loadSpec()),
    clock,
    countCall: rateLimitPerDay === undefined ? () => undefined : callLimit(rateLimitPerDay, clock),
  };
  // The raw path, because the reader decodes names: an encoded slash must not lead to another route.
  const whole = new Hono<{ Variables: { user: User; operation?: string } }>({
    getPath: (request) => new URL(request.url).pathname,
  });
  const app = whole.basePath(context.base);
  const { changes, follow } = options;
  if (follow !== undefined) {
    const known = routes.map((route) => ({ method: route.method, path: honoPath(route), operation: route.op }));
    if (changes !== undefined) known.push({ method: "get", path: EVENTS, operation: "readEvents" });
    for (const { method, path, operation } of known) {
      app.on(method, path, async (c, next) => {
        c.set("operation", operation);
        await next();
      });
    }
    app.use(async (c, next) => {
      const { headers } = c.req.raw;
      await follow(
        { operation: c.get("operation"), traceparent: headers.get("traceparent") ?? undefined },
        async () => {
          await next();
          return c.res.status;
        },
      );
    });
  }
  app.use(async (c, next) => {
    c.set("user", authenticate(c.req.raw.headers));
    await next();
  });
  for (const route of routes) {
    const handle = handler(route, context);
    app.on(route.method, honoPath(route), (c) => handle(c.req.raw, c.get("user")));
  }
  if (changes !== undefined) {
    app.get(EVENTS, async (c) => json(200, await changes(changesIn(c.req.raw, c.req.param("region"), c.get("user")))));
    app.all(EVENTS, () => Promise.reject(notAllowed(["GET", "HEAD"])));
  }
  // After the operations: a request that gets here on a path of the contract has a method that the path doesn't allow.
  for (const route of routes) app.all(honoPath(route), () => Promise.reject(wrongMethod(routes, route)));
  app.notFound(() => {
    const unknown = "unknown path: the paths of this API start with /v1/regions/{region}/";
    return failureAnswer(new NotServed(404, unknown), options.log);
  });
  app.onError((error) => failureAnswer(error, options.log));
  return async (request) => app.fetch(request);
}

type Context = {
  readonly options: ServeOptions;
  readonly base: string;
  readonly compile: (pointer: Pointer) => Validate;
  readonly clock: Pick<Clock, "now">;
  readonly countCall: (username: string) => void;
};

function handler(route: Route, { options, base, compile, clock, countCall }: Context) {
  const read = callReader(route, { compile, clock });
  const answer = answerer(route, options.checkAnswers === true ? compile : undefined);
  const run = engineHandler(options.engine, route.op);
  return async (request: Request, user: User): Promise<Response> => {
    countCall(user.username);
    const { pathname, searchParams } = new URL(request.url);
    const segments = pathname.slice(base.length).split("/");
    const call = await read({ request, segments, query: searchParams });
    const region = String(call.path["region"]);
    if (options.regions && route.tags.includes("services") && !options.regions.includes(region)) {
      throw new NotServed(400, `unknown region ${region}: use ${options.regions.join(", ")}`);
    }
    const warnings = new Set<string>();
    const warn = (warning: string) => void warnings.add(warning);
    try {
      const asked = askedByIn(request.headers);
      const response = answer(await run({ ...call, user, signal: request.signal, asked, warn }));
      for (const [name, value] of Object.entries(warningHeaders(warnings))) response.headers.set(name, value);
      return response;
    } catch (error) {
      throw options.checkAnswers === true ? documented(error, route) : error;
    }
  };
}

type Run = (
  request: ReadCall & {
    readonly user: User;
    readonly signal: AbortSignal;
    readonly asked: Partial<AskedBy>;
    readonly warn: (warning: string) => void;
  },
) => Promise<unknown>;

function engineHandler(engine: Engine, op: string): Run {
  if (!Object.hasOwn(engine, op))
    throw new Error(`the engine has no ${op}: run npm run generate and let tsc say where`);
  return engine[op as keyof Engine] as Run; // the reader checks each request against the schema that its type comes from
}

function honoPath({ template }: Route): string {
  return template.replaceAll(/\{(\w+)\}/g, ":$1");
}

function wrongMethod(routes: readonly Route[], { template }: Route): NotServed {
  const methods = routes.filter((route) => route.template === template).map(({ method }) => method.toUpperCase());
  // HEAD is GET without a body, RFC 9110 §9.3.2; Hono answers it wherever there is a GET.
  return notAllowed(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])));
}

function notAllowed(methods: readonly string[]): NotServed {
  const allow = methods.join(", ");
  return new NotServed(405, `this path takes only ${allow}`, { headers: { Allow: allow } });
}

/** Beyond the API's document: docs/events.openapi.yaml. Waiting for changes counts as no call. */
const EVENTS = "/v1/regions/:region/events";
const LONGEST_WAIT_SECONDS = 60;

function changesIn({ url, signal }: Request, region: string, { username }: User): ChangesRequest {
  const { searchParams } = new URL(url);
  const after = searchParams.get("after") ?? undefined;
  const wait = searchParams.get("wait") ?? "0";
  if (!/^\d{1,2}$/u.test(wait) || Number(wait) > LONGEST_WAIT_SECONDS) {
    throw new NotServed(400, `wait must be a whole number of seconds from 0 to ${LONGEST_WAIT_SECONDS}`);
  }
  return { username, region, after, waitMs: Number(wait) * 1000, signal };
}

/**
 * Reads the user from the headers `username` and `Authorization: token <API_TOKEN>`, or refuses with 401. Only hashes
 * are kept. An unknown name is compared like a known one, so neither the sentence nor the response time reveals which
 * of the two was wrong.
 */
function authenticator(accounts: readonly Account[]): (headers: Headers) => User {
  const hashes = new Map(accounts.map(({ username, token }) => [username, hash(token)]));
  const unknown = hash("");
  return (headers) => {
    const username = headers.get("username") ?? "";
    const token = /^token +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    const matches = timingSafeEqual(hash(token), hashes.get(username) ?? unknown);
    if (!matches || token === "" || !hashes.has(username)) throw unauthorized();
    return { username };
  };
}

function unauthorized(): NotServed {
  return new NotServed(
    401,
    "the user name or the token is missing, unknown or expired: " +
      "send the headers `username: <USER_NAME>` and `Authorization: token <API_TOKEN>`",
    { headers: { "WWW-Authenticate": 'token realm="workloads"' } }, // RFC 9110 §15.5.2: a 401 names its scheme
  );
}

/** timingSafeEqual needs equal lengths, which hashes have and tokens don't. */
function hash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

const DAY_MS = 86_400_000;

/**
 * Counts calls per user and UTC day and refuses those over the limit with 429 and the seconds until the next day. The
 * counts live in memory and start at 0 with the server.
 */
function callLimit(callsPerDay: number, clock: Pick<Clock, "now">): (username: string) => void {
  let day = -1;
  const counts = new Map<string, number>();
  return (username) => {
    const ms = clock.now().getTime();
    if (Math.floor(ms / DAY_MS) !== day) {
      counts.clear();
      day = Math.floor(ms / DAY_MS);
    }
    const count = (counts.get(username) ?? 0) + 1;
    counts.set(username, count);
    if (count <= callsPerDay) return;
    const seconds = Math.ceil(((day + 1) * DAY_MS - ms) / 1000);
    throw new NotServed(429, `the limit of ${callsPerDay} calls per day is used up: try again tomorrow (UTC)`, {
      headers: { "Retry-After": String(seconds) },
    });
  };
}
