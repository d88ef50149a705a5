import { once } from "node:events";
import type { Server, ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../platform/clock.ts";
import type { Guard } from "../../platform/http/guard-server.ts";
import { httpServer } from "../../platform/http/listen.ts";
import { json } from "./answers.ts";
import { features, type OpenedEngine } from "../engine.ts";

type Fetch = (request: Request) => Promise<Response>;
export type Listening = Awaited<ReturnType<typeof listen>>;
type ListenOptions = Guard & {
  readonly host: string;
  readonly port: number;
  readonly limits?: ServerOptions;
  readonly clock: Pick<Clock, "after">;
};

/**
 * Listens on HTTP and answers `/healthz` and `/livez`, which need no token. Port 0 takes any free one. Rejects with Node's error when
 * it cannot listen (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` …).
 */
export async function listen({ host, port, clock, ...options }: ListenOptions) {
  let served: Served | undefined;
  const server = httpServer((request, { url = "" }) => answered(request, url, served), options);
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address() as AddressInfo; // it listens on a host and a port
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    /** Answers requests with `fetch` from now on; before, every answer is 503. `/healthz` is about `engine`. */
    answerWith: (fetch: Fetch, engine: Healthy) => {
      served = { fetch, engine };
    },
    /** Accepts no more requests and closes the connections of those that take longer than `drainMs`. */
    close: (drainMs: number) => closeServer(server, drainMs, clock),
  };
}

type Served = { readonly fetch: Fetch; readonly engine: Healthy };

/** `target` is the request's path and query as they were sent. */
async function answered(request: Request, target: string, served: Served | undefined): Promise<Response> {
  const [path = ""] = target.split("?");
  if (isHealth(path)) return health(served?.engine);
  // Also while a cluster or a database is away: a restart of this process would mend neither.
  if (path === "/livez") return json(200, { status: "ok" });
  if (!served) return json(503, { message: "the workload API is starting: try again in a moment" });
  if (hasDotSegment(target)) return json(400, { message: "a path must not contain . or .. as a name" });
  return await served.fetch(request);
}

/**
 * Whether the target, as sent, has a segment `.` or `..`. URL parsers resolve it, even encoded (WHATWG URL, "double-dot
 * URL path segment"), so a workload named `..` would silently lead to another one.
 */
function hasDotSegment(target: string): boolean {
  const path = target.split("?")[0] ?? "";
  return path.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

async function closeServer(server: Server, drainMs: number, clock: Pick<Clock, "after">): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const timer = clock.after(drainMs, () => server.closeAllConnections());
  await closed;
  timer.cancel();
}

export type Healthy = Pick<OpenedEngine, "ready" | "about">;

/** Answers `/healthz`, which needs no token; everything else goes to `fetch`. For a server without a socket. */
export function withHealth(fetch: Fetch, engine: Healthy): Fetch {
  return async (request) => (isHealth(new URL(request.url).pathname) ? health(engine) : fetch(request));
}

export function isHealth(path: string): boolean {
  return path === "/healthz";
}

/** 200 while requests can be served, else 503. It names the engine; undefined while that is being opened. */
export function health(engine: Healthy | undefined): Response {
  if (!engine) return json(503, { status: "starting" });
  const readiness = engine.ready();
  const about = described(engine);
  return readiness.ok
    ? json(200, { status: "ok", engine: about })
    : json(503, { status: "not ready", message: readiness.reason, engine: about });
}

function described({ about }: Healthy): object {
  const { name, title, regions, updates, images } = about();
  return {
    name,
    title,
    // Beyond the API's document: see MemoryUpdate and ServiceUpdate in openapi.yaml.
    update_memory: "any",
    updates,
    ...(images !== undefined && { images }),
    // See docs/events.openapi.yaml.
    events: true,
    regions: regions.map(({ cannot, ...region }) => ({
      ...region,
      cannot: cannot.map(({ feature, effect, why }) => {
        const { words, field } = features[feature];
        return { field, what: words, effect, why };
      }),
    })),
  };
}
