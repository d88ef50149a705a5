import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { answerObject } from "./fake-answers.ts";
import { answerList } from "./fake-list.ts";
import { type FakeObjects, makeFakeObjects } from "./fake-objects.ts";
import { failure, isRequestTo, type KubeRequest, kubeRequestOf, send } from "./fake-protocol.ts";
import { makeFakeWatches } from "./fake-watches.ts";

/** An error that the server answers with instead of working. */
export type Fault = { readonly status: number; readonly message?: string; readonly retryAfter?: number };

export type FakeApiServer = {
  readonly kubeConfig: () => KubeConfig;
  readonly objects: FakeObjects;
  /** Everything that was asked. */
  readonly requests: readonly KubeRequest[];
  /** What came and went over all connections so far. */
  readonly bytes: () => number;
  /** Watches that are open now. */
  readonly openWatches: () => number;
  /** Breaks the connections of all watches. */
  readonly cutWatches: () => void;
  /** Open watches stay open and say nothing more; new ones work. */
  readonly silenceWatches: () => void;
  /** Ends all watches as at the end of their time. */
  readonly endWatches: () => void;
  readonly bookmark: () => void;
  /**
   * Each request of this verb and resource (`list pods`, `list pods in shop`, `in shop`), or each one at all, gets this
   * answer; undefined ends it.
   */
  readonly fail: (what: string, fault: Fault | undefined) => void;
  /** Takes connections and answers nothing. */
  readonly hang: (isHanging: boolean) => void;
  /** Closes its port and all connections, as a killed process. */
  readonly stop: () => Promise<void>;
  /** Listens again on the same port. */
  readonly start: () => Promise<void>;
};

export type FakeOptions = {
  /** Resources that this cluster has no API of: the answer is a plain 404. */
  readonly unknown?: readonly string[];
  /** Called before each answer, to change something in the middle of a story. */
  readonly onRequest?: (request: KubeRequest) => void;
  /** Answers requests for the log of a container: this server has none. */
  readonly podLog?: (asked: KubeRequest, response: ServerResponse) => void;
  /** Labels of the namespaces that this account may look at, none without this; or those that were put as objects. */
  readonly namespaces?: Labels | "objects";
  /** The values of the `Warning` headers of the answer to a request. */
  readonly warnings?: (request: KubeRequest) => readonly string[];
  /** A second of `timeoutSeconds`, for tests that can't wait. */
  readonly secondMs?: number;
};

const TOKEN = "ada-token";

/**
 * A small API server in this process: lists in pages of one version, watches from a version on, 410 for forgotten ones,
 * bookmarks, and the errors of a real one, word by word where a program reads them. It runs no workloads.
 */
export async function openFakeApiServer(options: FakeOptions = {}): Promise<FakeApiServer> {
  const objects = makeFakeObjects();
  const watches = makeFakeWatches(objects, options);
  const requests: KubeRequest[] = [];
  const faults = new Map<string, Fault>();
  let isHanging = false;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === "/version") return send(response, 200, { gitVersion: "v1.34.0" });
      const [, looked] = /^\/api\/v1\/namespaces\/([^/?]+)$/u.exec(request.url ?? "") ?? [];
      const { namespaces = {} } = options;
      if (looked !== undefined && namespaces !== "objects") return answerNamespace(response, looked, namespaces);
      const asked = await kubeRequestOf(request);
      if (!asked) return failure(response, { status: 404, plain: "404 page not found\n" });
      requests.push(asked);
      options.onRequest?.(asked);
      if (isHanging) return;
      const warnings = options.warnings?.(asked) ?? [];
      // Kubernetes writes UTF-8 where Node writes Latin-1.
      if (warnings.length > 0) {
        response.setHeader(
          "warning",
          warnings.map((text) => Buffer.from(text, "utf8").toString("latin1")),
        );
      }
      const fault = [...faults].find(([what]) => what === "" || isRequestTo(asked, what))?.[1];
      if (!fault && isWelcome(request, response, { asked, options })) answer(asked, response);
      if (fault) fail(response, fault);
    })().catch((error: unknown) => response.destroy(error as Error)); // thrown by the code above
  });
  const answer = (asked: KubeRequest, response: ServerResponse): void => {
    if (asked.verb === "list") answerList(objects, asked, response);
    else if (asked.verb === "watch") watches.open(asked, response);
    else if (asked.resource === "pods/log" && options.podLog) options.podLog(asked, response);
    else answerObject(objects, asked, response);
  };
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  const bytesOf = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      closedBytes += bytesOf(socket);
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    kubeConfig: () => kubeConfigOf(port),
    objects,
    requests,
    bytes: () => [...sockets].reduce((sum, socket) => sum + bytesOf(socket), closedBytes),
    openWatches: watches.count,
    cutWatches: watches.cut,
    silenceWatches: watches.silence,
    endWatches: watches.end,
    bookmark: watches.bookmark,
    fail(what, fault) {
      if (fault) faults.set(what, fault);
      else faults.delete(what);
    },
    hang(now) {
      isHanging = now;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      watches.cut();
      await closed;
    },
    start: () => listen(port),
  };
}

type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>;

function answerNamespace(response: ServerResponse, name: string, namespaces: Labels): void {
  const labels = namespaces[name];
  if (labels) return send(response, 200, { kind: "Namespace", metadata: { name, labels } });
  const message = `namespaces "${name}" is forbidden: User "ada" cannot get resource "namespaces" in API group ""`;
  failure(response, { status: 403, reason: "Forbidden", message });
}

function isWelcome(
  request: IncomingMessage,
  response: ServerResponse,
  { asked, options }: { readonly asked: KubeRequest; readonly options: FakeOptions },
): boolean {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) {
    failure(response, { status: 401, reason: "Unauthorized", message: "Unauthorized" });
    return false;
  }
  if (!options.unknown?.includes(asked.resource)) return true;
  failure(response, { status: 404, plain: "404 page not found\n" });
  return false;
}

function fail(response: ServerResponse, { status, message = "", retryAfter }: Fault): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  const reasons: Readonly<Record<number, string>> = { 403: "Forbidden", 410: "Expired", 429: "TooManyRequests" };
  failure(response, { status, reason: reasons[status] ?? "InternalError", message });
}

function kubeConfigOf(port: number): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "test", server: `http://127.0.0.1:${port}`, skipTLSVerify: true }],
    users: [{ name: "ada", token: TOKEN }],
    contexts: [{ name: "test", cluster: "test", user: "ada" }],
    currentContext: "test",
  });
  return config;
}
