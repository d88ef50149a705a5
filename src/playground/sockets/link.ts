import { WebSocket } from "ws";
import type { Ack } from "../delivery/bot-request.ts";
import type { Network } from "../faults/network.ts";
import { type Json, type JsonObject, parseJson } from "../json.ts";
import { Refused } from "../rules/refusal.ts";
import { type AwaitedAcks, createAwaitedAcks } from "./awaited-acks.ts";
import { createOutbox } from "./outbox.ts";

/** A delivery as it is sent over a connection. https://docs.slack.dev/apis/events-api/using-socket-mode */
export type Envelope = JsonObject & { readonly envelope_id: string; readonly payload: JsonObject };

/** Slack's end of one WebSocket of the app. */
export type Link = {
  /** "applink-3", as in debug_info.host. */
  readonly name: string;
  /** Takes deliveries: hello was said, and no end was announced. */
  readonly isOpen: () => boolean;
  /** Says hello, and opens it for deliveries. */
  readonly greet: (hello: JsonObject) => void;
  readonly send: (frame: JsonObject) => void;
  readonly deliver: (envelope: Envelope, limitMs: number) => Promise<Ack>;
  /** Gives it no more deliveries; acks still arrive. */
  readonly retire: () => void;
  readonly close: () => void;
  /** Ends the TCP connection without a word. */
  readonly drop: () => void;
  /** Slack's end is gone, and the bot's doesn't notice: neither frames nor pings are answered any more. */
  readonly abandon: () => void;
  /** Pings the bot. A connection that answered none of the last `tries` pings is abandoned. */
  readonly ping: (tries: number) => void;
};

type LinkParts = {
  readonly name: string;
  readonly socket: WebSocket;
  readonly network: Network;
  /** Told of each frame that is no valid ack. */
  readonly onRefused: (frame: Json, refused: Refused) => void;
  /** Told once, when Slack's end is gone. */
  readonly onEnd: () => void;
};

/** Until the TCP connection of an end that doesn't finish the closing handshake is ended. */
const closingMs = 1_000;

function readAcks(acks: AwaitedAcks, { socket, onRefused }: LinkParts): void {
  // The end of the connection follows.
  socket.on("error", () => undefined);
  socket.on("message", (data: Buffer) => {
    const text = data.toString();
    const frame = parseJson(text);
    try {
      acks.take(frame);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      onRefused(frame ?? text, error);
    }
  });
}

/** Counts one more ping, and returns how many have had no answer. */
function unansweredPings(socket: WebSocket): () => number {
  let unanswered = 0;
  socket.on("pong", () => (unanswered = 0));
  return () => (unanswered += 1);
}

export function createLink(parts: LinkParts): Link {
  const { name, socket, network, onEnd } = parts;
  const [acks, outbox] = [createAwaitedAcks(), createOutbox(socket, network)];
  let stage: "new" | "open" | "retired" | "ended" = "new";
  const countPings = unansweredPings(socket);
  const end = (): void => {
    if (stage === "ended") return;
    stage = "ended";
    outbox.close();
    acks.end();
    onEnd();
  };
  const send = (frame: JsonObject): void => outbox.push(() => socket.send(JSON.stringify(frame)));
  readAcks(acks, parts);
  socket.on("close", end);
  return {
    name,
    isOpen: () => stage === "open" && socket.readyState === WebSocket.OPEN,
    greet(hello) {
      send(hello);
      stage = "open";
    },
    send,
    async deliver(envelope, limitMs) {
      send(envelope);
      return acks.wait(envelope.envelope_id, limitMs);
    },
    retire: () => void (stage = "retired"),
    close: () => outbox.push(() => closeSoon(socket)),
    drop: () => socket.terminate(),
    abandon() {
      outbox.abandon();
      end();
    },
    ping(tries) {
      if (countPings() > tries) return this.abandon();
      outbox.push(() => socket.ping(`Ping from ${name}`));
    },
  };
}

function closeSoon(socket: WebSocket): void {
  socket.close(1000);
  setTimeout(() => socket.terminate(), closingMs).unref();
}
