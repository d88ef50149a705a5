import type { Logger } from "pino";
import type { Connection, Events } from "./connection.ts";
import type { Delivery } from "./frame.ts";
import { backOffMs, orAborted, unawaited, within } from "../../../../platform/waiting.ts";
import type { Clock, Timer } from "../../../../platform/clock.ts";
import type { OtherConnections } from "../transport.ts";
import { classify } from "../../send/slack-error.ts";

export type ConnectionsParts = {
  readonly create: (events: Events) => Connection;
  readonly onDelivery: (delivery: Delivery, ack: (body?: object) => boolean) => void;
  /** Slack refuses connections until somebody changes something: what, as a sentence. Called at most once. */
  readonly onRefused: ((sentence: string) => void) | undefined;
  readonly log: Logger;
  readonly clock: Clock;
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
} & OtherConnections;

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
  /** Connections of other processes, at Slack's last hello. */
  others: number | undefined;
  /** Opened beside the two for a count. */
  extra: Entry | undefined;
  /** The result of `start`, until it has one. */
  starting: PromiseWithResolvers<void> | undefined;
};

/**
 * Two, because Slack closes each from time to time and sends every delivery to any of those that are open:
 * https://docs.slack.dev/apis/events-api/using-socket-mode#connections. With one, its replacement has to be quick; with two,
 * nobody waits when a connection breaks without a warning.
 */
const CONNECTIONS = 2;

/** From the ticket on, until Slack's hello. */
const HELLO_WITHIN_MS = 10_000;
/** A shorter life counts as a failure, so that Slack is never asked in a loop. */
const STABLE_AFTER_MS = 5_000;
/** Slack closes a connection about ten seconds after its warning. Until then it goes on beside its replacement. */
const RETIRE_AFTER_MS = 15_000;
/** Between two looks for connections that are dead. */
const LOOK_EVERY_MS = 1_000;
/** Slack being away doesn't keep the bot from starting. */
const START_WITHIN_MS = 10_000;
/** When the app has ten connections already. */
const TOO_MANY_WAIT_MS = 10_000;
/** Half of it is random: replicas that lost Slack in the same moment don't come back in the same moment. */
const RETRY = { firstMs: 500, longestMs: 30_000, jitter: 0.5 };

/** Keeps two connections to Slack open. */
export function createConnections(parts: ConnectionsParts): Connections {
  const state: State = {
    parts,
    entries: new Set(),
    stopping: new AbortController(),
    refusals: 0,
    wasOpen: false,
    lastFailure: undefined,
    others: undefined,
    extra: undefined,
    starting: undefined,
  };
  const { clock } = parts;
  let looking: Timer | undefined;
  return {
    async start() {
      const { promise, resolve } = (state.starting = Promise.withResolvers<void>());
      const look = (): void => {
        dropDead(state);
        looking = clock.after(LOOK_EVERY_MS, look);
      };
      looking = clock.after(LOOK_EVERY_MS, look);
      for (let slot = 0; slot < CONNECTIONS; slot += 1)
        unawaited(keepOpen(state), (err) => parts.log.error({ err }, "a connection to Slack isn't replaced any more"));
      const timer = clock.after(START_WITHIN_MS, resolve);
      await promise.finally(() => timer.cancel());
      state.starting = undefined;
    },
    async stop() {
      looking?.cancel();
      state.stopping.abort();
      state.starting?.resolve();
      await Promise.all([...state.entries].map(({ connection }) => connection.close()));
    },
    isOpen: () => [...state.entries].some(({ connection }) => connection.isOpen()),
    lastFailure: () => state.lastFailure,
    counted: () => state.others,
    recount: () => recount(state),
    status: () =>
      [...state.entries].map(({ sinceMs, hasHello, end }) => ({
        ageMs: Math.round(clock.elapsedMs() - sinceMs),
        state: end !== undefined ? "retiring" : hasHello ? "open" : "opening",
      })),
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

/** Slack has said invalid_auth during its own outages, so a token that worked before is refused only after so many. */
const REFUSALS_TO_END = 3;

/** Slack's reason when the app has ten connections already. */
const TOO_MANY = "too_many_websockets";

/** One connection after the other, until the stop. The next is opened before Slack closes the last. Never rejects. */
export async function keepOpen(state: State): Promise<void> {
  const { stopping, parts } = state;
  const { log, clock } = parts;
  let failures = 0;
  let waitMs = 0;
  let last: Entry | undefined;
  while (!stopping.signal.aborted) {
    const ms = Math.max(waitMs, failures === 0 ? 0 : backOffMs(failures, RETRY));
    if (ms > 0) await clock.sleep(ms, stopping.signal).catch(() => undefined);
    if (stopping.signal.aborted) return;
    const entry = createEntry(state);
    const failure = await opened(state, entry);
    if (failure !== undefined) {
      failures += 1;
      waitMs = failure.waitMs;
      if (failure.isFinal) return;
      continue;
    }
    if (last !== undefined) retire(state, last);
    await entry.over;
    const aliveMs = clock.elapsedMs() - entry.sinceMs;
    failures = aliveMs < STABLE_AFTER_MS ? failures + 1 : 0;
    waitMs = entry.end === TOO_MANY ? TOO_MANY_WAIT_MS : 0;
    last = entry;
    if (entry.end === "link_disabled") return refuse(state, entry.end);
    log.info({ reason: entry.end, aliveMs: Math.round(aliveMs) }, "replacing a connection to Slack");
  }
}

function createEntry(state: State): Entry {
  const { parts, entries } = state;
  const over = Promise.withResolvers<void>();
  const connection = parts.create({
    onDelivery: parts.onDelivery,
    onDisconnect: (reason) => entry.finish(reason),
    onClosed() {
      entry.finish("it was closed");
      entries.delete(entry);
    },
  });
  const entry: Entry = {
    connection,
    sinceMs: parts.clock.elapsedMs(),
    hasHello: false,
    end: undefined,
    over: over.promise,
    finish(end) {
      entry.end ??= end;
      over.resolve();
    },
  };
  entries.add(entry);
  return entry;
}

type Failure = { readonly waitMs: number; readonly isFinal: boolean };

/** Undefined when it is open. */
async function opened(state: State, entry: Entry): Promise<Failure | undefined> {
  const { parts, stopping, starting } = state;
  const { connection } = entry;
  try {
    // Slack may close a connection instead of greeting it.
    const ended = entry.over.then((): never => {
      throw new DisconnectedError(entry.end ?? "it was closed");
    });
    const late = (): never => {
      throw new Error(`Slack said no hello within ${HELLO_WITHIN_MS} ms`);
    };
    const hello = await orAborted(
      within(HELLO_WITHIN_MS, Promise.race([connection.open(), ended]), late, parts.clock),
      stopping.signal,
    );
    entry.hasHello = true;
    state.refusals = 0;
    state.wasOpen = true;
    state.lastFailure = undefined;
    starting?.resolve();
    const own = [...state.entries].filter((each) => each.connection.isOpen()).length;
    state.others = hello.connections === undefined ? undefined : hello.connections - own;
    parts.log.info({ connections: hello.connections }, "a connection to Slack is open");
    return undefined;
  } catch (err) {
    connection.drop();
    if (stopping.signal.aborted) return { waitMs: 0, isFinal: true };
    return failed(state, err);
  }
}

/**
 * Slack counts only at a hello. One more connection is opened, and none closed: Slack may just be sending a delivery over
 * it. The extra one stays until Slack closes it, or until the next count.
 */
async function recount(state: State): Promise<number | undefined> {
  const entry = createEntry(state);
  if ((await opened(state, entry)) !== undefined) return undefined;
  state.extra?.finish("the app's connections were counted again");
  state.extra = entry;
  unawaited(entry.over.then(() => retire(state, entry)));
  return state.others;
}

class DisconnectedError extends Error {}

function failed(state: State, err: unknown): Failure {
  const { log } = state.parts;
  const { code, retryAfterMs } =
    err instanceof DisconnectedError ? { code: err.message, retryAfterMs: 0 } : codeOf(err);
  state.lastFailure = code;
  log.warn({ err, code }, "couldn't open a connection to Slack");
  if (refusalSentence(code) === undefined) {
    return { waitMs: code === TOO_MANY ? TOO_MANY_WAIT_MS : retryAfterMs, isFinal: false };
  }
  state.refusals += 1;
  const isFinal = !state.wasOpen || state.refusals >= REFUSALS_TO_END;
  if (isFinal) refuse(state, code);
  return { waitMs: 0, isFinal };
}

/** Ends the openings. Those that are open serve until the stop. */
function refuse({ stopping, starting, parts }: State, code: string): void {
  if (stopping.signal.aborted) return;
  const sentence = refusalSentence(code) ?? code;
  stopping.abort();
  parts.log.fatal({ code }, "Slack refuses connections until somebody changes something");
  if (starting === undefined) parts.onRefused?.(sentence);
  else starting.reject(new Error(sentence));
}

/** Slack closes it soon. What it has sent until then is still acked there. */
function retire({ parts }: State, { connection }: Entry): void {
  parts.clock.after(RETIRE_AFTER_MS, () =>
    unawaited(connection.close(), (err) => parts.log.warn({ err }, "couldn't end a connection to Slack")),
  );
}

const token =
  "Create an app-level token with the connections:write scope on your app's page, under Basic Information → App-Level Tokens, and set SLACK_APP_TOKEN to it.";
const socketMode =
  "Turn it on on your app's page, under Socket Mode, or set SLACK_SIGNING_SECRET instead of SLACK_APP_TOKEN.";
const workspace = "Ask an admin of your workspace to allow or reinstall the app.";

/**
 * What somebody has to do before Slack lets us connect, by the code of `apps.connections.open` or of a `disconnect`:
 * https://docs.slack.dev/reference/methods/apps.connections.open. Asking again changes nothing.
 */
const remedies: Readonly<Record<string, string>> = {
  invalid_auth: token,
  not_authed: token,
  missing_args: token,
  token_revoked: token,
  token_expired: token,
  not_allowed_token_type: token,
  missing_scope: token,
  no_permission: token,
  account_inactive: workspace,
  user_removed_from_team: workspace,
  team_disabled: workspace,
  forbidden_team: workspace,
  access_denied: workspace,
  app_access_restricted: workspace,
  link_disabled: socketMode,
  socket_mode_disabled: socketMode,
  socket_mode_not_enabled: socketMode,
};

/** For the operator, when Slack refuses connections until somebody changes something; undefined when it may pass. */
export function refusalSentence(code: string): string | undefined {
  if (!Object.hasOwn(remedies, code)) return undefined;
  const what =
    remedies[code] === socketMode ? "Socket Mode is turned off for the Slack app" : "Slack rejected SLACK_APP_TOKEN";
  return `${what} (${code}). ${remedies[code]}`;
}

/** Slack's code for a connection that couldn't be opened, or the name of the error. */
export function codeOf(error: unknown): { readonly code: string; readonly retryAfterMs: number } {
  const { code, retryAfterMs } = classify(error);
  return { code, retryAfterMs: retryAfterMs ?? 0 };
}
