import {
  type Guard,
  FAILED,
  guarded,
  guardServer,
  httpLimits,
  MALFORMED,
  seldom,
  UNKNOWN_OUTCOME,
} from "./guard-server.ts";
import { type Place, portOf, withPortSentence } from "./port.ts";
import { createServer, type IncomingMessage, type Server, type ServerOptions } from "node:http";
import { getRequestListener, RequestError, type HttpBindings } from "@hono/node-server";

export type Listener = { readonly port: number; readonly close: () => Promise<void> };

/** Serves a `fetch` function over HTTP. Throws an Error with a sentence when the port cannot be had. */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  { host, port, variable, ...guard }: Place & Guard,
): Promise<Listener> {
  const server = httpServer(fetch, guard);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, host, resolve);
  await withPortSentence({ host, port, variable }, promise);
  return {
    port: portOf(server),
    async close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

type Fetch = (request: Request, incoming: IncomingMessage) => Promise<Response>;
type HttpServerOptions = Guard & { readonly limits?: ServerOptions };

/** A guarded HTTP server over a `fetch` function. Its own refusals also have a body `{"message": …}`. */
export function httpServer(fetch: Fetch, { limits, ...guard }: HttpServerOptions = {}): Server {
  const tell = seldom(guard);
  const listener = getRequestListener(
    async (request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings; // an HTTP/1 server is made below, never an HTTP/2 one
      const response = await fetch(request, incoming);
      // After a stop, Node still offers to keep the connection, and a client's next request could meet a closed one.
      if (!server.listening) outgoing.setHeader("Connection", "close");
      return response;
    },
    {
      // Otherwise it replaces the global Request and Response of the whole process.
      overrideGlobalObjects: false,
      errorHandler(error) {
        if (error instanceof RequestError) return Response.json({ message: MALFORMED }, { status: 400 });
        tell(FAILED, { error });
        return Response.json({ message: UNKNOWN_OUTCOME }, { status: 500 });
      },
    },
  );
  const server = createServer({ ...httpLimits, ...limits }, guarded(listener, guard.onTrouble, guard.clock));
  guardServer(server, guard);
  return server;
}
