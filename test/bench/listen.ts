import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves on a free port of the loopback interface and resolves to it. Connections stay open for the whole run. */
export async function listen(listener: RequestListener): Promise<number> {
  const server = createServer({ keepAliveTimeout: 600_000 }, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // a server on a port has one
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString("utf8");
}
