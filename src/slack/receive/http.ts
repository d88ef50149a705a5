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
 * Bolt over HTTP, with one middleware that takes everything. Bolt runs every listener for every payload, so listeners
 * per kind would cost each ack, and what matches none would be answered by a 404 after 3 s.
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
    // Our own words are told apart in one place, with those of other bots.
    ignoreSelf: false,
    // A fresh object each time: Bolt writes the user and the team of the request into it.
    authorize: () => Promise.resolve({ botToken }),
  });
  app.use(async (args) => {
    // Bolt has acked an event already; every other kind has an ack that takes what its kind allows.
    const ack = "ack" in args ? (args.ack as Ack) : noAck; // each kind's ack takes its own body; the router knows which
    await parts.route(args.body, ack);
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

/** The net below the router: an answer, if there was none, with a sentence where Slack shows one. */
function lastAnswer({ newReference }: ReceiverParts, request: IncomingMessage, response: ServerResponse): string {
  const reference = newReference();
  if (response.headersSent) return reference;
  if (isCommand(request)) {
    const text = `Something broke in Gantry before it began. Ask again, or tell who runs Gantry here the reference \`${reference}\`.`;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(ackBody(sentence(text))));
  } else {
    response.writeHead(200);
    response.end();
  }
  return reference;
}

/** Only a slash command shows what its ack says; Bolt leaves the body it read on the request. */
function isCommand(request: IncomingMessage): boolean {
  const raw = "rawBody" in request ? String(request.rawBody) : "";
  return new URLSearchParams(raw).has("command");
}
