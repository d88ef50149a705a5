import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { type Clock, machineClock } from "../clock.ts";
import { unawaited } from "../waiting.ts";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export type Trouble = (message: string, data: object) => void;

/** Warns in the log, where pino draws an Error only under `err`. */
export function troubleIn(log: Pick<Logger, "warn">): Trouble {
  return (message, data) => log.warn("error" in data ? { ...data, err: data.error } : data, message);
}

/** Takes a connection that the client asked to turn into another protocol, at this URL. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, url: URL) => void;
export type Guard = {
  /** Maximum number of connections; by default `connectionBudget()`. */
  readonly most?: number;
  /** Called at most once a minute for each message. */
  readonly onTrouble?: Trouble;
  /** Default: this machine's. */
  readonly clock?: Pick<Clock, "elapsedMs">;
  /** Without it, a request to change the protocol is answered like any other. */
  readonly upgrade?: Upgrade;
};

/**
 * Time limits for clients of all our HTTP servers: an idle connection costs a file descriptor, and opening one needs no
 * token. https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener
 */
export const httpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  // Node would refuse such a request with an empty body; the listener below explains the refusal.
  requireHostHeader: false,
} as const satisfies ServerOptions;

export const MALFORMED = "the request is not valid HTTP: check its Host header and path";
export const FAILED = "an HTTP request handler failed";
export const UNKNOWN_OUTCOME = "internal error, and the outcome is unknown: check before you try again";

/**
 * What every server of ours hands its requests to, Bolt's too. A request without a valid URL gets a 400 and never arrives
 * at the listener. A listener that throws or rejects gets a 500, and doesn't end the process.
 */
export function guarded(
  listener: (request: IncomingMessage, response: ServerResponse, url: URL) => unknown,
  onTrouble?: Trouble,
  clock?: Pick<Clock, "elapsedMs">,
): RequestListener {
  const tell = seldom({ ...(onTrouble && { onTrouble }), ...(clock && { clock }) });
  return (request, response) => {
    const url = urlOf(request);
    if (url === undefined) return answer(response, 400, MALFORMED);
    // Inside the promise, so that what is thrown at once rejects it, too.
    const answered = new Promise((resolve) => resolve(listener(request, response, url)));
    unawaited(answered, (error) => {
      tell(FAILED, { error });
      if (response.headersSent) response.destroy();
      else answer(response, 500, UNKNOWN_OUTCOME);
    });
  };
}

function answer(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ message });
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  };
  response.writeHead(status, headers).end(body);
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };
/** `wasAnswered`: it has had a request before, and the next may be on its way. */
type Connection = { readonly wasAnswered: boolean; readonly exchange?: Exchange };

/**
 * Keeps a server reachable under many connections: at most `most`, and idle ones close first to make room. Node's own
 * refusals get a body `{"message": …}`.
 */
export function guardServer(server: Server, guard: Guard = {}): void {
  const { most = connectionBudget(), upgrade } = guard;
  const tell = seldom(guard);
  const open = new Map<Duplex, Connection>();
  server.maxConnections = most;
  server.on("connection", (socket) => {
    open.set(socket, { wasAnswered: false });
    socket.once("close", () => open.delete(socket));
    // The last quarter is reserved for connections with a complete request.
    if (open.size <= most * 0.75) return;
    longestWaiting(open)?.destroy();
    tell("too many connections: closing idle ones", { open: open.size, most });
  });
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    open.set(socket, { wasAnswered: open.get(socket)?.wasAnswered ?? false, exchange: { request, response } });
    response.once("close", () => {
      if (open.get(socket)?.exchange?.response !== response) return;
      // Re-inserted, so the first entry of the map is always the one idle longest.
      open.delete(socket);
      if (!socket.destroyed) open.set(socket, { wasAnswered: true });
    });
  });
  if (upgrade !== undefined) {
    server.on("upgrade", (request, socket, head) => {
      // Its requests are over, which is no reason to close it when connections get scarce.
      open.delete(socket);
      // A client that gives up resets the connection.
      socket.on("error", () => undefined);
      const url = urlOf(request);
      if (url === undefined) return refuse(socket, { status: "400 Bad Request", message: MALFORMED });
      try {
        upgrade(request, socket, head, url);
      } catch (error) {
        tell("a WebSocket couldn't be opened", { error });
        socket.destroy();
      }
    });
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const hasBegun = open.get(socket)?.exchange?.response.headersSent === true;
    if (!socket.writable || error.code === "ECONNRESET" || hasBegun) {
      socket.destroy();
    } else refuse(socket, refusals[error.code ?? ""] ?? NOT_HTTP);
  });
  explainRefusals(server);
  // Without descriptors a connection can't be accepted, but the next one may be: don't stop. A failed `listen` is
  // reported by its caller.
  server.on("error", (error) => {
    if (server.listening) tell("couldn't accept a connection", { error });
  });
  server.on("drop", () => tell("too many connections: refused new ones", { most }));
}

/** Gives a body to refusals that Node would send without one. */
function explainRefusals(server: Server): void {
  server.on("checkExpectation", (_request, response) => {
    answer(response, 417, "the Expect header accepts only 100-continue");
  });
  server.on("connect", (_request, socket) => {
    socket.on("error", () => undefined);
    refuse(socket, { status: "400 Bad Request", message: "CONNECT is not a method of this API" });
  });
}

/**
 * The connection to close for a new one: the one idle longest among the larger group, never used or used before. So
 * connections that never send a request can't push out those in use, and those in use can't keep newcomers out.
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
const refusals: Readonly<Record<string, Refused>> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    message: "the path and headers are too large: shorten them",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: "413 Payload Too Large",
    message: "the chunk extensions are too large: send the body without them",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    message: "the request did not arrive in time: send it again",
  },
};
const NOT_HTTP: Refused = { status: "400 Bad Request", message: "the request is not valid HTTP/1.1" };

function refuse(socket: Duplex, { status, message }: Refused): void {
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  // Destroy it rather than wait for the client to close it.
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** A quarter of this process's open-file limit: instances, databases and ports need the rest. */
export function connectionBudget(openFiles: number = openFileLimit() ?? Number.POSITIVE_INFINITY): number {
  return Math.max(16, Math.min(1_000, Math.floor(openFiles / 4)));
}

const aMinuteMs = 60_000;

export function seldom({
  onTrouble: tell = () => undefined,
  clock = machineClock,
}: Pick<Guard, "onTrouble" | "clock">): Trouble {
  const toldAt = new Map<string, number>();
  return (message, data) => {
    const now = clock.elapsedMs();
    if (now - (toldAt.get(message) ?? Number.NEGATIVE_INFINITY) < aMinuteMs) return;
    toldAt.set(message, now);
    tell(message, data);
  };
}

/** A host and maybe a port: anything else before the path would move the path's beginning. */
const HOST = /^[^\s/?#@\\]+$/u;

/**
 * The URL that a request asks for. Undefined when its target and its Host header make none: both are whatever a
 * stranger typed, and `new URL` throws for some of it (`//`, `http://:`). Without a Host header, as in HTTP/1.0, the
 * host is `localhost`; two Host headers could mean one host to a proxy and another to us.
 */
export function urlOf({
  url = "",
  headersDistinct,
}: Pick<IncomingMessage, "url" | "headersDistinct">): URL | undefined {
  const [host = "localhost", ...others] = headersDistinct["host"] ?? [];
  if (others.length > 0) return undefined;
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  if (!url.startsWith("/")) return /^https?:\/\//iu.test(url) ? (URL.parse(url) ?? undefined) : undefined;
  // `//name` is another host to some readers of URLs (Bolt's is one) and a path to others.
  return /^\/[/\\]/u.test(url) ? undefined : (URL.parse(`http://${host}${url}`) ?? undefined);
}

let known: number | undefined;

/**
 * How many files this process may open; undefined where the system doesn't say. Read once, early: later there may be no
 * descriptor left to read it with. Node's own report is no source: after a failed spawn, writing one can loop for ever.
 */
export function openFileLimit(): number | undefined {
  known ??= numberIn(process.platform === "linux" ? linuxLimit() : shellLimit());
  return known;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_limits.5.html: name, soft limit, hard limit, unit. */
function linuxLimit(): string | undefined {
  try {
    return /^Max open files +(\S+)/mu.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

/** A child inherits the limit, which Node has raised to the hard one. */
function shellLimit(): string | undefined {
  try {
    return execFileSync("/bin/sh", ["-c", "ulimit -n"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

function numberIn(text: string | undefined): number | undefined {
  if (text === "unlimited") return Number.POSITIVE_INFINITY;
  return text !== undefined && /^\d+$/u.test(text) ? Number(text) : undefined;
}
