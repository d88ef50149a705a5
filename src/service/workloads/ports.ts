import { connect, createServer, type Server, type Socket } from "node:net";
import type { Exposed, Exposure, Runtime } from "./runtime.ts";

/** The open fronts of a runtime. */
type PortFronts = { readonly open: Runtime["expose"]; readonly close: () => Promise<void> };

/** `host` is an address of this machine. At most `mostConnections` are forwarded at the same time. */
export function makePortFronts(host: string, mostConnections: number): PortFronts {
  const connections = makeConnectionBudget(mostConnections);
  const fronts = new Set<Exposure>();
  return {
    async open({ assigned, targets, isExact }: Exposed) {
      const front = await openPortFront({ host, port: portOf(assigned ?? ""), isExact }, targets, connections);
      const exposure: Exposure = {
        address: `${host}:${front.port}`,
        async release() {
          fronts.delete(exposure);
          await front.close();
        },
      };
      fronts.add(exposure);
      return exposure;
    },
    close: async () => void (await Promise.all([...fronts].map((front) => front.release()))),
  };
}

/**
 * The listener behind a `service_url`: it forwards each connection to a running instance, in turn. Instances come and go
 * with their own ports, so the address stays the same through scaling, crashes and updates. It listens as long as the
 * service exists: while no instance takes connections (also when the service is stopped) a connection is closed
 * immediately, and no other program can take the port.
 */
type PortFront = { readonly port: number; readonly close: () => Promise<void> };

/** Shared limit of forwarded connections for all fronts: each takes two of the engine's open files. */
type ConnectionBudget = { readonly take: () => boolean; readonly giveBack: () => void };

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

/** Where a front listens; `port` 0 takes any. */
type FrontPlace = {
  readonly host: string;
  readonly port: number;
  /** Reject when the port is taken. */
  readonly isExact?: boolean | undefined;
};

/** Opens a front at `place`, on any port when its own is taken, unless it has to be that one. `targets` are addresses of running instances. */
export async function openPortFront(
  place: FrontPlace,
  targets: () => readonly string[],
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
    const inTurn = all.map((_, index) => all[(index + turn) % all.length] ?? "");
    forward(incoming, inTurn, sockets);
  });

  // Without file descriptors a connection cannot be accepted, but the next one may be: don't stop.
  server.on("error", () => undefined);

  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { port: await listenSomewhere(server, place), close };
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
}

/** Tries the instances one after the other: one that starts or has just crashed does not take connections. */
function forward(incoming: Socket, [target, ...others]: readonly string[], sockets: Set<Socket>): void {
  if (target === undefined || incoming.destroyed) {
    incoming.destroy();
    return;
  }
  const outgoing = connect({ port: portOf(target), host: HOST, allowHalfOpen: true });
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

/** The port of an address like `127.0.0.1:40123`; 0 if it has none. */
export function portOf(address: string): number {
  const port = Number(address.split(":").at(-1));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

async function listenSomewhere(server: Server, { host, port, isExact = false }: FrontPlace): Promise<number> {
  try {
    return await listen(server, port, host);
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (port === 0 || isExact || !isTaken) throw error;
    return await listen(server, 0, host);
  }
}

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
