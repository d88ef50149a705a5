import { AsyncLocalStorage } from "node:async_hooks";

/** How an interaction ended; the worst of what is noted counts, from the last to the first. */
export const outcomes = ["ok", "repeated", "refused", "busy", "failed", "error"] as const;
/**
 * - `ok`: it was answered
 * - `repeated`: it was delivered before
 * - `refused`: by policy, by the workload API, or because of a mistake in it
 * - `busy`: there was no room for it
 * - `failed`: the workload API or the database didn't do its part
 * - `error`: a bug of ours
 */
export type Outcome = (typeof outcomes)[number];

/** What is known of an interaction by and by. Never what a person typed, but for the verb. */
export type Facts = {
  readonly verb?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** What people are told to search the log for. */
  readonly reference?: string | undefined;
  readonly changeId?: string | undefined;
};

/**
 * Follows one interaction through everything that comes of it, lanes included: for metrics and tracing. There is none
 * unless one of them is on.
 */
export type Trail = {
  readonly note: (facts: Facts) => void;
  /** Begins a step of it, which the returned function ends. What runs on the step's own trail belongs to the step. */
  readonly begin: (name: string, isCall?: boolean) => { readonly trail: Trail; readonly end: (ended?: Ended) => void };
  /** It isn't answered before the returned function was called. */
  readonly hold: () => () => void;
  /** Its trace, and the step in it, as W3C's `traceparent`; undefined without tracing, or when it isn't sampled. */
  readonly traceparent: () => string | undefined;
  /** Its trace; undefined without tracing. */
  readonly traceId: string | undefined;
  /** True outside an interaction: work found by a sweep. `resume` begins a trail of its own for it. */
  readonly isBackground: boolean;
  /** Goes on with a stored interaction, or with a stored Change, as a part of the trace in which it came. */
  readonly resume: <Result>(left: Left, work: () => Promise<Result>) => Promise<Result>;
};

/** How a step ended: a status of a short list, or the error that was thrown. */
export type Ended = { readonly status: string } | { readonly error: unknown };

/** What somebody left to be carried on. */
export type Left = Facts & { readonly what: "delivery" | "change"; readonly trace: string | undefined };

const trails = new AsyncLocalStorage<Trail>();

/** Undefined when nothing is measured or traced. */
export function currentTrail(): Trail | undefined {
  return trails.getStore();
}

/** Runs work, and all that comes of it, on this trail. */
export function onTrail<Result>(trail: Trail, work: () => Result): Result {
  return trails.run(trail, work);
}

/** Says something about the interaction that is being handled, if it is measured or traced. */
export function note(facts: Facts): void {
  trails.getStore()?.note(facts);
}

/** Runs a step of the interaction that is being handled. The name is fixed in the code: traces show it. */
export async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const trail = trails.getStore();
  if (trail === undefined) return work();
  const { trail: inside, end } = trail.begin(name);
  try {
    const result = await trails.run(inside, work);
    end();
    return result;
  } catch (error) {
    end({ error });
    throw error;
  }
}

/**
 * Work that begins later, in a lane, on the trail of now. With `isAnswer`, the interaction isn't answered before it ends;
 * any other work is a step of its own, because the interaction may be over by then.
 */
export function later<Args extends readonly unknown[]>(
  lane: string,
  work: (...args: Args) => Promise<void>,
  isAnswer: boolean,
): (...args: Args) => Promise<void> {
  const trail = trails.getStore();
  // Otherwise it would begin on the trail of whoever makes room for it.
  if (trail === undefined) return (...args) => trails.exit(work, ...args);
  const release = isAnswer ? trail.hold() : undefined;
  const waiting = trail.begin(`wait: ${lane}`);
  return async (...args) => {
    waiting.end();
    try {
      await trails.run(trail, () => (isAnswer ? work(...args) : step(`work: ${lane}`, () => work(...args))));
    } finally {
      release?.();
    }
  };
}

/** Goes on with what was left, on a trail of its own when nobody's interaction led here. */
export function resumed<Result>(left: () => Left, work: () => Promise<Result>): Promise<Result> {
  const trail = trails.getStore();
  return trail?.isBackground === true ? trail.resume(left(), work) : work();
}

/** A call that leaves the process, or a statement of the store: what is measured by its name and how it ended. */
export type Call<To extends string = "slack" | "api" | "store"> = { readonly to: To; readonly name: string };

/** Runs a call and measures it; `statusOf` says how it ended, in a word of a short list. */
export type Measure<To extends string = Call["to"]> = <Result>(
  call: Call<To>,
  work: () => Promise<Result>,
  statusOf: (ended: { readonly value: Result } | { readonly error: unknown }) => string,
) => Promise<Result>;

export const unmeasured: Measure = (_, work) => work();
