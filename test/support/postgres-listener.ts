import { once } from "node:events";
import { createServer } from "node:net";
import { onTestFinished } from "vitest";

// https://www.postgresql.org/docs/current/protocol-message-formats.html: both have a length and then a code.
export const SSL_REQUEST = 80_877_103;
export const STARTUP_3_0 = 196_608;

type Listener = { readonly port: number; readonly codes: readonly number[] };

/** A database server without TLS: it notes how each connection begins, answers N to a request for TLS, and hangs up. */
export async function postgresListener(at: { readonly path: string } | { readonly port: 0 }): Promise<Listener> {
  const codes: number[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes: Buffer) => {
      codes.push(bytes.readUInt32BE(4));
      socket.end("N");
    });
  });
  server.listen(at);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === "object" && address ? address.port : 0, codes };
}
