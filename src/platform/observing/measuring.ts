import type { Clock } from "../clock.ts";
import { type Call, currentTrail, type Measure, onTrail, type Ended, type Facts, type Trail } from "../trail.ts";
import type { OpenSpan } from "./tracing.ts";

type Called<To extends string> = (call: Call<To>, ended: { readonly status: string; readonly seconds: number }) => void;

/** Measures calls, each as a step of whatever makes it. `named` gives a call a name of a closed list. */
export function measuring<To extends string>(
  clock: Pick<Clock, "elapsedMs">,
  named: (call: Call<To>) => Call<To>,
  called: Called<To> = () => undefined,
): Measure<To> {
  return async (asked, work, statusOf) => {
    const call = named(asked);
    const begun = currentTrail()?.begin(`${call.to} ${call.name}`, true);
    const startedAt = clock.elapsedMs();
    const over = (status: string): void => {
      called(call, { status, seconds: (clock.elapsedMs() - startedAt) / 1_000 });
      begun?.end({ status });
    };
    try {
      const value = await (begun === undefined ? work() : onTrail(begun.trail, work));
      over(statusLabel(statusOf({ value })));
      return value;
    } catch (error) {
      over(statusLabel(statusOf({ error })));
      throw error;
    }
  };
}

/** Statuses that a workload API may well answer with; others count by their hundred. */
const usual: ReadonlySet<string> = new Set(
  [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 500, 501, 502, 503, 504].map(String),
);

const words: ReadonlySet<string> = new Set(
  (
    "ok failed closed uninvited gone uneditable superseded content ours token scope limited temporary unsure unknown " +
    "unreachable timeout unexpected aborted invalid"
  ).split(" "),
);

export function statusLabel(status: string): string {
  if (usual.has(status) || words.has(status)) return status;
  return /^[1-5]\d\d$/u.test(status) ? `${status[0]}xx` : "other";
}

/** What is followed: who keeps what is said of it, and knows when it is over. */
export type Followed = {
  readonly annotate: (facts: Facts, span: OpenSpan | undefined) => void;
  readonly hold: () => () => void;
};

/** A trail whose steps are spans below this one; without one, it only keeps facts. */
export function createTrail(followed: Followed, span: OpenSpan | undefined): Trail {
  const trail: Trail = {
    annotate: (facts) => followed.annotate(facts, span),
    begin(name, isCall = false) {
      const child = span?.begin(name, isCall);
      const end = (ended?: Ended): void => child?.end(ended);
      return { trail: child === undefined ? trail : createTrail(followed, child), end };
    },
    hold: followed.hold,
    traceparent: () => span?.traceparent,
    traceId: span?.traceId,
    isBackground: false,
    resume: (_, work) => work(),
  };
  return trail;
}
