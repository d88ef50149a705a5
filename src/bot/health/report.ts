import { z } from "zod";
import type { RecentError } from "../../platform/log.ts";

/** Times are ISO 8601, by the replica's own clock. */
const Time = z.iso.datetime();
const Lane = z.object({ running: z.number(), waiting: z.number(), oldestMs: z.number() });

const LoggedError: z.ZodType<RecentError> = z.object({ at: Time, says: z.string(), reference: z.string().optional() });

/**
 * What a replica says about itself with each heartbeat. It is stored unsealed, so it holds no secret and nothing that a
 * person typed. Other versions may know other fields.
 */
export const ReplicaReport = z.object({
  version: z.string(),
  /** The name of the machine or container. */
  host: z.string(),
  startedAt: Time,
  at: Time,
  transport: z.object({
    kind: z.enum(["http", "socket"]),
    /** Ages of the live WebSockets in milliseconds. */
    links: z.array(z.number()),
  }),
  /** Why it can't do its work, as /readyz says it. */
  missing: z.array(z.string()),
  /** When something last arrived from Slack, by kind. */
  arrived: z.object({ command: Time.optional(), click: Time.optional(), event: Time.optional() }),
  /** Requests with a wrong signature. */
  refused: z.object({ count: z.number(), last: Time.optional() }),
  lanes: z.record(z.string(), Lane),
  /** Newest first. */
  errors: z.array(LoggedError),
  policy: z.object({ source: z.string(), rules: z.number(), problem: z.string().optional() }),
  /** The local engine behind the workload API, which no other process can ask. */
  engine: z
    .object({
      title: z.string(),
      regions: z.array(z.object({ name: z.string(), version: z.string().optional(), problem: z.string().optional() })),
    })
    .optional(),
});
export type ReplicaReport = z.infer<typeof ReplicaReport>;

export type LiveReplica = {
  readonly id: string;
  /** Undefined when it wrote none, or one of another version that can't be read. */
  readonly report: ReplicaReport | undefined;
};
