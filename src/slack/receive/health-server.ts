import { createServer, type Server } from "node:http";
import { guardServer, httpLimits } from "../../http/server.ts";
import type { TransportParts } from "./transport.ts";

/** An HTTP server for the health routes alone: under Socket Mode nothing else arrives by HTTP. Rejects when the port is unavailable. */
export async function startHealthServer({
  listen,
  routes,
  log,
}: Pick<TransportParts, "listen" | "routes" | "log">): Promise<Server> {
  const server = createServer(httpLimits, (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const route = routes.find(({ path, method }) => path === pathname && method.includes(request.method ?? ""));
    if (route !== undefined) return route.handler(request, response);
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: "there is nothing at this path" }));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(listen.port, listen.host, resolve);
  await promise;
  server.off("error", reject);
  guardServer(server, {
    onTrouble: (message, data) => log.warn("error" in data ? { ...data, err: data.error } : data, message),
  });
  return server;
}
