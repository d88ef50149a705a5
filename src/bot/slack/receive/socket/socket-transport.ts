import { newReference } from "../../../../platform/log.ts";
import type { Server } from "node:http";
import type { App } from "@slack/bolt";
import { portOf } from "../../../../platform/http/port.ts";
import { sentences } from "../../../views/messages/sentences.ts";
import { AckLostError, ackBody, LATEST_ACK_MS, createApp, type Transport, type TransportParts } from "../transport.ts";
import { startHealthServer } from "../health-server.ts";
import { createConnection } from "./connection.ts";
import { type Connections, createConnections } from "./connections.ts";
import type { Delivery } from "./frame.ts";
import { unawaited } from "../../../../platform/waiting.ts";

/** Slack's client looks for dead peers by a timer of its own: no other clock moves it. */
type Pings = { readonly pongWithinMs?: number };

/** Slack's deliveries over WebSockets that Gantry opens: https://docs.slack.dev/apis/events-api/using-socket-mode */
export function createSocketTransport(
  appToken: string,
  parts: TransportParts,
  { pongWithinMs = 5_000 }: Pings = {},
): Transport {
  const { log, apiUrl, network, clock } = parts;
  const app = createApp({ init: () => undefined, start: notUsed, stop: notUsed }, parts);
  const connections = createConnections({
    create: (events) => createConnection({ appToken, apiUrl, network, pongWithinMs, log, clock }, events),
    onDelivery: (delivery, send) =>
      unawaited(take({ app, parts }, delivery, send), (err) => parts.log.error({ err }, "couldn't take a delivery")),
    onRefused: parts.onRefused,
    log,
    clock,
  });
  let server: Server | undefined;
  return {
    async start() {
      server = await startHealthServer(parts);
      await connections.start();
      return { port: portOf(server) };
    },
    handOver: connections.stop,
    async stop() {
      await connections.stop();
      server?.close();
      server?.closeAllConnections();
      server = undefined;
    },
    missing: () => missing(connections),
    links: () => connections.status().flatMap(({ state, ageMs }) => (state === "open" ? [ageMs] : [])),
    others: { counted: connections.counted, recount: connections.recount },
  };
}

/** Bolt only dispatches: connections open and close without it. */
function notUsed(): Promise<void> {
  return Promise.resolve();
}

function missing({ isOpen, lastFailure }: Connections): readonly string[] {
  if (isOpen()) return [];
  const failure = lastFailure();
  return [`No connection to Slack is open${failure === undefined ? "" : ` (${failure})`}`];
}

type Taking = { readonly app: App; readonly parts: TransportParts };

/** Hands a delivery to Bolt. Whatever happens, it is acked in time or was given up by Slack. Never rejects. */
async function take({ app, parts }: Taking, delivery: Delivery, send: (body?: object) => boolean): Promise<void> {
  const { log, clock } = parts;
  const { body, retry } = delivery;
  let isAcked = false;
  const ack = (answer?: object): void => {
    if (isAcked) return;
    isAcked = true;
    if (send(answer)) return;
    log.warn("an ack came too late: its connection to Slack was closed");
    // Slack sends an event again. Other deliveries it doesn't, and their people see an error of Slack's.
    if (!("event" in body)) throw new AckLostError();
  };
  const lastAck = (err: unknown, message: string): void => {
    if (isAcked) return;
    const reference = newReference();
    log.error({ err, reference }, message);
    send("command" in body ? ackBody(sentences.notHandled(reference)) : undefined);
    isAcked = true;
  };
  const timer = clock.after(LATEST_ACK_MS, () => lastAck(undefined, "an interaction had no ack in time"));
  try {
    await app.processEvent({
      body,
      ack: async (answer) => ack(typeof answer === "object" ? answer : undefined),
      ...retry,
    });
    ack();
  } catch (err) {
    lastAck(err, "Bolt couldn't process an interaction");
  } finally {
    timer.cancel();
  }
}
