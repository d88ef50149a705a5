import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { certificate, certificateKey } from "./test-certificate.ts";

export type TestProxy = {
  readonly url: string;
  /** What went through, in order: "CONNECT slack.test:443", "GET http://workloads.test/v1". */
  readonly passed: readonly string[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Options = {
  /** The ports of 127.0.0.1 behind names that only the proxy knows. */
  readonly hosts: Readonly<Record<string, number>>;
  /** "user:password", without which it answers 407. */
  readonly login?: string;
};

/** A small HTTP proxy on a free port: tunnels for https and wss, forwards for http. */
export async function testProxy({ hosts, login }: Options): Promise<TestProxy> {
  const passed: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString("base64")}`;
  const isWelcome = ({ headers }: IncomingMessage): boolean =>
    wanted === undefined || headers["proxy-authorization"] === wanted;
  const server = createServer((incoming, outgoing) => {
    const { hostname, pathname, search } = new URL(incoming.url ?? "");
    const port = hosts[hostname];
    if (!isWelcome(incoming) || port === undefined) {
      outgoing.writeHead(isWelcome(incoming) ? 502 : 407).end();
      return;
    }
    passed.push(`${incoming.method} ${incoming.url}`);
    const { method, headers } = incoming;
    const forwarded = request({ host: "127.0.0.1", port, path: `${pathname}${search}`, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.on("connect", (incoming: IncomingMessage, near: Socket) => {
    near.on("error", () => near.destroy());
    const port = hosts[(incoming.url ?? "").replace(/:\d+$/u, "")];
    if (isWelcome(incoming) && port !== undefined) {
      passed.push(`CONNECT ${incoming.url}`);
      near.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      join(near, port, sockets);
    } else {
      near.end(`HTTP/1.1 ${isWelcome(incoming) ? "502 Bad Gateway" : "407 Proxy Authentication Required"}\r\n\r\n`);
    }
  });
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
    passed,
    [Symbol.asyncDispose]: () => ended(server, sockets),
  };
}

export type TlsFront = { readonly port: number; readonly [Symbol.asyncDispose]: () => Promise<void> };

/** TLS with the tests' certificate in front of a port of 127.0.0.1. */
export async function tlsFront(behind: number): Promise<TlsFront> {
  const sockets = new Set<Socket>();
  const server = createTlsServer({ key: certificateKey, cert: certificate }, (near) => join(near, behind, sockets));
  return { port: await listening(server), [Symbol.asyncDispose]: () => ended(server, sockets) };
}

function join(near: Socket, port: number, sockets: Set<Socket>): void {
  const far = connect(port, "127.0.0.1");
  for (const socket of [near, far]) {
    sockets.add(socket);
    // Either end may go at any time.
    socket.on("error", () => undefined);
    socket.on("close", () => [near, far].map((each) => each.destroy()));
  }
  near.pipe(far);
  far.pipe(near);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens on a host and a port
}

async function ended(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  server.close();
  for (const socket of sockets) socket.destroy();
  await once(server, "close");
}
