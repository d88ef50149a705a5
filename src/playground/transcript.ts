import type { SlackClock } from "./clock.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Refusal } from "./rules/rules.ts";

/** One request and its answer, in either direction. */
export type Exchange = {
  /** Starts at 1 and does not change when the answer arrives. */
  readonly id: number;
  readonly direction: "to bot" | "from bot";
  /** A method's name, or "slash_command", "block_actions", "view_submission", "event_callback", "response_url", "upload" … */
  readonly kind: string;
  readonly atMs: number;
  readonly request: Json;
  /** Over Socket Mode: the envelope of a delivery without its payload, and the connection it was sent on. */
  readonly envelope?: JsonObject;
  readonly answer: Json | undefined;
  readonly status: number | undefined;
  /** Milliseconds until the answer. For requests to the bot this is the ack latency. */
  readonly ms: number | undefined;
  /** Slack's error for a delivery without an ack: operation_timeout, dispatch_failed. */
  readonly error?: string;
  /** Set when the playground refused the request, or when the bot's answer broke a rule. */
  readonly refusal?: Refusal;
};

export type Answered = {
  readonly answer: Json | undefined;
  readonly status: number | undefined;
  readonly error?: string;
  readonly refusal?: Refusal;
};

export type Transcript = ReturnType<typeof createTranscript>;

/** Older exchanges are dropped, so that a playground can run for weeks. */
const mostKept = 5000;

export function createTranscript(clock: Pick<SlackClock, "elapsedMs" | "nowMs">) {
  const exchanges: Exchange[] = [];
  /** Called when an exchange begins and again when it ends. */
  const watchers = new Set<(exchange: Exchange) => void>();
  const notify = (exchange: Exchange): void => {
    for (const watcher of watchers) watcher(exchange);
  };
  let last = 0;
  return {
    exchanges: exchanges as readonly Exchange[], // only this function changes them
    watchers,
    /** Records a request; call the result once, with the answer. */
    begin(asked: Pick<Exchange, "direction" | "kind" | "request" | "envelope">): (answered: Answered) => Exchange {
      const started = clock.elapsedMs();
      const atMs = clock.nowMs();
      const id = (last += 1);
      const pending: Exchange = { id, ...asked, atMs, answer: undefined, status: undefined, ms: undefined };
      exchanges.push(pending);
      if (exchanges.length > mostKept) exchanges.shift();
      notify(pending);
      return (answered) => {
        const done: Exchange = { id, ...asked, atMs, ...answered, ms: clock.elapsedMs() - started };
        const index = exchanges.lastIndexOf(pending);
        if (index >= 0) exchanges[index] = done;
        notify(done);
        return done;
      };
    },
  };
}
