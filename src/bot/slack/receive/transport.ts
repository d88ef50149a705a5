import type { Logger } from "pino";
import { App, type Receiver } from "@slack/bolt";
import type { Clock } from "../../../platform/clock.ts";
import type { SlackPlace } from "../send/clients.ts";
import type { Route } from "./health-server.ts";
import type { Post } from "../../views/kit/post.ts";
import { boltLogger } from "../bolt-logger.ts";

/** How Slack's deliveries arrive: as signed requests, or over WebSockets that Gantry opens. */
export type TransportChoice =
  | { readonly kind: "http"; readonly signingSecret: string }
  | { readonly kind: "socket"; readonly appToken: string };

export type TransportParts = SlackPlace & {
  /** Port 0 takes a free one. Socket Mode listens too, for the health routes. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly routes: Route[];
  readonly log: Logger;
  readonly clock: Clock;
  /** Takes every payload, whichever way it came. Never rejects. */
  readonly route: (body: unknown, ack: Ack) => Promise<void>;
  /** A request came whose signature is wrong. */
  readonly onUnsigned?: (() => void) | undefined;
  /** Slack accepts no connection any more until somebody changes something: what, as a sentence. */
  readonly onRefused?: ((sentence: string) => void) | undefined;
};

export type Transport = {
  /** Resolves when deliveries are taken. Throws when the port is taken, or Slack refuses the connection for good. */
  readonly start: () => Promise<{ readonly port: number }>;
  /** Lets Slack send everything to other replicas from now on, as far as Gantry decides that. What came is acked first. */
  readonly handOver: () => Promise<void>;
  /** Takes nothing new. What was taken has been acked before. */
  readonly stop: () => Promise<void>;
  /** Reasons why no delivery can arrive now, as sentences. */
  readonly missing: () => readonly string[];
  /** Ages of the live WebSockets in milliseconds; none over HTTP. */
  readonly links: () => readonly number[];
  /** The app's connections of other processes; not over HTTP. */
  readonly others?: OtherConnections;
};

export type OtherConnections = {
  /** Slack's last count; undefined when it didn't count. */
  readonly counted: () => number | undefined;
  /** Lets Slack count again. Undefined when it couldn't. Never rejects. */
  readonly recount: () => Promise<number | undefined>;
};

/** Answers a payload to Slack, with a body or without. At most once for each. Rejects with `AckLostError`. */
export type Ack = (body?: object) => Promise<void>;

/** Slack gives up at 3 s; a write may take 1 s to be stored. */
export const LATEST_ACK_MS = 2_500;

/** The connection that a delivery came over is closed, so nobody sees its ack. */
export class AckLostError extends Error {}

/** An answer that reads nothing is the ack itself: one message, and no second request. */
export function ackBody({ text, blocks }: Post): object {
  return {
    response_type: "ephemeral",
    text,
    ...(blocks.length > 0 && { blocks }),
  };
}

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
    const ack = "ack" in args ? (args.ack as Ack) : () => Promise.resolve(); // each kind's ack takes its own body; the router knows which
    return route(args.body, ack);
  });
  app.error(({ error }: { error: Error }) => Promise.reject(error));
  return app;
}
