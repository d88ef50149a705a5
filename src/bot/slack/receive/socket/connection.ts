import { SocketModeClient } from "@slack/socket-mode";
import type { Logger } from "pino";
import type { Clock } from "../../../../platform/clock.ts";
import { directNetwork } from "../../../../platform/http/network.ts";
import { boltLogger } from "../../bolt-logger.ts";
import { clientOptions, type SlackPlace } from "../../send/clients.ts";
import { ackFrame, type Delivery, type Hello, readFrame } from "./frame.ts";
import { unawaited } from "../../../../platform/waiting.ts";

export type ConnectionParts = SlackPlace & {
  readonly appToken: string;
  readonly pongWithinMs: number;
  readonly log: Logger;
  readonly clock: Pick<Clock, "elapsedMs" | "after">;
};

export type Events = {
  /** `ack` is false when the connection is closed: then Slack has given the delivery up. */
  readonly onDelivery: (delivery: Delivery, ack: (body?: object) => boolean) => void;
  /** Slack will close the connection, or just did. */
  readonly onDisconnect: (reason: string) => void;
  /** Called once. After it nothing arrives any more. */
  readonly onClosed: () => void;
};

/** One WebSocket to Slack, from its ticket to its end. It is never opened again. */
export type Connection = {
  /** Resolves at Slack's hello; rejects with what kept it from coming. Call it once. */
  readonly open: () => Promise<Hello>;
  /** Whether deliveries can arrive and be acked. */
  readonly isOpen: () => boolean;
  /** Closes it when everything that arrived is acked. Resolves when Slack has agreed, or after a second. */
  readonly close: () => Promise<void>;
  /** Closes it at once. */
  readonly drop: () => void;
};

/** Slack doesn't end the TCP connection after a close: https://github.com/slackapi/node-slack-sdk/issues/2752 */
const CLOSE_WITHIN_MS = 1_000;
/** `apps.connections.open`. */
const TICKET_WITHIN_MS = 10_000;
/** Slack gives a delivery up after it: https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response */
const ACK_WITHIN_MS = 3_000;

type State = {
  readonly client: SocketModeClient;
  readonly clock: ConnectionParts["clock"];
  /** Since when, by the clock's `elapsedMs`. */
  readonly unacked: Map<string, number>;
  hello: Hello | undefined;
  error: Error | undefined;
  isClosed: boolean;
};

/**
 * Slack's client, used once: it gets the ticket, opens the WebSocket, sends pings and notices a dead peer. Its
 * reconnection is off, and its handler of messages replaced: that one closes the connection at the first warning, loses
 * what has no ack yet, and ends the process at a message that is `null`.
 */
export function createConnection(parts: ConnectionParts, events: Events): Connection {
  const client = clientOf(parts);
  const { clock } = parts;
  const state: State = { client, clock, unacked: new Map(), hello: undefined, error: undefined, isClosed: false };
  client.removeAllListeners("ws_message");
  client.on("ws_message", (data: unknown) => onMessage(state, events, data));
  client.on("error", (error: Error) => {
    state.error = error;
  });
  client.on("close", () => ended(state, events));
  client.on("connecting", () => {
    // The client would still connect when it was closed while it got its ticket.
    if (state.isClosed) throw new Error("the connection was closed before it was open");
  });
  return {
    open: () => open(state),
    isOpen: () => isOpen(state),
    async close() {
      await allAcked(state);
      await end(state, events);
    },
    drop: () => unawaited(end(state, events), (err) => parts.log.warn({ err }, "couldn't end a connection to Slack")),
  };
}

const LOOK_FOR_ACKS_MS = 10;

/** Slack would give up what has no ack when the connection ends. Resolves in any case once Slack would have given up. */
async function allAcked({ unacked, clock }: State): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    const givenUpMs = clock.elapsedMs() - ACK_WITHIN_MS;
    if ([...unacked.values()].every((sinceMs) => sinceMs < givenUpMs)) resolve();
    else clock.after(LOOK_FOR_ACKS_MS, look);
  };
  look();
  await promise;
}

/** After the first call the WebSocket waits for Slack's half of the close; the second one ends it. */
async function end(state: State, events: Events): Promise<void> {
  const { websocket } = state.client;
  ended(state, events);
  if (websocket?.readyState === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  state.client.once("close", resolve);
  websocket.disconnect();
  const timer = state.clock.after(CLOSE_WITHIN_MS, () => websocket.disconnect());
  await promise;
  timer.cancel();
}

function clientOf({ appToken, apiUrl, network = directNetwork, pongWithinMs, log }: ConnectionParts): SocketModeClient {
  const loud = boltLogger(log);
  // Whoever opened the connection logs why it ended, once.
  const logger = { ...loud, warn: loud.info, error: loud.info };
  return new SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    clientPingTimeout: pongWithinMs,
    logger,
    ...(network.dispatcher !== undefined && { dispatcher: network.dispatcher }),
    clientOptions: clientOptions({ apiUrl }, { fetch: network.fetch, logger, timeout: TICKET_WITHIN_MS }),
  });
}

async function open(state: State): Promise<Hello> {
  try {
    await state.client.start();
  } catch (error) {
    // It rejects with nothing when the WebSocket breaks; then the reason came as an event.
    throw error ?? state.error ?? new Error("the connection was closed before Slack's hello");
  }
  return state.hello ?? { connections: undefined };
}

function isOpen({ client, hello, isClosed }: State): boolean {
  return hello !== undefined && !isClosed && client.websocket?.isActive() === true;
}

function onMessage(state: State, events: Events, data: unknown): void {
  if (state.isClosed) return;
  // Slack sends text only; others are ignored.
  const frame = readFrame(typeof data === "string" ? data : "");
  switch (frame.kind) {
    case "hello":
      state.hello = frame;
      state.client.emit("connected");
      return;
    case "disconnect":
      return events.onDisconnect(frame.reason);
    case "delivery":
      return deliver(state, events, frame);
    case "unreadable":
  }
}

function deliver(state: State, events: Events, delivery: Delivery): void {
  const { client, unacked, clock } = state;
  const { envelopeId } = delivery;
  unacked.set(envelopeId, clock.elapsedMs());
  events.onDelivery(delivery, (body) => {
    unacked.delete(envelopeId);
    let isSent = !state.isClosed && client.websocket?.isActive() === true;
    if (!isSent) return false;
    client.websocket?.send(ackFrame(envelopeId, body), (error) => {
      isSent = error === undefined;
    });
    return isSent;
  });
}

function ended(state: State, events: Events): void {
  if (state.isClosed) return;
  state.isClosed = true;
  events.onClosed();
}
