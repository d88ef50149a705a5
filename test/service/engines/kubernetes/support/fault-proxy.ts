import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";

/** Stands between a client and a real API server, and disturbs its watches. */
export type FaultProxy = {
  readonly kubeConfig: KubeConfig;
  readonly openWatches: () => number;
  readonly cutWatches: () => void;
  /** Open watches stay open and say nothing more; new ones work. */
  readonly silenceWatches: () => void;
  readonly close: () => Promise<void>;
};

export async function openFaultProxy(real: KubeConfig): Promise<FaultProxy> {
  const target = real.getCurrentCluster()?.server ?? "";
  const watches = new Map<ServerResponse, IncomingMessage>();
  const server = http.createServer((request, response) => {
    void forward(request, response, { real, target, watches }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: "proxy", server: `http://127.0.0.1:${port}`, skipTLSVerify: true }],
    users: [{ name: "nobody" }],
    contexts: [{ name: "proxy", cluster: "proxy", user: "nobody" }],
    currentContext: "proxy",
  });
  return {
    kubeConfig,
    openWatches: () => watches.size,
    cutWatches() {
      for (const response of watches.keys()) response.socket?.resetAndDestroy();
    },
    silenceWatches() {
      for (const [response, answer] of watches) answer.unpipe(response).pause();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Forwarding = {
  readonly real: KubeConfig;
  readonly target: string;
  readonly watches: Map<ServerResponse, IncomingMessage>;
};

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { real, target, watches }: Forwarding,
): Promise<void> {
  const { host: _, authorization: __, ...kept } = request.headers;
  const options: https.RequestOptions = { headers: { ...kept } };
  await real.applyToHTTPSOptions(options);
  const { agent: ___, ...plain } = options;
  const url = new URL(target + (request.url ?? ""));
  const upstream = https.request(url, { ...plain, method: request.method });
  upstream.on("error", () => response.destroy());
  response.on("close", () => upstream.destroy());
  upstream.on("response", (answer) => {
    answer.on("error", () => response.destroy());
    response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
    answer.pipe(response);
    if (url.searchParams.get("watch") !== "true") return;
    watches.set(response, answer);
    response.on("close", () => watches.delete(response));
  });
  request.pipe(upstream);
}
