import { createServer, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";

export type Listening = {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Method and path of each request, as it came over the wire. */
  readonly requests: string[];
  /** One entry for each TCP connection. */
  readonly connections: number[];
};

/** A real HTTP server on a free port, closed with the test. */
export async function listen(handle: RequestListener): Promise<Listening> {
  const requests: string[] = [];
  const connections: number[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handle(request, response);
  });
  server.on("connection", (socket) => connections.push(socket.remotePort ?? 0));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { url: `http://127.0.0.1:${address.port}`, requests, connections };
}
