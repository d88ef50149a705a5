import { connect, createServer, type Server } from "node:net";

export const HOST = "127.0.0.1";

/** A port that is free now. Nothing reserves it, so listen on it soon. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.on("error", () => undefined); // also after listening: accepting a connection can fail
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves to the port; 0 takes any. Rejects when the port is taken, or `host` isn't an address of this machine. */
export async function listen(server: Server, port: number, host = HOST): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}

/** Resolves to true if a program accepts connections on the port. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
