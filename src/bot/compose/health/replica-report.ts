import type { Logger } from "pino";
import type { Clock, Timer } from "../../../platform/clock.ts";
import { unawaited } from "../../../platform/waiting.ts";
import type { Transport } from "../../slack/receive/transport.ts";
import type { Store } from "../../store/store.ts";
import { hostname } from "node:os";
import type { GuardedApi } from "../../../api/client.ts";
import type { EngineFacts, ReplicaReport } from "../../health/facts.ts";
import { recentErrorsOf } from "../../../platform/log.ts";
import type { Policy } from "../../policy/policy.ts";
import type { ArrivalTimes } from "../../slack/receive/delivery-memory.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import { defined } from "../../../platform/optional.ts";
import { version } from "../../../platform/version.ts";

type Watching = {
  readonly transport: Pick<Transport, "others">;
  readonly store: Pick<Store, "otherReplicas">;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after">;
};

export type OtherGantry = {
  /** Connections to the Slack app that no replica of this Gantry has; undefined without any, or while that isn't sure. */
  readonly connections: () => number | undefined;
  readonly start: () => void;
  readonly stop: () => void;
};

/** Slack may count a connection for a while after its process is gone. */
const LOOK_EVERY_MS = 5 * 60_000;
/** One count may fall into the seconds in which a replica connects. */
const SURE_AFTER = 2;

/**
 * Notices another Gantry on the same Slack app: Slack gives it a share of what people click and type, and it knows none of
 * our requests. Over HTTP, Slack sends everything to one address.
 */
export function watchForOtherGantry({ transport: { others }, store, log, clock }: Watching): OtherGantry {
  /** Counts in a row that found it. */
  let times = 0;
  let found: number | undefined;
  let timer: Timer | undefined;

  /** What is left of a count without the other replicas' connections. */
  async function strangersIn(counted = 0): Promise<number> {
    if (counted <= 0) return 0;
    const replicas = await store.otherReplicas();
    // A replica that doesn't say how many it has may have all of them.
    return replicas.reduce((left, { report }) => left - (report?.transport.links.length ?? counted), counted);
  }

  async function look(): Promise<void> {
    let strangers = await strangersIn(others?.counted());
    if (strangers > 0) {
      // That count may be from before a replica stopped.
      const counted = await others?.recount();
      if (counted === undefined) return;
      strangers = await strangersIn(counted);
    }
    times = strangers > 0 ? times + 1 : 0;
    found = times >= SURE_AFTER ? strangers : undefined;
    if (times === SURE_AFTER) log.warn({ connections: strangers }, "another Gantry is connected to the same Slack app");
  }

  function again(): void {
    timer = clock.after(LOOK_EVERY_MS, () => {
      again();
      unawaited(look(), (err) => log.warn({ err }, "couldn't count the connections to the Slack app"));
    });
  }

  return { connections: () => found, start: again, stop: () => timer?.cancel() };
}

type Parts = {
  readonly api: Pick<GuardedApi, "engine">;
  /** The workload API runs in this process, so nobody else can ask its engine. */
  readonly isEmbedded: boolean;
  readonly arrivals: Pick<ArrivalTimes, "last" | "unsigned">;
  /** Ids of its keys; the first one seals. */
  readonly keyIds: readonly string[];
  readonly lanes: Pick<Lanes, "status">;
  readonly log: Logger;
  readonly missing: () => Promise<readonly string[]>;
  readonly clock: Pick<Clock, "now">;
  readonly policy: () => Policy;
  readonly policyProblem: () => string | undefined;
  readonly transport: { readonly kind: "http" | "socket"; readonly links: Transport["links"] };
  readonly otherGantry: Pick<OtherGantry, "connections">;
};

const MOST_ERRORS = 10;

/** What this replica says about itself with each heartbeat. */
export function createReporter(parts: Parts): () => Promise<ReplicaReport> {
  const { api, isEmbedded, arrivals, lanes, log, clock, transport } = parts;
  const startedAt = clock.now().toISOString();
  return async () => {
    const [missing, engine] = await Promise.all([parts.missing(), isEmbedded ? api.engine() : undefined]);
    const others = parts.otherGantry.connections();
    const { source, rules } = parts.policy();
    return {
      version,
      keyIds: [...parts.keyIds],
      host: hostname(),
      startedAt,
      at: clock.now().toISOString(),
      transport: defined({ kind: transport.kind, links: [...transport.links()], others }),
      missing: [...missing],
      arrived: arrivals.last(),
      refused: arrivals.unsigned(),
      lanes: lanes.status(),
      errors: recentErrorsOf(log).slice(0, MOST_ERRORS),
      policy: defined({ source, rules: rules.length, problem: parts.policyProblem() }),
      ...(engine && { engine: { title: engine.title, regions: engine.regions.map(regionOf) } }),
    };
  };
}

function regionOf({ name, version: running, problem }: EngineFacts["regions"][number]) {
  return defined({ name, version: running, problem });
}
