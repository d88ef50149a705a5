import { WebSocket } from "ws";
import type { Clock } from "../../platform/clock.ts";
import { within } from "../../platform/waiting.ts";
import { type Ack, type BotRequest, noAck } from "../delivery/bot-request.ts";
import type { Network } from "../faults.ts";
import { isObject, type Json, type JsonObject, parseJson, textOf } from "../json.ts";
import { refuse, Refused } from "../rules/rules.ts";
import { randomUUID } from "node:crypto";

/** A delivery as it is sent over a connection. https://docs.slack.dev/apis/events-api/using-socket-mode */
type Envelope = JsonObject & { readonly envelope_id: string; readonly payload: JsonObject };

/** Slack's end of one WebSocket of the app. */
export type Link = ReturnType<typeof createLink>;

type LinkParts = {
  readonly name: string;
  readonly socket: WebSocket;
  readonly network: Network;
  readonly clock: Pick<Clock, "after">;
  /** Told of each frame that is no valid ack. */
  readonly onRefused: (frame: Json, refused: Refused) => void;
  /** Told once, when Slack's end is gone. */
  readonly onEnd: () => void;
};

/** Until the TCP connection of an end that doesn't finish the closing handshake is ended. */
const closingMs = 1_000;

function readAcks(acks: ReturnType<typeof createAwaitedAcks>, { socket, onRefused }: LinkParts): void {
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

export function createLink(parts: LinkParts) {
  const { name, socket, network, clock, onEnd } = parts;
  const [acks, outbox] = [createAwaitedAcks(clock), createOutbox(socket, network)];
  let stage: "new" | "open" | "retired" | "ended" = "new";
  let unanswered = 0;
  socket.on("pong", () => (unanswered = 0));
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
    /** "applink-3", as in debug_info.host. */
    name,
    /** Takes deliveries: hello was said, and no end was announced. */
    isOpen: () => stage === "open" && socket.readyState === WebSocket.OPEN,
    /** Says hello, and opens it for deliveries. */
    greet(hello: JsonObject) {
      send(hello);
      stage = "open";
    },
    send,
    async deliver(envelope: Envelope, limitMs: number) {
      send(envelope);
      return acks.wait(envelope.envelope_id, limitMs);
    },
    /** Gives it no more deliveries; acks still arrive. */
    retire: () => void (stage = "retired"),
    close() {
      outbox.push(() => {
        socket.close(1000);
        clock.after(closingMs, () => socket.terminate());
      });
    },
    /** Ends the TCP connection without a word. */
    drop: () => socket.terminate(),
    /** Slack's end is gone, and the bot's doesn't notice: neither frames nor pings are answered any more. */
    abandon() {
      outbox.abandon();
      end();
    },
    /** Pings the bot. A connection that answered none of the last `tries` pings is abandoned. */
    ping(tries: number): void {
      unanswered += 1;
      if (unanswered > tries) return this.abandon();
      outbox.push(() => socket.ping(`Ping from ${name}`));
    },
  };
}

/** The envelopes of one connection that wait for their ack. */
function createAwaitedAcks(clock: Pick<Clock, "after">) {
  const waiting = new Map<string, (ack: Ack) => void>();
  return {
    /** Resolves with the ack; without one after the limit, or when the connection ends. */
    async wait(envelopeId: string, limitMs: number): Promise<Ack> {
      const { promise, resolve } = Promise.withResolvers<Ack>();
      waiting.set(envelopeId, resolve);
      return within(limitMs, promise, () => noAck("operation_timeout", "timeout"), clock).finally(() =>
        waiting.delete(envelopeId),
      );
    },
    /** Throws Refused unless it is the ack of an envelope that waits here. */
    take(frame: Json | undefined) {
      const id = isObject(frame) ? textOf(frame["envelope_id"]) : "";
      if (!isObject(frame) || id === "")
        refuse("invalid_ack", "socket.ack-shape", "no JSON object with an envelope_id");
      const payload = frame["payload"] ?? {};
      if (!isObject(payload)) refuse("invalid_ack", "socket.ack-shape", "the payload is no object");
      const settle = waiting.get(id);
      if (settle === undefined) refuse("unknown_envelope", "socket.ack-known", `no envelope ${id} waits here`);
      waiting.delete(id);
      // Libraries send an empty payload with every ack.
      settle({
        status: undefined,
        answer: Object.keys(payload).length === 0 ? undefined : payload,
        wantsNoRetry: false,
      });
    },
    /** No ack can arrive any more. */
    end() {
      for (const settle of waiting.values()) settle(noAck("dispatch_failed", "timeout"));
    },
  };
}

/** What Slack sends on a connection: held back while the network is cut, and for ever once Slack's end is gone. */
function createOutbox(socket: WebSocket, network: Network) {
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
    push(send: () => void) {
      if (isAbandoned) return;
      if (network.isCut()) held.push(send);
      else if (socket.readyState === WebSocket.OPEN) send();
    },
    /** Nothing is sent or read any more, and the connection stays as it is. */
    abandon() {
      isAbandoned = true;
      socket.pause();
    },
    close: () => void network.watchers.delete(follow),
  };
}

// https://docs.slack.dev/apis/events-api/using-socket-mode

/** `link_disabled`: Socket Mode was turned off. `warning` comes about 10 s before `refresh_requested`. */
export type DisconnectReason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets";

export function disconnectFrame(reason: DisconnectReason, host: string): JsonObject {
  return { type: "disconnect", reason, debug_info: { host } };
}

export function helloFrame(about: {
  readonly appId: string;
  readonly host: string;
  /** Connections of the app, with the new one. */
  readonly connections: number;
  /** Seconds until Slack refreshes the connection. */
  readonly lifetimeSeconds: number;
}): JsonObject {
  return {
    type: "hello",
    num_connections: about.connections,
    debug_info: { host: about.host, build_number: 10, approximate_connection_time: about.lifetimeSeconds },
    connection_info: { app_id: about.appId },
  };
}

/** Whether Slack reads a payload in the ack. */
export function takesPayload({ type, kind }: Pick<BotRequest, "type" | "kind">): boolean {
  if (type === "events_api") return false;
  // Slack's page shows true for buttons, forms, menus and commands; its SDK's samples show false for a shortcut.
  return kind !== "shortcut" && kind !== "message_action" && kind !== "view_closed";
}

/** A new envelope each time: a retry has the same payload in another one. */
export function envelopeOf(request: BotRequest): Envelope {
  const { type, payload, retry } = request;
  return {
    envelope_id: randomUUID(),
    payload,
    type,
    accepts_response_payload: takesPayload(request),
    ...(retry !== undefined && { retry_attempt: retry.attempt, retry_reason: retry.reason }),
  };
}
