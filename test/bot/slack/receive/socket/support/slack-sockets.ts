import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { until } from "../../../../../support/until.ts";

/** What `apps.connections.open` answers: a ticket, an error code, an HTTP status, or nothing at all. */
export type Answer = "ticket" | "silence" | { readonly error: string } | { readonly status: number };

type Greeting = "hello" | "no count" | "nothing" | "too many";

/** One connection, from Slack's side. */
export type Peer = {
  readonly isOpen: () => boolean;
  readonly send: (message: unknown) => void;
  /** As it is, not as JSON. */
  readonly sendRaw: (data: string | Buffer) => void;
  /** Sends a delivery; resolves with the payload of its ack. Rejects when the connection ends before it. */
  readonly deliver: (body: object, more?: object) => Promise<unknown>;
  /** The same delivery, and nobody waits for its ack. */
  readonly begin: (body: object) => string;
  readonly isAcked: (envelopeId: string) => boolean;
  readonly close: () => void;
  /** Without a goodbye, as a broken network does. */
  readonly cut: () => void;
  /** It stays open and answers nothing any more, not even pings. */
  readonly freeze: () => void;
};

export type SlackSockets = {
  readonly apiUrl: string;
  /** How `apps.connections.open` answers from now on: with each in turn, and with the last one for ever. */
  readonly answer: (...answers: readonly Answer[]) => void;
  /** What a new connection gets instead of a hello, from now on. */
  readonly greet: (greeting: Greeting) => void;
  readonly calls: () => number;
  /** All connections that there were, in order. */
  readonly peers: () => readonly Peer[];
  readonly open: () => readonly Peer[];
  /** Resolves with the connections when there are so many. */
  readonly has: (count: number) => Promise<readonly Peer[]>;
};

/** A Slack that only knows Socket Mode, and misbehaves on request. */
export async function slackSockets(): Promise<SlackSockets> {
  let answers: readonly Answer[] = ["ticket"];
  let greeting: Greeting = "hello";
  let calls = 0;
  const peers: Peer[] = [];
  const server = createServer((_, response) => {
    calls += 1;
    answerOpen(response, answers[0] ?? "ticket", port);
    if (answers.length > 1) answers = answers.slice(1);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, request) => {
    peers.push(peerOf(socket, request));
    if (greeting === "hello") socket.send(JSON.stringify({ type: "hello", num_connections: open().length }));
    if (greeting === "no count") socket.send(JSON.stringify({ type: "hello" }));
    if (greeting === "too many") socket.send(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a host and a port
  const open = (): readonly Peer[] => peers.filter(({ isOpen }) => isOpen());
  onTestFinished(async () => {
    for (const each of sockets.clients) each.terminate();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    answer: (...wanted) => void (answers = wanted),
    greet: (wanted) => void (greeting = wanted),
    calls: () => calls,
    peers: () => peers,
    open,
    async has(count) {
      await until(() => open().length === count);
      return open();
    },
  };
}

function answerOpen(response: ServerResponse, answer: Answer, port: number): void {
  if (answer === "silence") return;
  if (typeof answer === "object" && "status" in answer) return void response.writeHead(answer.status).end();
  response.writeHead(200, { "content-type": "application/json" });
  const body = answer === "ticket" ? { ok: true, url: `ws://127.0.0.1:${port}/link` } : { ok: false, ...answer };
  response.end(JSON.stringify(body));
}

let envelopes = 0;

function peerOf(socket: WebSocket, request: IncomingMessage): Peer {
  const raw: Socket = request.socket;
  const acks = new Map<string, unknown>();
  const waiting = new Map<string, (payload: unknown) => void>();
  socket.on("message", (data: Buffer) => {
    const { envelope_id: id, payload } = JSON.parse(data.toString()) as { envelope_id: string; payload?: unknown }; // what the bot acks with
    acks.set(id, payload);
    waiting.get(id)?.(payload);
  });
  socket.on("error", () => undefined);
  const send = (message: unknown): void => socket.send(JSON.stringify(message));
  const begin = (body: object, more: object = {}): string => {
    envelopes += 1;
    const envelope_id = `envelope-${envelopes}`;
    send({ envelope_id, type: "slash_commands", payload: body, accepts_response_payload: true, ...more });
    return envelope_id;
  };
  return {
    isOpen: () => socket.readyState === socket.OPEN,
    send,
    sendRaw: (data) => socket.send(data),
    begin,
    deliver(body, more) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      socket.once("close", () => reject(new Error("the connection ended before the ack")));
      waiting.set(begin(body, more), resolve);
      return promise;
    },
    isAcked: (id) => acks.has(id),
    close: () => socket.close(),
    cut: () => raw.destroy(),
    freeze: () => void raw.pause(),
  };
}
