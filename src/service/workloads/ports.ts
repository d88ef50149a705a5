import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Exposed, Exposure } from "./runtime.ts";

/** The open fronts of a runtime. `host` is an address of this machine. At most `mostConnections` are forwarded at the same time. */
export function makePortFronts(host: string, mostConnections: number) {
  const connections = makeConnections(mostConnections);
  const fronts = new Set<Exposure>();
  return {
    open: async ({ assigned, targets, isExact }: Exposed): Promise<Exposure> => {
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
    drained: connections.drained,
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

type Connections = ReturnType<typeof makeConnections>;

/** The forwarded connections of all fronts, which share a limit: each takes two of the engine's open files. */
export function makeConnections(limit: number) {
  let taken = 0;
  const open = new Map<string, { count: number; readonly ended: PromiseWithResolvers<void> }>();
  return {
    take() {
      if (taken >= limit) return false;
      taken += 1;
      return true;
    },
    giveBack: () => {
      taken -= 1;
    },
    /** Counts a connection to this target until the returned function is called. */
    begin(target: string): () => void {
      const to = open.get(target) ?? { count: 0, ended: Promise.withResolvers<void>() };
      to.count += 1;
      open.set(target, to);
      return () => {
        to.count -= 1;
        if (to.count > 0) return;
        open.delete(target);
        to.ended.resolve();
      };
    },
    /** Resolves when no connection to this target is open. */
    drained: async (target: string) => await open.get(target)?.ended.promise,
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
  connections: Connections,
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
    forward(incoming, inTurn, { sockets, connections });
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
function forward(
  incoming: Socket,
  [target, ...others]: readonly string[],
  front: { readonly sockets: Set<Socket>; readonly connections: Connections },
): void {
  if (target === undefined || incoming.destroyed) {
    incoming.destroy();
    return;
  }
  const outgoing = connect({ port: portOf(target), host: HOST, allowHalfOpen: true });
  const cut = () => outgoing.destroy();
  const next = () => {
    incoming.off("close", cut);
    forward(incoming, others, front);
  };
  keep(outgoing, front.sockets);
  outgoing.once("close", front.connections.begin(target));
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
  if (port === 0) return await listenAnywhere(server, host);
  try {
    return await listen(server, port, host);
  } catch (error) {
    if (isExact || !isTaken(error)) throw error;
    return await listenAnywhere(server, host);
  }
}

export const HOST = "127.0.0.1";

/**
 * Below the ports that the system hands out to programs that ask for any. Such a program could get the port of an instance
 * that doesn't listen yet, or of a service while Gantry is stopped, and answer in its place.
 */
const FIRST_PORT = 15_000;
const PORTS = 15_000;
const TRIES = 50;

/** A port that is free now. Nothing reserves it, so listen on it soon. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.on("error", () => undefined); // also after listening: accepting a connection can fail
  const port = await listenAnywhere(server, HOST);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listenAnywhere(server: Server, host: string): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      return await listen(server, FIRST_PORT + Math.floor(Math.random() * PORTS), host);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  return await listen(server, 0, host);
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

/** Resolves to the port; 0 takes any. Rejects when the port is taken, or `host` isn't an address of this machine. */
export async function listen(server: Server, port: number, host = HOST): Promise<number> {
  const listening = once(server, "listening");
  server.listen(port, host);
  await listening;
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
