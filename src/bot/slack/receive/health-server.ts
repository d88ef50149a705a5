import { createServer, type Server } from "node:http";
import { guarded, guardServer, httpLimits, type Trouble } from "../../../platform/http/server.ts";
import { notFound } from "./health-routes.ts";
import type { TransportParts } from "./transport.ts";

/** An HTTP server for the health routes alone: under Socket Mode nothing else arrives by HTTP. Rejects when the port is unavailable. */
export async function startHealthServer({
  listen,
  routes,
  log,
}: Pick<TransportParts, "listen" | "routes" | "log">): Promise<Server> {
  const onTrouble: Trouble = (message, data) =>
    log.warn("error" in data ? { ...data, err: data.error } : data, message);
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
