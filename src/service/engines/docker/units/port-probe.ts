import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { HOST } from "../../../workloads/ports/local-port.ts";

/** How long a connection must stay open. */
const OPEN_MS = 100;

/**
 * Whether a program in the container takes connections at a published port. The daemon's proxy accepts each connection
 * and closes it at once while nothing in the container listens, so only one that stays open says something.
 */
export async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, HOST);
  const closed = new Promise<false>((resolve) => {
    socket.once("error", () => resolve(false)).once("close", () => resolve(false));
  });
  socket.once("end", () => socket.destroy()).resume();
  const connected = new Promise<true>((resolve) => socket.once("connect", () => resolve(true)));
  const isOpen = (await Promise.race([connected, closed])) && (await Promise.race([stillOpen(), closed]));
  socket.destroy();
  return isOpen;
}

function stillOpen(): Promise<true> {
  return pause(OPEN_MS, true, { ref: false });
}
