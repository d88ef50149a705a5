import { limits, sockets } from "./limits.ts";

const socketMode = sockets.lifetime.link;
const open = sockets.ticket.link;
const retries = "https://github.com/slackapi/bolt-js/issues/2487";

/** What an app must do over Socket Mode. */
export const socketRules = {
  "socket.token": {
    says: "apps.connections.open takes an app-level token (xapp-), and no other method does",
    link: open,
  },
  "socket.scope": { says: "an app-level token that opens connections has the scope connections:write", link: open },
  "socket.post": { says: "apps.connections.open is called by POST", link: open },
  "socket.on": { says: "Socket Mode is on in the app's settings", link: socketMode },
  "socket.ticket": {
    says: `an address from apps.connections.open is good for one connection (ours: within ${sockets.ticket.ms / 1000} s)`,
    link: open,
  },
  "socket.connected": { says: "an app in Socket Mode has an open connection when something happens", link: socketMode },
  "socket.ack-shape": {
    says: "an ack is a JSON object with envelope_id, and a payload if one is read",
    link: socketMode,
  },
  "socket.ack-known": {
    says: "an ack names an envelope that waits for it on the same connection (ours: Slack doesn't say what other connections may ack)",
    link: socketMode,
  },
  "socket.ack-payload": {
    says: "an ack has a payload only if the envelope says accepts_response_payload",
    link: socketMode,
  },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly link: string }>>;

/** How Slack's end of Socket Mode behaves. */
export const socketBehaviour = {
  "socket.hello": {
    says: "a connection begins with hello, which has the number of connections and the time until the refresh",
    link: socketMode,
  },
  "socket.envelope": {
    says: "a delivery is the payload of an envelope with an id of its own, a type, and accepts_response_payload",
    link: socketMode,
  },
  "socket.any": {
    says: `each delivery goes to any of up to ${limits["socket.connections"].max} connections (ours: to each in turn)`,
    link: socketMode,
  },
  "socket.retries": {
    says: "an event without an ack in time comes again in another envelope, with retry_attempt and retry_reason",
    link: retries,
  },
  "socket.refresh": {
    says: `a connection gets a disconnect (warning) ${sockets.warning.ms / 1000} s before its end, another (refresh_requested) then, and is closed`,
    link: socketMode,
  },
  "socket.lifetime": {
    says: `a connection is refreshed after the time in its hello; &debug_reconnects=true makes that ${sockets.debugLifetime.ms / 1000} s`,
    link: socketMode,
  },
  "socket.disabled": {
    says: "when Socket Mode is turned off, every connection gets link_disabled and is closed",
    link: socketMode,
  },
  "socket.silence": {
    says: "a dead connection gets no warning: frames and pings go nowhere, and Slack forgets an app that answers no ping (ours: of the last three)",
    link: sockets.ping.link,
  },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly link: string }>>;
