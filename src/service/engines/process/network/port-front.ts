import { connect, createServer, type Socket } from "node:net";
import { HOST, listen } from "./local-port.ts";

/**
 * What makes a `service_url` answer: a TCP listener of the engine for each port mapping, which hands each connection on
 * to a running instance, in turn. Instances come and go with ports of their own, so the address stays the same through
 * scaling, crashes and updates. It listens as long as the service exists: while no instance takes connections (also
 * when the service is stopped) a connection is closed at once, and nobody else can take the port meanwhile.
 */
export type PortFront = { readonly port: number; readonly close: () => Promise<void> };

/** Shared limit of forwarded connections for all fronts: each takes two of the engine's open files. */
export type ConnectionBudget = { readonly take: () => boolean; readonly giveBack: () => void };

export function makeConnectionBudget(limit: number): ConnectionBudget {
  let taken = 0;
  return {
    take() {
      if (taken >= limit) return false;
      taken += 1;
      return true;
    },
    giveBack() {
      taken -= 1;
    },
  };
}

/** Opens a front on `port`, or on any port when it is 0 or taken. `targets` are the ports of instances that run now. */
export async function openPortFront(
  port: number,
  targets: () => readonly number[],
  connections: ConnectionBudget,
): Promise<PortFront> {
  const sockets = new Set<Socket>();
  let turn = 0;

  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    incoming.on("error", () => incoming.destroy());
    if (!connections.take()) return void incoming.destroy();
    incoming.once("close", connections.giveBack);
    keep(incoming, sockets);
    const all = targets();
    turn += 1;
    const inTurn = all.map((_, index) => all[(index + turn) % all.length] ?? 0);
    forward(incoming, inTurn, sockets);
  });

  // Without open file handles a connection cannot be taken; the next one may be, so the listener goes on.
  server.on("error", () => undefined);

  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: await listenSomewhere(server, port), close };
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
}

/** Tries one instance after the other: one that starts or has just crashed does not take connections. */
function forward(incoming: Socket, [target, ...others]: readonly number[], sockets: Set<Socket>): void {
  if (target === undefined || incoming.destroyed) {
    incoming.destroy();
    return;
  }
  const outgoing = connect({ port: target, host: HOST, allowHalfOpen: true });
  const cut = () => outgoing.destroy();
  const next = () => {
    incoming.off("close", cut);
    forward(incoming, others, sockets);
  };
  keep(outgoing, sockets);
  incoming.once("close", cut);
  outgoing.once("error", next);
  outgoing.once("connect", () => {
    outgoing.off("error", next);
    outgoing.on("error", () => incoming.destroy());
    outgoing.once("close", () => incoming.destroySoon());
    incoming.pipe(outgoing).pipe(incoming);
  });
}

async function listenSomewhere(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  try {
    return await listen(server, port);
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (port === 0 || !isTaken) throw error;
    return await listen(server, 0);
  }
}
