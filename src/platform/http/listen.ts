import type { Server } from "node:http";
import { type Guard, httpServer } from "./server.ts";

/** Where something listens, and the variable that changes it. */
type Place = { readonly host: string; readonly port: number; readonly variable: string };

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

/** The port that a listening server has, also when it took a free one. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens on no port");
  return address.port;
}

/** Says what keeps a port from being had, and which variable takes another one. */
export async function withPortSentence<Result>(
  { host, port, variable }: Place,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const why = code === "EADDRINUSE" ? "is in use" : code === "EACCES" ? "is not allowed for this user" : undefined;
    if (why === undefined) throw error;
    throw new Error(
      `The port ${port} of ${host} ${why}. Stop what uses it, or set ${variable} to another port, e.g. ${variable}=${port + 100}.`,
      { cause: error },
    );
  }
}
