import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError, type HttpBindings } from "@hono/node-server";

export type Trouble = (message: string, data: object) => void;
export type Guard = {
  /** How many connections there may be; `connectionBudget()` without it. */
  readonly most?: number;
  /** Told at most once a minute for each kind of trouble. */
  readonly onTrouble?: Trouble;
};

/**
 * How long a client may take, for every HTTP server of ours: a connection without a request costs a file descriptor, and
 * nobody needs a token to open one. https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener
 */
export const httpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  // Node would refuse such a request without a body; the listener below refuses it with a sentence.
  requireHostHeader: false,
} as const satisfies ServerOptions;

type Fetch = (request: Request, incoming: IncomingMessage) => Promise<Response>;
type HttpServerOptions = Guard & { readonly limits?: ServerOptions };

/** An HTTP server over a `fetch` function, guarded; what it refuses by itself is answered with `{"message": …}` too. */
export function httpServer(fetch: Fetch, { limits, ...guard }: HttpServerOptions = {}): Server {
  const tell = seldom(guard.onTrouble);
  const listener = getRequestListener(
    (request, bindings) => {
      const { incoming } = bindings as HttpBindings; // an HTTP/1 server is made below, never an HTTP/2 one
      return fetch(request, incoming);
    },
    {
      // Otherwise it replaces the global Request and Response of the whole process.
      overrideGlobalObjects: false,
      errorHandler(error) {
        if (error instanceof RequestError)
          return answer(400, "the request is not valid HTTP: its Host or its path is wrong");
        tell("an HTTP request broke its handler", { error });
        return answer(500, "something broke in the server: try again");
      },
    },
  );
  const server = createServer({ ...httpLimits, ...limits }, (incoming, outgoing) => void listener(incoming, outgoing));
  guardServer(server, guard);
  return server;
}

function answer(status: number, message: string): Response {
  return Response.json({ message }, { status });
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };
/** `wasAnswered`: it has had a request before, and the next may be on its way. */
type Connection = { readonly wasAnswered: boolean; readonly exchange?: Exchange };

/**
 * Keeps a server alive and reachable, whoever connects: at most `most` connections, of which those that wait the longest
 * without a complete request are closed for new ones. What Node refuses by itself gets a body `{"message": …}`.
 */
export function guardServer(server: Server, { most = connectionBudget(), onTrouble }: Guard = {}): void {
  const tell = seldom(onTrouble);
  const open = new Map<Duplex, Connection>();
  server.maxConnections = most;
  server.on("connection", (socket) => {
    open.set(socket, { wasAnswered: false });
    socket.once("close", () => open.delete(socket));
    // The last quarter is for those who have sent a request.
    if (open.size <= most * 0.75) return;
    longestWaiting(open)?.destroy();
    tell("there are many connections: those without a request are closed", { open: open.size, most });
  });
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    open.set(socket, { wasAnswered: open.get(socket)?.wasAnswered ?? false, exchange: { request, response } });
    response.once("close", () => {
      if (open.get(socket)?.exchange?.response !== response) return;
      // Taken out and put in again: the first in the map is the one that has waited the longest.
      open.delete(socket);
      if (!socket.destroyed) open.set(socket, { wasAnswered: true });
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const hasBegun = open.get(socket)?.exchange?.response.headersSent === true;
    if (!socket.writable || error.code === "ECONNRESET" || hasBegun) {
      socket.destroy();
    } else refuse(socket, refusalOf(error.code));
  });
  server.on("checkExpectation", (_request, response) => {
    const body = JSON.stringify({ message: "the header Expect takes only 100-continue" });
    const headers = { "Content-Type": "application/json", "Content-Length": body.length, Connection: "close" };
    response.writeHead(417, headers).end(body);
  });
  server.on("connect", (_request, socket) => {
    socket.on("error", () => undefined);
    refuse(socket, { status: "400 Bad Request", message: "CONNECT is not a method of this API" });
  });
  // A connection that cannot be accepted, for want of descriptors, is no reason to end: the next one may be.
  server.on("error", (error) => tell("a connection could not be accepted", { error }));
  server.on("drop", () => tell("connections were refused: there are too many", { most }));
}

/**
 * Of those without a complete request, the one that has waited the longest among the kind that there is more of. So
 * connections that never send a request do not push out those in use, nor those in use everybody who comes anew.
 */
function longestWaiting(open: ReadonlyMap<Duplex, Connection>): Duplex | undefined {
  const fresh: Duplex[] = [];
  const kept: Duplex[] = [];
  for (const [socket, { wasAnswered, exchange }] of open) {
    if (exchange?.request.complete !== true) (wasAnswered ? kept : fresh).push(socket);
  }
  return kept.length > fresh.length ? kept[0] : fresh[0];
}

type Refused = { readonly status: string; readonly message: string };

/** https://nodejs.org/api/http.html#event-clienterror */
function refusalOf(code: string | undefined): Refused {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: "431 Request Header Fields Too Large",
        message: "the path and headers are too large: send less",
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: "413 Payload Too Large", message: "the chunk extensions are too large: send the body without" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: "408 Request Timeout", message: "the request did not arrive in time: send it again" };
    default:
      return { status: "400 Bad Request", message: "the request is not valid HTTP/1.1" };
  }
}

function refuse(socket: Duplex, { status, message }: Refused): void {
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  // Not left open for the other side to close.
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** A quarter of the files that this process may have open: instances, databases and their ports need the others. */
export function connectionBudget(openFiles: number = openFileLimit()): number {
  return Math.max(16, Math.min(1_000, Math.floor(openFiles / 4)));
}

function openFileLimit(): number {
  // Otherwise it looks up the name of every peer. The types of Node do not have it yet.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as ReportWithLimits; // https://nodejs.org/api/report.html
  Object.assign(process.report, { excludeNetwork: false });
  const soft = Number(userLimits?.open_files.soft);
  return Number.isNaN(soft) ? Number.POSITIVE_INFINITY : soft;
}

type ReportWithLimits = { readonly userLimits?: { readonly open_files: { readonly soft: number | "unlimited" } } };

const aMinuteMs = 60_000;

function seldom(tell: Trouble = () => undefined): Trouble {
  const toldAt = new Map<string, number>();
  return (message, data) => {
    const now = performance.now();
    if (now - (toldAt.get(message) ?? Number.NEGATIVE_INFINITY) < aMinuteMs) return;
    toldAt.set(message, now);
    tell(message, data);
  };
}
