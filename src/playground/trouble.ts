import { setTimeout as sleep } from "node:timers/promises";

/** "lost": the request is carried out, and the answer is a 500 all the same. */
export type Failure = "429" | "500" | "garbage" | "hang" | "lost";

type Planned = { readonly kind: string; readonly failure: Failure; left: number };

/** What shall go wrong on Slack's side. Set it at any time; it holds from the next request on. */
export type Trouble = {
  /** Each answer to the bot is this late. */
  slowMs: number;
  /** Retry-After of a 429. */
  retryAfterSeconds: number;
  /** Commands, clicks and submissions are delivered a second time, with the same trigger_id. */
  deliverTwice: boolean;
  /** A method's name, "response_url", "upload", or "all"; `times` requests of it fail (default: until `clear`). */
  readonly answer: (kind: string, failure: Failure, times?: number) => void;
  readonly clear: () => void;
  /** Ends answers that hang. */
  readonly release: () => void;
  /** The failure planned for this request, counted down. */
  readonly next: (kind: string) => Failure | undefined;
  /** Never answers until the asker hangs up or `release`. */
  readonly hang: (signal: AbortSignal) => Promise<void>;
  readonly delay: () => Promise<void>;
};

export function createTrouble(): Trouble {
  let planned: Planned[] = [];
  const waiting = new Set<() => void>();
  return {
    slowMs: 0,
    retryAfterSeconds: 1,
    deliverTwice: false,
    answer(kind, failure, times = Number.POSITIVE_INFINITY) {
      planned.push({ kind, failure, left: times });
    },
    clear() {
      planned = [];
      this.slowMs = 0;
      this.deliverTwice = false;
      this.release();
    },
    release() {
      for (const end of waiting) end();
      waiting.clear();
    },
    next(kind) {
      const plan = planned.find((each) => (each.kind === kind || each.kind === "all") && each.left > 0);
      if (plan === undefined) return undefined;
      plan.left -= 1;
      return plan.failure;
    },
    async hang(signal) {
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    },
    async delay() {
      if (this.slowMs > 0) await sleep(this.slowMs);
    },
  };
}
