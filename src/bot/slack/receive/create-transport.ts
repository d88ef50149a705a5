import { newReference } from "../../../platform/log.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { HTTPReceiver, HTTPReceiverDeferredRequestError } from "@slack/bolt";
import type { Logger } from "pino";
import { createSocketTransport } from "./socket/socket-transport.ts";
import { portOf } from "../../../platform/http/port.ts";
import { guarded, guardServer, httpLimits, troubleIn } from "../../../platform/http/guard-server.ts";
import {
  ackBody,
  LATEST_ACK_MS,
  createApp,
  type Transport,
  type TransportChoice,
  type TransportParts,
} from "./transport.ts";
import { boltLogger } from "../bolt-logger.ts";
import { notFound } from "./health-server.ts";
import { sentences } from "../../views/messages/sentences.ts";

export function createTransport(choice: TransportChoice, parts: TransportParts): Transport {
  if (choice.kind === "http") return createHttpTransport(choice.signingSecret, parts);
  return createSocketTransport(choice.appToken, parts);
}

/** Slack's signed requests, over Bolt. */
function createHttpTransport(signingSecret: string, parts: TransportParts): Transport {
  const receiver = createReceiver(signingSecret, parts);
  let server: Server | undefined;
  return {
    async start() {
      server = await startReceiver(receiver, { ...parts.listen, log: parts.log });
      // Bolt answers 401 to a wrong signature, and says so only in its log.
      server.on("request", (_, response) => {
        response.once("finish", () => void (response.statusCode === 401 && parts.onUnsigned?.()));
      });
      return { port: portOf(server) };
    },
    async stop() {
      if (server === undefined) return;
      const stopped = receiver.stop();
      server.closeAllConnections();
      server = undefined;
      await stopped;
    },
    // `/readyz` fails by now, so the load balancer opens no new connections here. Open ones have to be closed, or they
    // bring commands until the process ends.
    async handOver() {
      server?.prependListener("request", (_, response) => response.setHeader("Connection", "close"));
    },
    missing: () => [],
    links: () => [],
  };
}

export function createReceiver(
  signingSecret: string,
  parts: Omit<TransportParts, "clock" | "listen" | "onRefused" | "onUnsigned">,
): HTTPReceiver {
  const { log } = parts;
  const receiver = new HTTPReceiver({
    signingSecret,
    endpoints: "/slack/events",
    customRoutes: parts.routes,
    logger: boltLogger(log),
    unhandledRequestTimeoutMillis: LATEST_ACK_MS,
    unhandledRequestHandler: ({ request, response }) => {
      log.error({ reference: lastAnswer(request, response) }, "an interaction had no ack in time");
    },
    processEventErrorHandler: ({ error, request, response }) => {
      const reference = lastAnswer(request, response);
      log.error({ err: error, reference }, "Bolt could not process an interaction");
      return Promise.resolve(!response.headersSent);
    },
  });
  createApp(receiver, parts);
  return receiver;
}

type Listen = { readonly host: string; readonly port: number; readonly log: Logger };

/** Listens with the same limits as all our HTTP servers. Rejects when the port is unavailable. */
export async function startReceiver(receiver: HTTPReceiver, { host, port, log }: Listen): Promise<Server> {
  const onTrouble = troubleIn(log);
  const { requestListener } = receiver;
  receiver.requestListener = guarded((request, response) => {
    try {
      return requestListener(request, response);
    } catch (error) {
      if (!(error instanceof HTTPReceiverDeferredRequestError)) throw error;
      return notFound(response);
    }
  }, onTrouble);
  const server = await receiver.start({ host, port }, httpLimits);
  // Bolt's error listener would close the server for good when one connection can't be accepted.
  server.removeAllListeners("error");
  guardServer(server, { onTrouble });
  return server;
}

/** Answers a request that failed outside the router, and returns the reference for the log. */
function lastAnswer(request: IncomingMessage, response: ServerResponse): string {
  const reference = newReference();
  if (response.headersSent) return reference;
  if (isCommand(request)) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(ackBody(sentences.notHandled(reference))));
  } else {
    response.writeHead(200);
    response.end();
  }
  return reference;
}

/** Slack shows an ack's text only for slash commands. Bolt leaves the body it read on the request. */
function isCommand(request: IncomingMessage): boolean {
  const raw = "rawBody" in request ? String(request.rawBody) : "";
  return new URLSearchParams(raw).has("command");
}
