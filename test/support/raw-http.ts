import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** What comes back for bytes that are sent as they are, until the other side closes the connection. */
export async function rawAnswer(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const chunks: string[] = [];
  socket.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.write(bytes);
  await once(socket, "close");
  return chunks.join("");
}

/** A connection on which nothing is sent. */
export async function idleConnection(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  return socket;
}
