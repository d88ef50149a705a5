import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { guardServer, type Upgrade } from "../../src/platform/http/guard-server.ts";
import type { CallName } from "./points.ts";
import type { Trap } from "./trap.ts";
import { replicaHeader } from "./ipc.ts";

export type Arrived = { readonly request: Request; readonly body: string; readonly replica: number };

export type ProxyOptions = {
  readonly inner: (request: Request) => Promise<Response>;
  /** What the request is for; undefined: nothing that anybody is killed at. */
  readonly nameOf: (arrived: Arrived) => CallName | undefined;
  /** Instead of what would be answered. The connection ends before anything is done (`dropped`), or after (`unanswered`). */
  readonly instead?: (arrived: Arrived) => Response | "dropped" | "unanswered" | undefined;
  readonly onArrival?: (arrived: Arrived) => void;
  readonly onDone?: (arrived: Arrived, response: Response) => void;
  /** Takes WebSockets, which nobody is killed at. */
  readonly upgrade?: Upgrade;
  readonly trap: Trap;
  /** Ends a replica as `kill -9` does; resolves when it is gone. */
  readonly kill: (replica: number) => Promise<void>;
};

export type Proxy = { readonly url: string; readonly close: () => Promise<void> };

/** Stands before a server, and kills whoever sends a request at which the trap is armed. */
export async function openKillingProxy(parts: ProxyOptions): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    pass(parts, incoming, outgoing).catch((error: unknown) => outgoing.destroy(asError(error)));
  });
  guardServer(server, parts.upgrade === undefined ? {} : { upgrade: parts.upgrade });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function pass(parts: ProxyOptions, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const arrived = await read(incoming);
  const { trap, kill, inner, onArrival, onDone } = parts;
  const name = parts.nameOf(arrived);
  const end = async (): Promise<void> => {
    await kill(arrived.replica);
    trap.sprung();
    outgoing.destroy();
  };
  onArrival?.(arrived);
  if (name !== undefined && trap.takes(name, "before")) return end();
  const isKilledMeanwhile = name !== undefined && trap.takes(name, "during");
  const instead = parts.instead?.(arrived);
  if (instead === "dropped") return void outgoing.destroy();
  const response = instead instanceof Response ? instead : await inner(arrived.request);
  if (!(instead instanceof Response)) onDone?.(arrived, response);
  if (isKilledMeanwhile) return end();
  if (instead === "unanswered") return void outgoing.destroy();
  const isKilledAfter = name !== undefined && trap.takes(name, "after");
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  await new Promise<void>((resolve) => outgoing.end(body, resolve));
  if (isKilledAfter) await end();
}

async function read(incoming: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // no encoding is set
  const body = Buffer.concat(chunks);
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, String(value));
  const hasBody = method !== "GET" && method !== "HEAD";
  const request = new Request(`http://${incoming.headers.host}${url}`, { method, headers, ...(hasBody && { body }) });
  return { request, body: body.toString(), replica: Number(incoming.headers[replicaHeader] ?? 0) };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
