import { AsyncLocalStorage } from "node:async_hooks";

/** How an interaction ended. Of several outcomes the worst one counts: the last in this list. */
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

/** Attributes of an interaction, added as they become known. Never text that a person typed, except the verb. */
export type Facts = {
  readonly verb?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** The reference in the log that people see in an error. */
  readonly reference?: string | undefined;
  readonly changeId?: string | undefined;
};

/**
 * The trace of one interaction, through all lanes: for metrics and tracing. Undefined while both are off.
 */
export type Trail = {
  readonly annotate: (facts: Facts) => void;
  /** Begins a span, which the returned function ends. Work on the span's own trail gets child spans. */
  readonly begin: (name: string, isCall?: boolean) => { readonly trail: Trail; readonly end: (ended?: Ended) => void };
  /** The interaction counts as unanswered until the returned function is called. */
  readonly hold: () => () => void;
  /** Trace and span as W3C's `traceparent`; undefined without tracing, or when the trace isn't sampled. */
  readonly traceparent: () => string | undefined;
  /** Its trace; undefined without tracing. */
  readonly traceId: string | undefined;
  /** True outside an interaction: work found by a sweep. `resume` begins a trail of its own for it. */
  readonly isBackground: boolean;
  /** Carries on a stored interaction or Change within its original trace. */
  readonly resume: <Result>(left: Left, work: () => Promise<Result>) => Promise<Result>;
};

/** How a span ended: a status of a short list, or the error that was thrown. */
export type Ended = { readonly status: string } | { readonly error: unknown };

/** Stored work that another process carries on. */
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

/** Adds attributes to the current interaction, if it is measured or traced. */
export function annotate(facts: Facts): void {
  trails.getStore()?.annotate(facts);
}

/** Runs work in a span of the current interaction. The name is a constant: traces show it. */
export async function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
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
 * Binds work that begins later, in a lane, to the current trail. With `isAnswer`, the interaction is answered when the work ends;
 * other work gets its own span, because the interaction may be over by then.
 */
export function later<Args extends readonly unknown[]>(
  lane: string,
  work: (...args: Args) => Promise<void>,
  isAnswer: boolean,
): (...args: Args) => Promise<void> {
  const trail = trails.getStore();
  // Otherwise it would run on the trail of the job whose end makes room for it.
  if (trail === undefined) return (...args) => trails.exit(work, ...args);
  const release = isAnswer ? trail.hold() : undefined;
  const waiting = trail.begin(`wait: ${lane}`);
  return async (...args) => {
    waiting.end();
    try {
      await trails.run(trail, () => (isAnswer ? work(...args) : inSpan(`work: ${lane}`, () => work(...args))));
    } finally {
      release?.();
    }
  };
}

/** Carries on stored work: within the current interaction, else on a trail of its own. */
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
