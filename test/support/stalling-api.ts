import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type StallingApi = {
  readonly url: string;
  /** "PUT /v1/…" of each request so far. */
  readonly requests: () => readonly string[];
  readonly close: () => Promise<void>;
};

const service = {
  name: "web",
  uid: "u1",
  status: "Running",
  target_instance_size: 1,
  containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }],
};

/** A workload API with one service, `web`, that never answers the requests named by `stalls`. */
export async function openStallingApi(stalls: (request: string) => boolean): Promise<StallingApi> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`;
    requests.push(name);
    request.resume();
    if (!stalls(name)) answer(response, name);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    async close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function answer(response: ServerResponse, name: string): void {
  const isWeb = /\/services\/web(?:$|[/?])/u.test(name);
  const isList = /\/(?:services|jobs)$/u.test(name);
  response.writeHead(isWeb || isList ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(isWeb ? service : isList ? { services: [service], jobs: [] } : { message: "unknown" }));
}
