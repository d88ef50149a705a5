import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { App, HTTPReceiver } from "@slack/bolt";
import type { Logger } from "pino";
import { guardServer, httpLimits } from "../../http/server.ts";
import { ackBody, type Ack } from "./ack.ts";
import { boltLogger } from "../bolt-logger.ts";
import type { healthRoutes } from "./health-routes.ts";
import { sentence } from "../../views/messages/sentences.ts";

export type ReceiverParts = {
  readonly signingSecret: string;
  readonly botToken: string;
  readonly routes: ReturnType<typeof healthRoutes>;
  readonly log: Logger;
  readonly newReference: () => string;
  readonly route: (body: unknown, ack: Ack) => Promise<void>;
};

/** Slack gives up at 3 s; a write may take 1 s to be stored. */
const LATEST_ACK_MS = 2_500;

/**
 * Bolt over HTTP, with one middleware for every payload. Bolt runs all listeners for each payload, so one listener per
 * kind would slow every ack, and a payload that matches none would get a 404 after 3 s.
 */
export function createReceiver(parts: ReceiverParts): HTTPReceiver {
  const { log, botToken } = parts;
  const logger = boltLogger(log);
  const receiver = new HTTPReceiver({
    signingSecret: parts.signingSecret,
    endpoints: "/slack/events",
    customRoutes: parts.routes,
    logger,
    unhandledRequestTimeoutMillis: LATEST_ACK_MS,
    unhandledRequestHandler: ({ request, response }) => {
      log.error({ reference: lastAnswer(parts, request, response) }, "an interaction had no ack in time");
    },
    processEventErrorHandler: ({ error, request, response }) => {
      const reference = lastAnswer(parts, request, response);
      log.error({ err: error, reference }, "Bolt could not process an interaction");
      return Promise.resolve(!response.headersSent);
    },
  });
  const app = new App({
    receiver,
    logger,
    convoStore: false,
    extendedErrorHandler: true,
    // The mention handler ignores our own messages together with those of other bots.
    ignoreSelf: false,
    // A fresh object each time: Bolt writes the user and the team of the request into it.
    authorize: () => Promise.resolve({ botToken }),
  });
  app.use((args) => {
    // Bolt has already acked events; every other payload comes with its ack.
    const ack = "ack" in args ? (args.ack as Ack) : noAck; // each kind's ack takes its own body; the router knows which
    return parts.route(args.body, ack);
  });
  app.error(({ error }: { error: Error }) => Promise.reject(error));
  return receiver;
}

type Listen = { readonly host: string; readonly port: number; readonly log: Logger };

/** Listens with the same limits as all our HTTP servers. Rejects when the port is unavailable. */
export async function startReceiver(receiver: HTTPReceiver, { host, port, log }: Listen): Promise<Server> {
  const server = await receiver.start({ host, port }, httpLimits);
  // Bolt's error listener would close the server for good when one connection can't be accepted.
  server.removeAllListeners("error");
  guardServer(server, {
    onTrouble: (message, data) => log.warn("error" in data ? { ...data, err: data.error } : data, message),
  });
  return server;
}

function noAck(): Promise<void> {
  return Promise.resolve();
}

/** Answers a request that failed outside the router, and returns the reference for the log. */
function lastAnswer({ newReference }: ReceiverParts, request: IncomingMessage, response: ServerResponse): string {
  const reference = newReference();
  if (response.headersSent) return reference;
  if (isCommand(request)) {
    const text = `Something went wrong in Gantry. Nothing was changed. Try again. If this keeps happening, contact your Gantry admin. Reference \`${reference}\``;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(ackBody(sentence(text))));
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
