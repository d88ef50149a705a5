import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** `reset`: connections end and new ones are refused. `silent`: they stay, and nothing passes until it is over. */
export type Cut = "reset" | "silent";

/** The network between Slack and every replica. */
export type Network = {
  readonly port: number;
  readonly cut: (how: Cut) => void;
  readonly mend: () => void;
  readonly isCut: () => boolean;
  readonly close: () => Promise<void>;
};

/** Passes bytes to a port of this machine, and can be cut. */
export async function openNetwork(target: () => number): Promise<Network> {
  let cut: Cut | undefined;
  const links = new Set<Link>();
  /** Opened while nothing passes: as packets that are sent again until the network is back. */
  const waiting = new Set<Socket>();
  const join = (near: Socket): void => {
    const link = { near, far: connect(target(), "127.0.0.1") };
    links.add(link);
    for (const [socket, other] of both(link)) {
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        links.delete(link);
        other.destroy();
      });
    }
    pass(link);
  };
  const server = createServer({ noDelay: true }, (near) => {
    if (cut === "reset") return void near.resetAndDestroy();
    if (cut === undefined) return join(near);
    near.on("error", () => near.destroy());
    waiting.add(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    port,
    cut(how) {
      cut = how;
      for (const link of links) {
        if (how === "silent") hold(link);
        else link.near.resetAndDestroy();
      }
    },
    mend() {
      if (cut === "silent") for (const link of links) pass(link);
      cut = undefined;
      for (const near of waiting) if (!near.destroyed) join(near);
      waiting.clear();
    },
    isCut: () => cut !== undefined,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of [...links].flatMap(({ near, far }) => [near, far])) socket.destroy();
      for (const near of waiting) near.destroy();
      await closed;
    },
  };
}

type Link = { readonly near: Socket; readonly far: Socket };

function both({ near, far }: Link): readonly (readonly [Socket, Socket])[] {
  return [
    [near, far],
    [far, near],
  ];
}

function pass(link: Link): void {
  for (const [socket, other] of both(link)) socket.pipe(other);
}

function hold(link: Link): void {
  for (const [socket, other] of both(link)) socket.unpipe(other).pause();
}
