import type { Network } from "../../platform/http/network.ts";
import type { OAuthApp } from "../slack/install/oauth.ts";
import type { SlackAccess } from "../slack/send/clients.ts";
import type { TransportChoice } from "../slack/receive/transport.ts";

/** The app in Slack: with the token of its one workspace, or installed in several by OAuth. */
export type SlackApp = {
  readonly transport: TransportChoice;
  /** Another base URL than Slack's own Web API, with the slash at its end. */
  readonly apiUrl?: string;
  /** Default: without a proxy. */
  readonly network?: Network;
} & (Pick<SlackAccess, "botToken"> | { readonly oauth: OAuthApp });
