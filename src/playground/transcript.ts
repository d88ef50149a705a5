import type { Json } from "./json.ts";
import type { Refusal } from "./refusal.ts";

/** One request and its answer, whichever side asked. */
export type Exchange = {
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
  /** Notes a request; call what it returns once, with the answer. */
  readonly begin: (asked: Pick<Exchange, "direction" | "kind" | "request">) => (answered: Answered) => Exchange;
};

/** The oldest exchanges go first, so that a playground can run for weeks. */
const mostKept = 5000;

export function createTranscript(now: () => number): Transcript {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    begin(asked) {
      // Latency is measured on a clock that no test sets.
      const started = performance.now();
      const atMs = now();
      const pending: Exchange = { ...asked, atMs, answer: undefined, status: undefined, ms: undefined };
      exchanges.push(pending);
      if (exchanges.length > mostKept) exchanges.shift();
      return (answered) => {
        const done: Exchange = { ...asked, atMs, ...answered, ms: performance.now() - started };
        const place = exchanges.lastIndexOf(pending);
        if (place >= 0) exchanges[place] = done;
        return done;
      };
    },
  };
}
