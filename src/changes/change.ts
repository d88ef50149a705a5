import { z } from "zod";
import type { Call } from "../api/operations.ts";
import { Snapshot, optional } from "./snapshot.ts";

/** The operations that change something. */
const writeOperationIds = [
  "createJob",
  "deleteJob",
  "createService",
  "deleteService",
  "updateService",
  "startService",
  "stopService",
  "restartService",
] as const;
export type WriteOperationId = (typeof writeOperationIds)[number];

/** Which workload: the name is the API's only key, the `uid` tells a workload from its namesake made later. */
export const WorkloadRef = z
  .object({
    kind: z.enum(["service", "job"]),
    region: z.string(),
    name: z.string(),
    /** What stands for it where the service tells no `uid`: see `identityOf`. */
    uid: optional(z.string()),
  })
  .readonly();
export type WorkloadRef = z.output<typeof WorkloadRef>;

/**
 * A Call that was stored. Only its outline is checked: it was built by the compiler's rules, and sealed since. Writes
 * have no query.
 */
const WriteCall = z
  .object({
    op: z.enum(writeOperationIds),
    path: z.record(z.string(), z.string()),
    body: optional(z.record(z.string(), z.unknown())),
  })
  .transform(({ op, path, body }): Call<WriteOperationId> => {
    const call: unknown = { op, path, query: undefined, body };
    return call as Call<WriteOperationId>; // its parts belong together since it was built; see above
  });

/** What a write would do: the exact Call, what was read before it, and what changes in words. */
export const Change = z
  .object({
    call: WriteCall,
    workload: WorkloadRef,
    before: Snapshot,
    /** `instances 2 → 6`, one change a line. Empty: it is already so, and nothing needs to be sent. */
    diff: z.array(z.string()).readonly(),
  })
  .readonly();
export type Change = z.output<typeof Change>;

/**
 * How the execution of a Change ended, in words that keep "asked" and "took effect" apart.
 * - `done`: the workload was read back and is as asked. `alsoMoved` names what else changed meanwhile.
 * - `asked`: the service accepted, and what was read back does not show it yet, or cannot show it (a restart).
 * - `failed`: it did not happen: refused, never sent, or without any effect.
 * - `unknown`: the request may have reached the service and no answer came; it is never sent again by itself.
 */
export const Outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), after: Snapshot, alsoMoved: z.array(z.string()).readonly() }).readonly(),
  z.object({ kind: z.literal("asked"), after: Snapshot, why: z.string() }).readonly(),
  z.object({ kind: z.literal("failed"), why: z.string(), next: z.string() }).readonly(),
  z
    .object({
      kind: z.literal("unknown"),
      after: z.union([z.literal("unread"), Snapshot]),
      why: z.string(),
      next: z.string(),
    })
    .readonly(),
]);
export type Outcome = z.output<typeof Outcome>;
