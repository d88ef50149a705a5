import type { Server } from "node:http";
import type { App } from "@slack/bolt";
import { portOf } from "../../../../platform/http/port.ts";
import { sentences } from "../../../views/messages/sentences.ts";
import { AckLostError, ackBody, LATEST_ACK_MS, createApp, type Transport, type TransportParts } from "../transport.ts";
import { startHealthServer } from "../health-server.ts";
import { createConnection } from "./connection.ts";
import { type Connections, createConnections, type Timing } from "./connections.ts";
import type { Delivery } from "./frame.ts";
import { unawaited } from "../../../../platform/unawaited.ts";
import { backOffMs } from "../../../../platform/waiting.ts";

const usualTiming: Timing = {
  helloWithinMs: 10_000,
  pongWithinMs: 5_000,
  stableAfterMs: 5_000,
  // Slack closes it about ten seconds after its warning.
  retireAfterMs: 15_000,
  lookEveryMs: 1_000,
  startWithinMs: 10_000,
  tooManyWaitMs: 10_000,
  // Half of it is random: replicas that lost Slack in the same moment don't come back in the same moment.
  retryDelayMs: (failures) =>
    failures === 0 ? 0 : backOffMs(failures, { firstMs: 500, longestMs: 30_000, jitter: 0.5 }),
};

/** Slack's deliveries over WebSockets that Gantry opens: https://docs.slack.dev/apis/events-api/using-socket-mode */
export function createSocketTransport(
  appToken: string,
  parts: TransportParts,
  timing: Timing = usualTiming,
): Transport {
  const { log, apiUrl, network, clock } = parts;
  const app = createApp({ init: () => undefined, start: notUsed, stop: notUsed }, parts);
  const connections = createConnections({
    create: (events) =>
      createConnection({ appToken, apiUrl, network, pongWithinMs: timing.pongWithinMs, log, clock }, events),
    onDelivery: (delivery, send) =>
      unawaited(take({ app, parts }, delivery, send), (err) => parts.log.error({ err }, "couldn't take a delivery")),
    onRefused: parts.onRefused,
    timing,
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
  const { log, newReference, clock } = parts;
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
