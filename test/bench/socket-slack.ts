import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { machineMs } from "./remote.ts";

/** Slack's end of Socket Mode, as far as the bench needs it: https://docs.slack.dev/apis/events-api/using-socket-mode */

type Waiting = { readonly resolve: (endedAt: number) => void; readonly reject: (error: Error) => void };
type Connection = { readonly socket: WebSocket; readonly waiting: Map<string, Waiting>; isRetired: boolean };

export type SocketSlack = {
  readonly port: number;
  /** Sends an envelope over any connection of the app, and resolves to when it was acked. Rejects when it has none, or when that ends before the ack. */
  readonly deliver: (app: string, envelope: { readonly id: string; readonly frame: string }) => Promise<number>;
  /** How many connections of the app take deliveries. */
  readonly open: (app: string) => number;
  /** Announces the end of every connection that is open now, and ends it after `warnMs`. Resolves when all are closed. */
  readonly refresh: (app: string, warnMs: number) => Promise<void>;
};

/** Apps are told apart by the path of their WebSocket, which is their token. */
export async function startSocketSlack(): Promise<SocketSlack> {
  const apps = new Map<string, Set<Connection>>();
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket, request) => {
    const app = (request.url ?? "").slice(1);
    const all = apps.get(app) ?? new Set();
    const connection = take(socket);
    apps.set(app, all.add(connection));
    socket.on("close", () => all.delete(connection));
    socket.send(JSON.stringify({ type: "hello", num_connections: all.size }));
  });
  await once(server, "listening");
  const usable = (app: string): Connection[] => [...(apps.get(app) ?? [])].filter(isUsable);
  let turn = 0;
  return {
    port: (server.address() as AddressInfo).port, // it listens on a host and a port
    open: (app) => usable(app).length,
    async deliver(app, { id, frame }) {
      const open = usable(app);
      turn += 1;
      const connection = open[turn % open.length];
      if (connection === undefined) throw new Error("the app has no connection");
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      connection.waiting.set(id, { resolve, reject });
      connection.socket.send(frame);
      return promise;
    },
    async refresh(app, warnMs) {
      await Promise.all(usable(app).map((connection) => end(connection, warnMs)));
    },
  };
}

function isUsable({ socket, isRetired }: Connection): boolean {
  return !isRetired && socket.readyState === socket.OPEN;
}

function take(socket: WebSocket): Connection {
  const waiting = new Map<string, Waiting>();
  socket.on("message", (data: Buffer) => {
    const endedAt = machineMs();
    const { envelope_id: id } = JSON.parse(data.toString()) as { envelope_id: string }; // what an app acks with
    waiting.get(id)?.resolve(endedAt);
    waiting.delete(id);
  });
  socket.on("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("the connection ended before the ack"));
  });
  socket.on("error", () => undefined);
  return { socket, waiting, isRetired: false };
}

/** How long Slack waits for acks that are under way. */
const CLOSE_AFTER_MS = 100;

/** As Slack does it: a warning, later no more deliveries, then the close. */
async function end(connection: Connection, warnMs: number): Promise<void> {
  const { socket } = connection;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.once("close", () => resolve());
  socket.send(JSON.stringify({ type: "disconnect", reason: "warning" }));
  setTimeout(() => {
    connection.isRetired = true;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
    setTimeout(() => socket.close(), CLOSE_AFTER_MS);
  }, warnMs);
  await closed;
}
