import { App, type Receiver } from "@slack/bolt";
import type { Ack } from "./ack.ts";
import { boltLogger } from "../bolt-logger.ts";
import type { TransportParts } from "./transport.ts";

/**
 * Bolt over a receiver, with one middleware for every payload. Bolt runs all listeners for each payload, so one listener
 * per kind would slow every ack, and a payload that matches none would get no answer in time.
 */
export function createApp(receiver: Receiver, { log, route }: Pick<TransportParts, "log" | "route">): App {
  const app = new App({
    receiver,
    logger: boltLogger(log),
    convoStore: false,
    extendedErrorHandler: true,
    // The mention handler ignores our own messages together with those of other bots.
    ignoreSelf: false,
    // Gantry calls Slack with clients of its own. A fresh object each time: Bolt writes into it.
    authorize: () => Promise.resolve({}),
  });
  app.use((args) => {
    // Bolt has already acked events; every other payload comes with its ack.
    const ack = "ack" in args ? (args.ack as Ack) : noAck; // each kind's ack takes its own body; the router knows which
    return route(args.body, ack);
  });
  app.error(({ error }: { error: Error }) => Promise.reject(error));
  return app;
}

function noAck(): Promise<void> {
  return Promise.resolve();
}
