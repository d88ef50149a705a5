import { WebSocket } from "ws";
import type { Network } from "../faults/network.ts";

/** What Slack sends on a connection: held back while the network is cut, and for ever once Slack's end is gone. */
export type Outbox = {
  readonly push: (send: () => void) => void;
  /** Nothing is sent or read any more, and the connection stays as it is. */
  readonly abandon: () => void;
  readonly close: () => void;
};

export function createOutbox(socket: WebSocket, network: Network): Outbox {
  let held: (() => void)[] = [];
  let isAbandoned = false;
  const follow = (): void => {
    if (isAbandoned) return;
    if (network.isCut()) return socket.pause();
    const due = held;
    held = [];
    for (const send of due) send();
    socket.resume();
  };
  network.watchers.add(follow);
  follow();
  return {
    push(send) {
      if (isAbandoned) return;
      if (network.isCut()) held.push(send);
      else if (socket.readyState === WebSocket.OPEN) send();
    },
    abandon() {
      isAbandoned = true;
      socket.pause();
    },
    close: () => void network.watchers.delete(follow),
  };
}
