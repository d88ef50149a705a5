import { once } from "node:events";
import type { Server, ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "./answerer.ts";

type Fetch = (request: Request) => Promise<Response>;
export type Listening = {
  readonly url: string;
  /** From now on the requests are answered by this; before, everything is answered with 503. */
  readonly answerWith: (fetch: Fetch) => void;
  /** Accepts nothing more, lets what was accepted end for `drainMs`, then cuts it off. */
  readonly close: (drainMs: number) => Promise<void>;
};
type ListenOptions = Guard & { readonly host: string; readonly port: number; readonly limits?: ServerOptions };

/**
 * Listens on HTTP, with `/healthz` in front, which needs no token. Port 0 takes any free one. Rejects with Node's error
 * when it cannot listen (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` …).
 */
export async function listen({ host, port, ...options }: ListenOptions): Promise<Listening> {
  let answer: Fetch | undefined;
  const server = httpServer((request, { url = "" }) => answered(request, url, answer), options);
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address() as AddressInfo; // it listens on a host and a port
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    answerWith(fetch) {
      answer = fetch;
    },
    close: (drainMs) => closeServer(server, drainMs),
  };
}

/** `target` is the request's path and query as they were sent. */
async function answered(request: Request, target: string, answer: Fetch | undefined): Promise<Response> {
  if (target.split("?")[0] === "/healthz") return health(answer !== undefined);
  if (!answer) return json(503, { message: "the service is starting: try again in a moment" });
  if (hasDotSegment(target)) return json(400, { message: "a path must not hold . or .. as a name" });
  return await answer(request);
}

function health(isReady: boolean): Response {
  return json(isReady ? 200 : 503, { status: isReady ? "ok" : "starting" });
}

/**
 * `..` in the target as it was sent. URL parsers resolve it, also when it is encoded (WHATWG URL, "double-dot URL path
 * segment"), so that a name `..` would quietly lead to another workload.
 */
function hasDotSegment(target: string): boolean {
  const path = target.split("?")[0] ?? "";
  return path.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
}

async function closeServer(server: Server, drainMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(timer);
}
