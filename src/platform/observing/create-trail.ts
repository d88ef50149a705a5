import type { Ended, Facts, Trail } from "../trail.ts";
import type { OpenSpan } from "./tracing.ts";

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
