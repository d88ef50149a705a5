import { once } from "node:events";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { app, appToken, type SmallWorld, startSmallWorld } from "./small-world.ts";

type Fields = Record<string, unknown>;

/** One connection of a minimal app in Socket Mode: it records frames and acks as the test wants. */
export type Connection = {
  readonly frames: readonly Fields[];
  /** Deliveries, oldest first. */
  readonly envelopes: () => readonly Fields[];
  readonly hello: () => Fields | undefined;
  /** The reasons of `disconnect`, oldest first. */
  readonly told: () => readonly unknown[];
  /** The ack's payload; undefined for none, "never" for no ack. */
  answer: (payload: Fields) => Fields | "never" | undefined;
  readonly send: (frame: unknown) => void;
  readonly socket: WebSocket;
};

export const socketApp = { ...app, usesSocketMode: true };

/** A workspace whose app is in Socket Mode. */
export async function startSocketWorld(
  changes: Parameters<typeof startSmallWorld>[0] = {},
): Promise<SmallWorld & { readonly connect: (query?: string) => Promise<Connection> }> {
  const world = await startSmallWorld({ app: socketApp, ...changes });
  return {
    ...world,
    async connect(query = "") {
      const { url } = await world.call("apps.connections.open", {}, appToken);
      const connection = connectTo(`${String(url)}${query}`);
      await once(connection.socket, "open");
      await expect.poll(() => connection.frames.length).toBe(1);
      return connection;
    },
  };
}

/** Opens a connection and acks what comes. */
export function connectTo(url: string): Connection {
  const socket = new WebSocket(url);
  const frames: Fields[] = [];
  const connection: Connection = {
    frames,
    envelopes: () => frames.filter((frame) => frame["envelope_id"] !== undefined),
    hello: () => frames.find((frame) => frame["type"] === "hello"),
    told: () => frames.filter((frame) => frame["type"] === "disconnect").map((frame) => frame["reason"]),
    answer: () => undefined,
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    socket,
  };
  socket.on("error", () => undefined);
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Fields; // Slack sends JSON objects
    frames.push(frame);
    if (frame["envelope_id"] === undefined) return;
    const payload = connection.answer(frame["payload"] as Fields); // each envelope has one
    if (payload !== "never") connection.send({ envelope_id: frame["envelope_id"], ...(payload && { payload }) });
  });
  return connection;
}
