import type { Logger } from "pino";
import type { Network } from "../../../platform/http/network.ts";
import type { Ack } from "./ack.ts";
import type { Route } from "./health-routes.ts";
import { createHttpTransport } from "./http.ts";
import { createSocketTransport } from "./socket/socket-transport.ts";

/** How Slack's deliveries arrive: as signed requests, or over WebSockets that Gantry opens. */
export type TransportChoice =
  | { readonly kind: "http"; readonly signingSecret: string }
  | { readonly kind: "socket"; readonly appToken: string };

export type TransportParts = {
  /** Another base URL than Slack's own Web API, with the slash at its end. */
  readonly apiUrl?: string | undefined;
  /** Default: without a proxy. */
  readonly network?: Network | undefined;
  /** Port 0 takes a free one. Socket Mode listens too, for the health routes. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly routes: Route[];
  readonly log: Logger;
  readonly newReference: () => string;
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
};

export function createTransport(choice: TransportChoice, parts: TransportParts): Transport {
  if (choice.kind === "http") return createHttpTransport(choice.signingSecret, parts);
  return createSocketTransport(choice.appToken, parts);
}
