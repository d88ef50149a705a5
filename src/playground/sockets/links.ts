import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { randomUUID } from "node:crypto";
import { type WebSocket, WebSocketServer } from "ws";
import { foreignCaller } from "../control/host-guard.ts";
import type { Network } from "../faults.ts";
import { limits, sockets } from "../rules/limits.ts";
import { refusalOf, refuse, Refused } from "../rules/rules.ts";
import type { SlackClock } from "../clock.ts";
import type { Transcript } from "../transcript.ts";
import { createLink, disconnectFrame, type DisconnectReason, helloFrame, type Link } from "./link.ts";
import { unawaited } from "../../platform/waiting.ts";

type LinkOptions = {
  readonly appId: string;
  /** The playground's base URL. */
  readonly url: () => string;
  /** Host names besides loopback at which the playground is reached. */
  readonly hosts: readonly string[];
  readonly clock: SlackClock;
  readonly transcript: Transcript;
  readonly network: Network;
  /** Called when a connection opens or ends. */
  readonly changed: () => void;
};

/** The URL is whole: whoever serves HTTP refuses requests without one. */
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, url: URL) => void;

/** What Slack and the network do to the connections of an app. */
export type LinkTroubles = ReturnType<typeof createTroubles>;

type LinksStatus = { readonly isOn: boolean; readonly isFull: boolean; readonly isMute: boolean };

export type Links = ReturnType<typeof createLinks>;

/** The connections that Slack knows, and those whose end the bot hasn't noticed. */
type Held = {
  readonly links: Set<Link>;
  readonly ghosts: Set<WebSocket>;
  made: number;
  isOn: boolean;
  isFull: boolean;
  isMute: boolean;
};

/** The first frame of a connection: hello, or why there's none. A mute one gets none. */
function greet(options: LinkOptions, held: Held, { link, url }: { readonly link: Link; readonly url: URL }): void {
  const { transcript, clock, appId } = options;
  const finish = transcript.begin({ direction: "from bot", kind: "connection", request: { link: link.name } });
  if (held.links.size > limits["socket.connections"].max || held.isFull) {
    const message = `${held.links.size} connections are open`;
    const refusal = refusalOf(new Refused("too_many_websockets", [{ rule: "socket.connections", at: "", message }]));
    const frame = disconnectFrame("too_many_websockets", link.name);
    finish({ answer: frame, status: 101, refusal });
    link.send(frame);
    link.close();
    return;
  }
  if (held.isMute) return void finish({ answer: undefined, status: 101 });
  const isDebug = url.searchParams.get("debug_reconnects") === "true";
  const lifetime = isDebug ? sockets.debugLifetime : sockets.lifetime;
  const about = { appId, host: link.name, connections: held.links.size, lifetimeSeconds: lifetime.ms / 1000 };
  const hello = helloFrame(about);
  finish({ answer: hello, status: 101 });
  link.greet(hello);
  clock.after(lifetime.ms - sockets.warning.ms, () => refresh(options, link, sockets.warning.ms));
}

function keepPinging(options: LinkOptions, held: Held, link: Link): void {
  options.clock.after(sockets.ping.ms, () => {
    if (!held.links.has(link)) return;
    link.ping(sockets.ping.tries);
    keepPinging(options, held, link);
  });
}

function connect(options: LinkOptions, held: Held, { socket, url }: { socket: WebSocket; url: URL }): void {
  const { network, clock, transcript, changed } = options;
  held.made += 1;
  const link = createLink({
    name: `applink-${held.made}`,
    socket,
    network,
    clock,
    onRefused(frame, refused) {
      const finish = transcript.begin({ direction: "from bot", kind: "ack", request: frame });
      finish({ answer: undefined, status: undefined, refusal: refusalOf(refused) });
    },
    onEnd() {
      held.links.delete(link);
      held.ghosts.add(socket);
      changed();
    },
  });
  socket.once("close", () => held.ghosts.delete(socket));
  held.links.add(link);
  greet(options, held, { link, url });
  keepPinging(options, held, link);
  changed();
}

function refuseUpgrade(socket: Duplex, status: string, sentence: string): void {
  const body = JSON.stringify({ error: sentence });
  const head = [`HTTP/1.1 ${status}`, "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`];
  socket.end(`${[...head, "Connection: close"].join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function createUpgrade(options: LinkOptions, held: Held, tickets: ReturnType<typeof createTickets>): Upgrade {
  const server = new WebSocketServer({ noServer: true });
  const take: Upgrade = (request, socket, head, url) => {
    try {
      if (!held.isOn) refuse("socket_mode_not_enabled", "socket.on", "Socket Mode is off");
      tickets.use(url.pathname === "/link/" ? (url.searchParams.get("ticket") ?? "") : "");
      server.handleUpgrade(request, socket, head, (opened) => connect(options, held, { socket: opened, url }));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const refusal = refusalOf(error);
      const finish = options.transcript.begin({ direction: "from bot", kind: "connection", request: {} });
      finish({ answer: undefined, status: 401, refusal });
      refuseUpgrade(socket, "401 Unauthorized", refusal.sentence);
    }
  };
  return (request, socket, head, url) => {
    const { host = url.host, origin } = request.headers;
    const foreign = foreignCaller(options, { host, origin }, options.hosts);
    if (foreign !== undefined) return refuseUpgrade(socket, "403 Forbidden", foreign);
    const gone = new AbortController();
    socket.once("close", () => gone.abort());
    const passed = options.network.passes(gone.signal).then(
      () => take(request, socket, head, url),
      () => undefined, // the client left while the network was cut
    );
    unawaited(passed);
  };
}

/** A delivery to each in turn, so that every connection of a test has some. */
function createTurns(links: ReadonlySet<Link>): () => Link | undefined {
  let last = -1;
  return () => {
    const open = [...links].filter((link) => link.isOpen());
    last = open.length === 0 ? -1 : (last + 1) % open.length;
    return open[last];
  };
}

function endGhosts({ ghosts }: Held): void {
  for (const ghost of ghosts) ghost.terminate();
}

/** Refused, mute, or off: what holds until it is healed. */
function createSwitches(options: LinkOptions, held: Held) {
  const set = (to: Partial<LinksStatus>): void => {
    Object.assign(held, to);
    options.changed();
  };
  return {
    /** The owner turns Socket Mode off in the app's settings. */
    turnOff() {
      for (const link of held.links) endAfter(options, link, "link_disabled");
      set({ isOn: false });
    },
    turnOn: () => set({ isOn: true }),
    /** New connections are refused, as if others of the app took all places. */
    fill: (isFull: boolean) => set({ isFull }),
    /** New connections get no hello, nor anything else. */
    mute: (isMute: boolean) => set({ isMute }),
    heal: () => {
      endGhosts(held);
      set({ isOn: true, isFull: false, isMute: false });
    },
  };
}

function createTroubles(options: LinkOptions, held: Held) {
  const { links } = held;
  const first = (): Link | undefined => [...links].find((link) => link.isOpen());
  return {
    ...createSwitches(options, held),
    /** Announces a refresh of every connection, `warnMs` before its end; 0 for no warning. */
    refresh({ warnMs = sockets.warning.ms }: { readonly warnMs?: number } = {}) {
      for (const link of links) refresh(options, link, warnMs);
    },
    /** One connection dies, and the bot isn't told: its frames and pings go nowhere. */
    silence: () => first()?.abandon(),
    /** One connection, or every one, breaks off without a word. */
    drop(which: "one" | "all" = "one") {
      for (const link of which === "all" ? [...links] : [first()]) link?.drop();
    },
  };
}

/** The Socket Mode connections of an app: at most ten, from any number of processes. */
export function createLinks(options: LinkOptions) {
  const held: Held = { links: new Set(), ghosts: new Set(), made: 0, isOn: true, isFull: false, isMute: false };
  const { links } = held;
  const { network } = options;
  const tickets = createTickets(options.clock);
  network.watchers.add(() => void (network.isCut() || endGhosts(held)));
  return {
    ...createTroubles(options, held),
    status: (): LinksStatus => ({ isOn: held.isOn, isFull: held.isFull, isMute: held.isMute }),
    /** An address for one new connection. Throws Refused while Socket Mode is off. */
    open() {
      if (!held.isOn) refuse("socket_mode_not_enabled", "socket.on", "Socket Mode is off");
      const address = options.url().replace(/^http/u, "ws");
      return `${address}/link/?ticket=${tickets.make()}&app_id=${options.appId}`;
    },
    /** Takes a connection to such an address. */
    upgrade: createUpgrade(options, held, tickets),
    /** A connection for the next delivery: each in turn, though Slack promises no order. */
    pick: createTurns(links),
    /** The open ones by name. */
    names: (): readonly string[] => [...links].filter((link) => link.isOpen()).map(({ name }) => name),
    close() {
      for (const link of links) link.drop();
      endGhosts(held);
    },
  };
}

type Parts = { readonly transcript: Transcript; readonly clock: SlackClock };

function announce(parts: Parts, link: Link, reason: DisconnectReason): void {
  const frame = disconnectFrame(reason, link.name);
  parts.transcript.begin({ direction: "to bot", kind: "disconnect", request: frame })({
    answer: undefined,
    status: undefined,
  });
  link.send(frame);
}

/** Ends a connection as Slack does: no more deliveries at once, and time for the acks that are under way. */
function endAfter(parts: Parts, link: Link, reason: DisconnectReason): void {
  if (!link.isOpen()) return;
  link.retire();
  announce(parts, link, reason);
  parts.clock.after(sockets.closing.ms, () => link.close());
}

/** Announces the end of a connection `warnMs` before it, or with 0 at the end only. */
function refresh(parts: Parts, link: Link, warnMs: number): void {
  if (!link.isOpen()) return;
  if (warnMs === 0) return endAfter(parts, link, "refresh_requested");
  announce(parts, link, "warning");
  parts.clock.after(warnMs, () => endAfter(parts, link, "refresh_requested"));
}

/** Addresses of new connections, each good for one. */
function createTickets({ nowMs }: SlackClock) {
  const madeMs = new Map<string, number>();
  return {
    make() {
      const ticket = randomUUID();
      madeMs.set(ticket, nowMs());
      return ticket;
    },
    /** Throws Refused unless the ticket is known, fresh and unused. */
    use(ticket: string) {
      const made = madeMs.get(ticket);
      madeMs.delete(ticket);
      if (made === undefined) refuse("invalid_ticket", "socket.ticket", "the ticket is unknown, or was used before");
      const age = nowMs() - made;
      if (age > sockets.ticket.ms) refuse("invalid_ticket", "socket.ticket", `the ticket is ${age} ms old`);
    },
  };
}
