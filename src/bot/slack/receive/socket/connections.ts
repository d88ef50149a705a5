import type { Logger } from "pino";
import type { Connection, Events } from "./connection.ts";
import type { Delivery } from "./frame.ts";
import { keepOpen } from "./keep-open.ts";
import { unawaited } from "../../../../platform/unawaited.ts";

export type Timing = {
  /** From the ticket on, until Slack's hello. */
  readonly helloWithinMs: number;
  /** A peer that answers no ping for so long is dead. */
  readonly pongWithinMs: number;
  /** A shorter life counts as a failure, so that Slack is never asked in a loop. */
  readonly stableAfterMs: number;
  /** How long a connection that Slack announced to close may go on beside its replacement. */
  readonly retireAfterMs: number;
  /** Between two looks for connections that are dead. */
  readonly lookEveryMs: number;
  /** Slack being away doesn't keep the bot from starting. */
  readonly startWithinMs: number;
  /** When the app has ten connections already. */
  readonly tooManyWaitMs: number;
  readonly retryDelayMs: (failures: number) => number;
};

export type ConnectionsParts = {
  readonly create: (events: Events) => Connection;
  readonly onDelivery: (delivery: Delivery, ack: (body?: object) => boolean) => void;
  /** Slack refuses connections until somebody changes something: what, as a sentence. Called at most once. */
  readonly onRefused: ((sentence: string) => void) | undefined;
  readonly timing: Timing;
  readonly log: Logger;
};

export type ConnectionStatus = {
  readonly ageMs: number;
  /** `retiring`: Slack is about to close it. */
  readonly state: "opening" | "open" | "retiring";
};

export type Connections = {
  /** Resolves when one is open, or after a while. Rejects with a sentence when Slack refuses the first one for good. */
  readonly start: () => Promise<void>;
  /** Closes all as soon as what arrived has its ack. */
  readonly stop: () => Promise<void>;
  /** Whether deliveries can arrive. */
  readonly isOpen: () => boolean;
  /** Why the last connection could not be opened, or ended; undefined when none did. */
  readonly lastFailure: () => string | undefined;
  readonly status: () => readonly ConnectionStatus[];
};

/** One of the connections, from its first call to its end. */
export type Entry = {
  readonly connection: Connection;
  readonly sinceMs: number;
  hasHello: boolean;
  /** Set when Slack announced its end, with the reason, or it is closed. */
  end: string | undefined;
  /** Resolves when `end` is set. */
  readonly over: Promise<void>;
  readonly finish: (end: string) => void;
};

export type State = {
  readonly parts: ConnectionsParts;
  readonly entries: Set<Entry>;
  /** Ends pauses and openings at a stop. */
  readonly stopping: AbortController;
  /** Refusals in a row, of all connections. */
  refusals: number;
  wasOpen: boolean;
  lastFailure: string | undefined;
  /** The result of `start`, until it has one. */
  starting: PromiseWithResolvers<void> | undefined;
};

/**
 * Two, because Slack closes each from time to time and sends every delivery to any of those that are open:
 * https://docs.slack.dev/apis/events-api/using-socket-mode#connections. With one, its replacement has to be quick; with two,
 * nobody waits when a connection breaks without a warning.
 */
const CONNECTIONS = 2;

/** Keeps two connections to Slack open. */
export function createConnections(parts: ConnectionsParts): Connections {
  const state: State = {
    parts,
    entries: new Set(),
    stopping: new AbortController(),
    refusals: 0,
    wasOpen: false,
    lastFailure: undefined,
    starting: undefined,
  };
  let looking: NodeJS.Timeout | undefined;
  return {
    async start() {
      const { startWithinMs, lookEveryMs } = parts.timing;
      const { promise, resolve } = (state.starting = Promise.withResolvers<void>());
      looking = setInterval(dropDead, lookEveryMs, state);
      for (let slot = 0; slot < CONNECTIONS; slot += 1)
        unawaited(keepOpen(state), (err) => parts.log.error({ err }, "a connection to Slack isn't replaced any more"));
      const timer = setTimeout(resolve, startWithinMs);
      await promise.finally(() => clearTimeout(timer));
      state.starting = undefined;
    },
    async stop() {
      clearInterval(looking);
      state.stopping.abort();
      state.starting?.resolve();
      await Promise.all([...state.entries].map(({ connection }) => connection.close()));
    },
    isOpen: () => [...state.entries].some(({ connection }) => connection.isOpen()),
    lastFailure: () => state.lastFailure,
    status: () => [...state.entries].map(statusOf),
  };
}

/** The client sees after some seconds that a peer is dead, and waits much longer for it to agree to a close. */
function dropDead({ entries }: State): void {
  for (const { hasHello, connection, finish } of entries) {
    if (!hasHello || connection.isOpen()) continue;
    finish("it stopped answering");
    connection.drop();
  }
}

function statusOf({ sinceMs, hasHello, end }: Entry): ConnectionStatus {
  const state = end !== undefined ? "retiring" : hasHello ? "open" : "opening";
  return { ageMs: Math.round(performance.now() - sinceMs), state };
}
