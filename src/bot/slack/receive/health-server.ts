import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import { guarded, guardServer, httpLimits, troubleIn } from "../../../platform/http/guard-server.ts";
import type { Logger } from "pino";

// `import` would read all that it exports, which loads a second undici, for WebSockets that we open with another library.
const { createServer } = process.getBuiltinModule("node:http");

/** A page or check of the HTTP server. */
export type Route = {
  readonly path: string;
  readonly method: string[];
  /** The server answers for one that throws or rejects. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
};

type Checks = {
  /** Reasons why the bot can't do its work now, without secrets. */
  readonly missing: () => Promise<readonly string[]>;
  readonly lanes: Lanes["status"];
};

/**
 * `/healthz`: 200 while the process answers, with the load of its lanes. `/readyz`: 200 when it can do its work, else 503
 * with the reasons.
 */
export function healthRoutes({ missing, lanes }: Checks): Route[] {
  return [
    {
      path: "/healthz",
      method: ["GET"],
      handler: (_, response) => answer(response, 200, { status: "ok", lanes: lanes() }),
    },
    {
      path: "/readyz",
      method: ["GET"],
      async handler(_, response) {
        const reasons = await missing().catch(() => ["the check itself failed"]);
        if (reasons.length === 0) answer(response, 200, { status: "ok" });
        else answer(response, 503, { status: "not ready", missing: reasons });
      },
    },
  ];
}

type Served = {
  readonly listen: { readonly host: string; readonly port: number };
  readonly routes: readonly Route[];
  readonly log: Logger;
};

/** An HTTP server for the health routes alone: under Socket Mode nothing else arrives by HTTP. Rejects when the port is unavailable. */
export async function startHealthServer({ listen, routes, log }: Served): Promise<Server> {
  const onTrouble = troubleIn(log);
  const answer = guarded((request, response, { pathname }) => {
    const route = routes.find(({ path, method }) => path === pathname && method.includes(request.method ?? ""));
    return route === undefined ? notFound(response) : route.handler(request, response);
  }, onTrouble);
  const server = createServer(httpLimits, answer);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(listen.port, listen.host, resolve);
  await promise;
  server.off("error", reject);
  guardServer(server, { onTrouble });
  return server;
}

export function notFound(response: ServerResponse): void {
  answer(response, 404, { message: "there is nothing at this path" });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
