import type { Clock } from "../../../platform/clock.ts";
import { createTrail, type Followed, measuring } from "../../../platform/observing/measuring.ts";
import type { OpenSpan, Tracing } from "../../../platform/observing/tracing.ts";
import { type Facts, type Left, onTrail, type Outcome, outcomes, type Trail } from "../../../platform/trail.ts";
import { callLabel, type Kind, kindOfPayload, verbLabel } from "./labels.ts";
import type { Metrics } from "./metrics.ts";
import type { Logger } from "pino";
import { openSinks } from "../../../platform/observing/open-sinks.ts";
import type { ObservingConfig } from "../../../platform/observing/observing-config.ts";
import type { TransportParts } from "../../slack/receive/transport.ts";

type Parts = {
  readonly replicaId: string;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after" | "elapsedMs">;
};

export type Observing = Awaited<ReturnType<typeof openObserver>>;

/** Loads only what is switched on. Throws an Error with a sentence when the metrics port can't be opened. */
export async function openObserver(config: Pick<ObservingConfig, "metrics" | "tracing">, parts: Parts) {
  const { port, metrics, tracing, close } = await openSinks(config, {
    ...parts,
    createMetrics: async () => (await import("./metrics.ts")).createMetrics(parts.clock),
  });
  // The metrics port; undefined when metrics are off.
  return { observer: createObserver({ metrics, tracing, clock: parts.clock }), port, close };
}

type Sinks = {
  readonly metrics: Metrics | undefined;
  readonly tracing: Tracing | undefined;
  readonly clock: Pick<Clock, "elapsedMs">;
};

export type Observer = ReturnType<typeof createObserver>;

/**
 * Sees what the bot does anyway, and changes nothing about it: for metrics, for tracing, or for both. Nothing here throws
 * because of what it observes.
 */
export function createObserver(sinks: Sinks) {
  const { metrics, clock } = sinks;
  const background = backgroundTrail(sinks);
  return {
    measure: measuring<"slack" | "api" | "store">(
      clock,
      (call) => ({ ...call, name: callLabel(call) }),
      (call, took) => metrics?.called(call, took),
    ),
    /** Follows everything that Slack delivers until it is answered. */
    followed:
      (handle: TransportParts["route"]): TransportParts["route"] =>
      (body, ack) => {
        const kind = kindOfPayload(body);
        const startedAt = clock.elapsedMs();
        let isAcked = false;
        return interaction(sinks, { kind }, () =>
          handle(body, async (answer) => {
            await ack(answer);
            // Bolt acks events before it hands them on.
            if (isAcked || eventKinds.has(kind)) return;
            isAcked = true;
            metrics?.acked(kind, (clock.elapsedMs() - startedAt) / 1_000);
          }),
        );
      },
    /** Work that nobody's interaction led to. */
    background: <Result>(work: () => Promise<Result>): Promise<Result> => onTrail(background, work),
    metrics,
  };
}

const eventKinds: ReadonlySet<Kind> = new Set(["mention", "message", "home", "event"]);

type Begun = Facts & { readonly kind: Kind; readonly trace?: string | undefined };

/** Runs work as an interaction: it is answered when the work is over, and everything that `hold` is called for. */
async function interaction<Result>(
  { metrics, tracing, clock }: Sinks,
  { kind, trace, ...facts }: Begun,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedAt = clock.elapsedMs();
  const root = tracing?.begin(kind, trace);
  const run = createRun(root, ({ verb, outcome }) => {
    metrics?.answered({ kind, verb, outcome, seconds: (clock.elapsedMs() - startedAt) / 1_000 });
    root?.rename(verb === "none" ? kind : `${kind} ${verb}`);
    root?.set({ "gantry.kind": kind, "gantry.verb": verb, "gantry.outcome": outcome });
    root?.end(outcome === "failed" || outcome === "error" ? { error: undefined } : { status: outcome });
  });
  run.annotate(facts, root);
  const release = run.hold();
  try {
    return await onTrail(createTrail(run, root), work);
  } finally {
    release();
  }
}

type Known = { readonly verb: string; readonly outcome: Outcome };

/** What is known of an interaction, until nobody holds it any more. Errors with a reference count as such also later. */
function createRun(root: OpenSpan | undefined, onAnswered: (known: Known) => void): Followed {
  let verb: string | undefined;
  let outcome: Outcome = "ok";
  let holds = 0;
  let isOver = false;
  return {
    annotate(facts, span) {
      verb = facts.verb ?? verb;
      if (facts.outcome !== undefined && outcomes.indexOf(facts.outcome) > outcomes.indexOf(outcome)) {
        outcome = facts.outcome;
      }
      const { reference, changeId } = facts;
      // Of one that was answered, a later step has it.
      (isOver ? span : root)?.set({
        ...(reference !== undefined && { "gantry.reference": reference }),
        ...(changeId !== undefined && { "gantry.change_id": changeId }),
      });
    },
    hold() {
      let isHeld = true;
      holds += 1;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        if (holds > 0 || isOver) return;
        isOver = true;
        onAnswered({ verb: verbLabel(verb), outcome });
      };
    },
  };
}

/** Of sweeps, and of what they begin: each stored piece of work that they find goes on with a trail of its own. */
function backgroundTrail(sinks: Sinks): Trail {
  const nothing = (): void => undefined;
  const trail: Trail = {
    annotate: nothing,
    begin: () => ({ trail, end: nothing }),
    hold: () => nothing,
    traceparent: () => undefined,
    traceId: undefined,
    isBackground: true,
    resume({ what, ...left }: Left, work) {
      // A Change that is carried on is no interaction: it was counted when it was requested.
      const counting = what === "delivery" ? sinks : { ...sinks, metrics: undefined };
      return interaction(counting, { kind: "resumed", ...left }, work);
    },
  };
  return trail;
}
