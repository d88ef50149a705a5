import { setTimeout as sleep } from "node:timers/promises";

/**
 * "lost": the request is carried out, and the answer is a 500 all the same. "late": it is carried out, and the answer comes
 * after `lateMs`. "blocks": blocks are refused, and nothing is done; what has none is answered as it should be.
 */
export type Failure = "429" | "500" | "garbage" | "hang" | "lost" | "late" | "blocks";

export type Planned = { readonly kind: string; readonly failure: Failure; left: number };

/** What shall go wrong on Slack's side. Set it at any time; it holds from the next request on. */
export type Faults = {
  /** Each answer to the bot is this late. */
  slowMs: number;
  /** How late an answer is that comes "late". */
  lateMs: number;
  /** Retry-After of a 429. */
  retryAfterSeconds: number;
  /** Commands, clicks and submissions are delivered a second time, with the same trigger_id. */
  deliverTwice: boolean;
  /** Requests to the bot are signed with another secret. */
  signsWrongly: boolean;
  /** Requests to the bot were signed so long ago; a bot refuses what is older than five minutes. */
  signatureAgeSeconds: number;
  /** A method's name, "response_url", "upload", or "all"; `times` requests of it fail (default: until `clear`). */
  readonly answer: (kind: string, failure: Failure, times?: number) => void;
  /** Takes back what `answer` planned for exactly this kind. */
  readonly answerNormally: (kind: string) => void;
  /** What is planned and not used up. */
  readonly planned: () => readonly Planned[];
  readonly clear: () => void;
  /** Ends answers that hang. */
  readonly release: () => void;
  /** The failure planned for this request, counted down. */
  readonly next: (kind: string, request: { readonly hasBlocks: boolean }) => Failure | undefined;
  /** Never answers until the asker hangs up or `release`. */
  readonly hang: (signal: AbortSignal) => Promise<void>;
  readonly delay: (isLate: boolean) => Promise<void>;
};

const none = {
  slowMs: 0,
  lateMs: 10_000,
  retryAfterSeconds: 1,
  deliverTwice: false,
  signsWrongly: false,
  signatureAgeSeconds: 0,
};

function isFor(plan: Planned, kind: string): boolean {
  return plan.kind === kind || plan.kind === "all";
}

export function createFaults(): Faults {
  let planned: Planned[] = [];
  const waiting = new Set<() => void>();
  return {
    ...none,
    answer(kind, failure, times = Number.POSITIVE_INFINITY) {
      planned.push({ kind, failure, left: times });
    },
    answerNormally(kind) {
      planned = planned.filter((plan) => plan.kind !== kind);
      this.release();
    },
    planned: () => planned.filter((plan) => plan.left > 0),
    clear() {
      planned = [];
      Object.assign(this, none);
      this.release();
    },
    release() {
      for (const end of waiting) end();
      waiting.clear();
    },
    next(kind, { hasBlocks }) {
      const isMeant = (each: Planned): boolean => isFor(each, kind) && (hasBlocks || each.failure !== "blocks");
      const plan = planned.find((each) => isMeant(each) && each.left > 0);
      if (plan !== undefined) plan.left -= 1;
      return plan?.failure;
    },
    async hang(signal) {
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    },
    async delay(isLate) {
      const ms = this.slowMs + (isLate ? this.lateMs : 0);
      if (ms > 0) await sleep(ms, undefined, { ref: false });
    },
  };
}
