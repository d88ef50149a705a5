import type { Guard } from "./guard-server.ts";
import { type Place, portOf, withPortSentence } from "./port.ts";
import { httpServer } from "./server.ts";

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
