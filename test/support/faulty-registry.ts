import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A registry behind a line that fails. */
export type FaultyRegistry = {
  /** `127.0.0.1:43211` */
  readonly host: string;
  /** From now on. */
  fault: Fault;
  /** Downloads of layers that are open now. */
  readonly open: () => number;
  /** Downloads of layers that were begun. */
  readonly begun: () => number;
  readonly close: () => Promise<void>;
};

/** `silent` never answers; `stalled` sends the first bytes of a layer and no more; `cut` ends the connection there. */
export type Fault = "none" | "silent" | "stalled" | "cut" | { readonly status: number };

/** So much of a layer arrives. */
const FIRST_BYTES = 100_000;

/** At a free port, or at one where an earlier one was. */
export async function faultyRegistry(
  registry: { readonly host: string },
  fault: Fault,
  at = 0,
): Promise<FaultyRegistry> {
  let open = 0;
  let begun = 0;
  const server = createServer((asked, answer) => {
    const { fault: now } = proxy;
    if (now === "silent") return;
    if (typeof now === "object") return void answer.writeHead(now.status).end();
    const isLayer = asked.method === "GET" && /\/blobs\//u.test(asked.url ?? "");
    forward(asked, { host: registry.host, answer }, (reply) => {
      const isLarge = isLayer && Number(reply.headers["content-length"] ?? 0) > FIRST_BYTES;
      if (!isLarge) return void reply.pipe(answer);
      open += 1;
      begun += 1;
      answer.on("close", () => (open -= 1));
      if (now === "none") reply.pipe(answer);
      else sendFirst(reply, answer, now);
    });
  });
  await new Promise<void>((resolve) => void server.listen(at, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens at a port
  const proxy: FaultyRegistry = {
    host: `127.0.0.1:${port}`,
    fault,
    open: () => open,
    begun: () => begun,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  return proxy;
}

type Forwarding = { readonly host: string; readonly answer: ServerResponse };

function forward(asked: IncomingMessage, { host, answer }: Forwarding, next: (reply: IncomingMessage) => void): void {
  const { method, url, headers } = asked;
  const onward = request(`http://${host}${url}`, { method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 500, reply.headers);
    next(reply);
  });
  onward.on("error", () => answer.destroy());
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
}

function sendFirst(reply: IncomingMessage, answer: ServerResponse, fault: "stalled" | "cut"): void {
  let sent = 0;
  reply.on("data", (bytes: Buffer) => {
    if (sent >= FIRST_BYTES) return;
    sent += bytes.length;
    answer.write(bytes, () => {
      if (sent >= FIRST_BYTES && fault === "cut") answer.destroy();
    });
  });
}
