import type { Json } from "./json.ts";
import type { Refusal } from "./rules/refusal.ts";

/** One request and its answer, whichever side asked. */
export type Exchange = {
  /** Counts up from 1; stays the same when the answer comes. */
  readonly id: number;
  readonly direction: "to bot" | "from bot";
  /** A method's name, or "slash_command", "block_actions", "view_submission", "event_callback", "response_url", "upload" … */
  readonly kind: string;
  readonly atMs: number;
  readonly request: Json;
  readonly answer: Json | undefined;
  readonly status: number | undefined;
  /** How long the answer took; towards the bot, its ack latency. */
  readonly ms: number | undefined;
  /** Where the playground refused, or the bot's answer broke a rule. */
  readonly refusal?: Refusal;
};

export type Answered = {
  readonly answer: Json | undefined;
  readonly status: number | undefined;
  readonly refusal?: Refusal;
};

export type Transcript = {
  readonly exchanges: readonly Exchange[];
  /** Called with each exchange as it begins, and again as it ends. */
  readonly watchers: Set<(exchange: Exchange) => void>;
  /** Notes a request; call what it returns once, with the answer. */
  readonly begin: (asked: Pick<Exchange, "direction" | "kind" | "request">) => (answered: Answered) => Exchange;
};

/** The oldest exchanges go first, so that a playground can run for weeks. */
const mostKept = 5000;

export function createTranscript(now: () => number): Transcript {
  const exchanges: Exchange[] = [];
  const watchers = new Set<(exchange: Exchange) => void>();
  const notify = (exchange: Exchange): void => {
    for (const watcher of watchers) watcher(exchange);
  };
  let last = 0;
  return {
    exchanges,
    watchers,
    begin(asked) {
      // Latency is measured on a clock that no test sets.
      const started = performance.now();
      const atMs = now();
      const id = (last += 1);
      const pending: Exchange = { id, ...asked, atMs, answer: undefined, status: undefined, ms: undefined };
      exchanges.push(pending);
      if (exchanges.length > mostKept) exchanges.shift();
      notify(pending);
      return (answered) => {
        const done: Exchange = { id, ...asked, atMs, ...answered, ms: performance.now() - started };
        const index = exchanges.lastIndexOf(pending);
        if (index >= 0) exchanges[index] = done;
        notify(done);
        return done;
      };
    },
  };
}
