import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import { request as httpsRequest } from "node:https";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { kubeConfigOf } from "../../../../src/service/engines/kubernetes/cluster/connect.ts";
import { machineClock } from "../../../../src/platform/clock.ts";

/** A write on its way to the API server: before it is forwarded, and before its answer goes back. */
export type Passing = {
  /** `POST /apis/apps/v1/namespaces/a/deployments` */
  readonly write: string;
  readonly when: "before" | "after";
};

export type FrontState = "up" | "stopped" | "down" | "slow";

const SLOW_MS = 2_000;

export type Listener = (passing: Passing) => Promise<"drop" | undefined> | "drop" | undefined;

/**
 * Stands between one service and the API server, and can be what a troubled API server is, without harm to others on the
 * same cluster: `stopped` as by SIGSTOP (accepts and doesn't answer), `down` as by SIGKILL (refuses and drops), `slow`
 * (answers each request two seconds later).
 */
export type ApiFront = {
  /** A kubeconfig with this front as its server. */
  readonly kubeconfig: string;
  readonly be: (state: FrontState) => Promise<void>;
  /** Called at each write, which waits for it, and is dropped if the answer is "drop". One listener at a time. */
  readonly onPassing: (listener: Listener) => void;
  /** Requests so far, as `GET /api/v1/…`; watches have `?watch=true`. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
};

export async function openApiFront(kubeconfig: string): Promise<ApiFront> {
  const config = await kubeConfigOf({ kubeconfig: { path: kubeconfig }, context: undefined }, machineClock);
  const target = config.getCurrentCluster()?.server ?? "";
  const headers: Record<string, string> = {};
  const options: RequestOptions = { headers };
  await config.applyToHTTPSOptions(options);
  let state: FrontState = "up";
  let listener: Listener = () => undefined;
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const replies = new Set<IncomingMessage>();
  const pass = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const write = `${asked.method} ${asked.url?.split("?")[0]}`;
    const watches = asked.url?.includes("watch=true") ? "?watch=true" : "";
    requests.push(`${write}${watches}`);
    const isWrite = asked.method !== "GET";
    if (state === "slow") await rest(SLOW_MS);
    // Never answered: its connection is dropped with the next change of state.
    if (state === "stopped") return;
    const mayPass = async (when: Passing["when"]) => !isWrite || (await listener({ write, when })) !== "drop";
    if (!(await mayPass("before"))) {
      answer.destroy();
      return;
    }
    const beforeAnswer = () => mayPass("after");
    await forward({ target, options, headers, beforeAnswer, replies }, asked, answer);
  };
  // A test that kills the service on the way leaves nobody to answer.
  const server = createServer((asked, answer) => void pass(asked, answer).catch(() => answer.destroy()));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a host and a port
  const folder = mkdtempSync(join(tmpdir(), "gantry-front-"));
  const path = join(folder, "kubeconfig");
  writeFileSync(path, kubeconfigFor(`http://127.0.0.1:${port}`));
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    kubeconfig: path,
    async be(next) {
      const last = state;
      state = next;
      // A stopped server keeps its connections and sends nothing; then it goes on or is killed, and they are dropped.
      if (next === "stopped") for (const reply of replies) reply.unpipe();
      else if (next === "down" || (next === "up" && last !== "slow")) drop();
      if (next === "down" && last !== "down") await new Promise((resolve) => server.close(resolve));
      if (next !== "down" && last === "down") {
        server.listen(port, "127.0.0.1");
        await once(server, "listening");
      }
    },
    onPassing: (next) => (listener = next),
    requests,
    async close() {
      drop();
      if (state !== "down") await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Way = {
  readonly target: string;
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the answer goes back. */
  readonly beforeAnswer: () => Promise<boolean>;
  /** Those that are on their way. */
  readonly replies: Set<IncomingMessage>;
};

async function forward(way: Way, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { target, options, headers, beforeAnswer, replies } = way;
  const url = new URL(asked.url ?? "/", target);
  const { host: _, authorization: __, ...kept } = asked.headers;
  const send = url.protocol === "http:" ? httpRequest : httpsRequest;
  const onward = send(url, { ...options, agent: false, method: asked.method, headers: { ...kept, ...headers } });
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
  try {
    const [reply] = (await once(onward, "response")) as [IncomingMessage]; // Node's event
    onward.on("error", () => undefined);
    if (!(await beforeAnswer())) {
      answer.destroy();
      return;
    }
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    // Headers of a watch arrive before its first event.
    answer.flushHeaders();
    reply.on("error", () => answer.destroy());
    replies.add(reply.on("close", () => replies.delete(reply)));
    reply.pipe(answer);
  } catch {
    answer.destroy();
  }
}

/** The front adds the credentials, so this has none. */
function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "front", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "front", user: {} }],
    contexts: ["us", "beijing1"].map((name) => ({ name, context: { cluster: "front", user: "front" } })),
    "current-context": "us",
  });
}
