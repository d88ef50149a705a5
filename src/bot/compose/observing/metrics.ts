import { Gauge, type Registry } from "prom-client";
import type { Clock } from "../../../platform/clock.ts";
import { callBuckets, createRegistry } from "../../../platform/observing/registry.ts";
import { statusLabel } from "../../../platform/observing/measuring.ts";
import type { Call, Outcome } from "../../../platform/trail.ts";
import { within } from "../../../platform/waiting.ts";
import { type Lanes, laneNames } from "../../workflow/inbox/lanes.ts";
import type { LaneName } from "../../workflow/inbox/scheduler.ts";
import type { Store } from "../../store/store.ts";
import { callLabel, type ChangeMove, changeStates, type Kind, slackMethods, verbLabel } from "./labels.ts";

type Answered = {
  readonly kind: Kind;
  readonly verb: string | undefined;
  readonly outcome: Outcome;
  readonly seconds: number;
};

/** What is read when somebody asks for it. */
type Gauges = {
  readonly lanes: Lanes["status"];
  /** Ages of the connections of Socket Mode; undefined over HTTP. */
  readonly links: (() => readonly number[]) | undefined;
  readonly trouble: Store["trouble"];
  readonly waiting: Store["waiting"];
};

export type Metrics = ReturnType<typeof createMetrics>;

/** Slack gives up at 3 s. */
const ACK = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3];
const ANSWER = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const RUN = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const STATEMENT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

const targets = { slack: "Slack's Web API", api: "the workload API", store: "the database" } as const; // literal keys
const named = { slack: "method", api: "operation", store: "statement" } as const; // literal words

/** Statuses that alerts count. They start at 0, because some alerts fire at the first call. */
const alertedStatuses = ["limited", "scope", "token"] as const;

/** What is counted and timed. Labels have only values of closed lists: see labels.ts. */
export function createMetrics(clock: Pick<Clock, "after" | "elapsedMs">) {
  const { registry, counter, histogram } = createRegistry();
  const interactions = counter("interactions_total", "Interactions that were answered", ["kind", "verb", "outcome"]);
  const errors = counter("errors_total", "Interactions that ended with an error of Gantry's own, with a reference");
  const ack = histogram("ack_seconds", "From Slack's request to its ack", { labels: ["kind"], buckets: ACK });
  const answer = histogram("answer_seconds", "From Slack's request to the answer", {
    labels: ["verb"],
    buckets: ANSWER,
  });
  const calls = {
    slack: callsTo("slack", callBuckets),
    api: callsTo("api", callBuckets),
    store: callsTo("store", STATEMENT),
  };
  const changes = counter("changes_total", "Requests by what became of them", ["state"]);
  const runs = histogram("change_run_seconds", "From the moment a request is sent to its outcome", {
    labels: ["outcome"],
    buckets: RUN,
  });
  const full = counter("lane_refused_total", "Work that a lane had no room for", ["lane"]);
  const redactions = counter("redactions_total", "Secrets removed from lines of logs");
  // A counter that appears with its first event seems not to have risen.
  for (const state of changeStates) changes.inc({ state }, 0);
  for (const lane of laneNames) full.inc({ lane }, 0);
  for (const method of [...slackMethods, "other"]) {
    for (const status of alertedStatuses) calls.slack.ended.inc({ method, status }, 0);
  }

  function callsTo(to: Call["to"], buckets: number[]) {
    const name = { slack: "slack", api: "workload_api", store: "store" }[to];
    const label = named[to];
    return {
      ended: counter(`${name}_calls_total`, `Calls to ${targets[to]}, by how they ended`, [label, "status"]),
      seconds: histogram(`${name}_call_seconds`, `Duration of calls to ${targets[to]}`, { labels: [label], buckets }),
      label,
    };
  }

  return {
    answered({ kind, verb, outcome, seconds }: Answered) {
      const known = verbLabel(verb === "none" ? undefined : verb);
      interactions.inc({ kind, verb: known, outcome });
      if (outcome === "error") errors.inc();
      answer.observe({ verb: known }, seconds);
    },
    acked: (kind: Kind, seconds: number) => ack.observe({ kind }, seconds),
    called(call: Call, { status, seconds }: { readonly status: string; readonly seconds: number }) {
      const { ended, seconds: timed, label } = calls[call.to];
      const name = callLabel(call);
      ended.inc({ [label]: name, status: statusLabel(status) });
      timed.observe({ [label]: name }, seconds);
    },
    changed: (state: ChangeMove) => changes.inc({ state }),
    /** A request was sent, and ended after so long. */
    ran: (outcome: "done" | "failed" | "unknown", seconds: number) => runs.observe({ outcome }, seconds),
    laneFull: (lane: LaneName) => full.inc({ lane }),
    /** Secrets removed from lines of a log. */
    redacted: (secrets: number) => redactions.inc(secrets),
    show: (gauges: Gauges) => showGauges(registry, gauges, clock),
    /** All of it as OpenMetrics. Never rejects because of the database. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Read when somebody scrapes. What can't be told now is left out: a zero would be a lie. */
function showGauges(
  registry: Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>,
  gauges: Gauges,
  clock: Pick<Clock, "after" | "elapsedMs">,
): void {
  const { lanes, links } = gauges;
  const waiting = createReading(gauges.waiting, clock);
  const single = (name: string, help: string, read: () => Promise<number | undefined> | number | undefined): void => {
    const gauge = new Gauge({
      name: `gantry_${name}`,
      help,
      registers: [],
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
    registry.registerMetric(gauge);
  };
  const isUp = createReading(async () => (await gauges.trouble()) === undefined, clock);
  single("store_up", "Whether the database answers and takes changes", async () => ((await isUp()) === true ? 1 : 0));
  single("approvals_waiting", "Requests that wait for approvals", async () => (await waiting())?.count);
  single(
    "approvals_oldest_seconds",
    "Age of the oldest request that waits for approvals; 0 when none waits",
    async () => {
      const now = await waiting();
      return now && (now.oldestMs ?? 0) / 1_000;
    },
  );
  if (links !== undefined) single("socket_connections", "Open connections of Socket Mode", () => links().length);
  single("watch_lag_seconds", "How long the look at watched workloads has been due that is due longest", async () => {
    const ms = (await waiting())?.watchLagMs;
    return ms === undefined ? undefined : ms / 1_000;
  });
  const ofLanes = {
    running: "Work in progress",
    waiting: "Work that waits for its turn",
    oldestMs: "Age of the work that has waited longest",
  } as const; // literal keys
  for (const [field, help] of Object.entries(ofLanes) as [keyof typeof ofLanes, string][]) {
    const gauge = new Gauge({
      name: field === "oldestMs" ? "gantry_lane_oldest_seconds" : `gantry_lane_${field}`,
      help,
      labelNames: ["lane"],
      registers: [],
      collect() {
        for (const [lane, status] of Object.entries(lanes())) {
          this.set({ lane }, field === "oldestMs" ? status.oldestMs / 1_000 : status[field]);
        }
      },
    });
    registry.registerMetric(gauge);
  }
}

/** A scrape waits so long for the database. */
const READ_WITHIN_MS = 500;
/** Whoever scrapes more often than this, or in several places, gets the same answer. */
const KEPT_MS = 5_000;

/** One statement for all who ask within five seconds; undefined when it fails or takes too long. Never a second one meanwhile. */
export function createReading<Value>(
  read: () => Promise<Value>,
  clock: Pick<Clock, "after" | "elapsedMs">,
): () => Promise<Value | undefined> {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let last: Promise<Value | undefined> = Promise.resolve(undefined);
  let isReading = false;
  return () => {
    if (!isReading && clock.elapsedMs() - readAtMs >= KEPT_MS) {
      isReading = true;
      readAtMs = clock.elapsedMs();
      last = read()
        .catch(() => undefined)
        .finally(() => (isReading = false));
    }
    return within(READ_WITHIN_MS, last, () => undefined, clock);
  };
}
