import { hostname } from "node:os";
import type { Logger } from "pino";
import type { GuardedApi } from "../../../api/client.ts";
import type { EngineFacts, ReplicaReport } from "../../health/facts.ts";
import { recentErrorsOf } from "../../../platform/log.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Policy } from "../../policy/policy.ts";
import type { ArrivalTimes } from "../../slack/receive/arrival-times.ts";
import type { Transport } from "../../slack/receive/transport.ts";
import type { Lanes } from "../../workflow/inbox/lanes.ts";
import { version } from "../../../platform/version.ts";
import type { OtherGantry } from "./other-gantry.ts";

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
    const problem = parts.policyProblem();
    return {
      version,
      keyIds: [...parts.keyIds],
      host: hostname(),
      startedAt,
      at: clock.now().toISOString(),
      transport: { kind: transport.kind, links: [...transport.links()], ...(others !== undefined && { others }) },
      missing: [...missing],
      arrived: arrivals.last(),
      refused: arrivals.unsigned(),
      lanes: lanes.status(),
      errors: recentErrorsOf(log).slice(0, MOST_ERRORS),
      policy: { source, rules: rules.length, ...(problem !== undefined && { problem }) },
      ...(engine !== undefined && { engine: { title: engine.title, regions: engine.regions.map(regionOf) } }),
    };
  };
}

type Region = NonNullable<ReplicaReport["engine"]>["regions"][number];

export function regionOf({ name, version: running, problem }: EngineFacts["regions"][number]): Region {
  return { name, ...(running !== undefined && { version: running }), ...(problem !== undefined && { problem }) };
}
