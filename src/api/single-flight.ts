import type { Clock } from "../platform/clock.ts";
import { aborted, timedOut, type Problem } from "./problem.ts";
import type { OperationId } from "./operations.ts";
import { unawaited } from "../platform/waiting.ts";

/** A request in flight, retries included. */
export type Flight = {
  /** Aborted when the last caller has given up. */
  readonly signal: AbortSignal;
  /** Call this right before a request leaves. */
  readonly leaving: () => void;
  /** Milliseconds until the last caller gives up. */
  readonly timeLeftMs: () => number;
};

type Caller<Answer> = {
  readonly op: OperationId;
  /** Calls with equal keys share one request. A write has no key and is never shared. */
  readonly key?: string;
  /**
   * From the request, in milliseconds: for so long others share it even when its answer is there, if it was asked for by
   * several at once.
   */
  readonly sharedForMs?: number;
  readonly budgetMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly start: (flight: Flight) => Promise<Answer>;
};

type InFlight<Answer> = Flight & {
  readonly answer: Promise<Answer>;
  readonly control: AbortController;
  readonly deadlines: Set<{ readonly at: number }>;
  isSent: boolean;
};

export type SingleFlight<Answer> = { join(caller: Caller<Answer>): Promise<Answer> };

/**
 * Shares equal reads that are in flight, or were a moment ago. Each caller has its own budget and can give up alone; the request is aborted
 * when the last one has. A read isn't shared across a write: one that started before the write ended may not show it.
 */
export function createSingleFlight<Answer>(clock: Pick<Clock, "elapsedMs" | "after">): SingleFlight<Answer> {
  let reads = new Map<string, InFlight<Answer>>();
  const forgetReads = (): void => {
    reads = new Map();
  };
  const shared = (key: string, caller: Caller<Answer>): InFlight<Answer> => {
    const current = reads;
    const found = current.get(key);
    if (found !== undefined) return found;
    const flight = begin(caller, clock);
    current.set(key, flight);
    // A later request may use the key by then.
    const forget = (): void => void (current.get(key) === flight && current.delete(key));
    flight.signal.addEventListener("abort", forget);
    const sharedUntil = clock.elapsedMs() + (caller.sharedForMs ?? 0);
    const forgetThen = (): void => {
      const left = flight.deadlines.size > 1 ? sharedUntil - clock.elapsedMs() : 0;
      if (left > 0) clock.after(left, forget);
      else forget();
    };
    unawaited(flight.answer.then(forgetThen, forget));
    return flight;
  };
  return {
    join(caller) {
      if (caller.key !== undefined) return answerWithin(shared(caller.key, caller), caller, clock);
      forgetReads();
      return answerWithin(begin(caller, clock), caller, clock).finally(forgetReads);
    },
  };
}

function begin<Answer>({ start }: Caller<Answer>, clock: Pick<Clock, "elapsedMs">): InFlight<Answer> {
  const control = new AbortController();
  const deadlines: InFlight<Answer>["deadlines"] = new Set();
  const flight: InFlight<Answer> = {
    control,
    deadlines,
    isSent: false,
    signal: control.signal,
    leaving: () => {
      flight.isSent = true;
    },
    timeLeftMs: () => Math.max(0, ...[...deadlines].map(({ at }) => at)) - clock.elapsedMs(),
    // Starts in the next microtask, when the first caller's deadline is known.
    answer: Promise.resolve().then(() => start(flight)),
  };
  return flight;
}

/** Waits within the caller's own budget and signal. Measured on the monotonic clock: the wall clock can be set. */
function answerWithin<Answer>(
  flight: InFlight<Answer>,
  { op, budgetMs, signal }: Caller<Answer>,
  clock: Pick<Clock, "elapsedMs" | "after">,
): Promise<Answer> {
  const deadline = { at: clock.elapsedMs() + budgetMs };
  flight.deadlines.add(deadline);
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const giveUp = (problem: Problem): void => {
    flight.deadlines.delete(deadline);
    reject(problem);
    if (flight.deadlines.size === 0) flight.control.abort();
  };
  const onAbort = (): void => giveUp(aborted(op, flight.isSent));
  const timer = clock.after(budgetMs, () => giveUp(timedOut(op, budgetMs, flight.isSent)));
  signal?.addEventListener("abort", onAbort, { once: true });
  return Promise.race([flight.answer, givenUp]).finally(() => {
    timer.cancel();
    signal?.removeEventListener("abort", onAbort);
  });
}
