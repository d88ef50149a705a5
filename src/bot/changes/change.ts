import { Redacted } from "../../api/redacted.ts";
import { z } from "zod";
import type { Call } from "../../api/operations.ts";
import { type WriteOperationId, writeOperationIds } from "../policy/operation-facts.ts";
import type { Footprint as PolicyFootprint } from "../policy/policy.ts";
import { optional } from "../optional.ts";
import { ContainerFacts, Snapshot } from "./updatable-fields.ts";

export const WorkloadKind = z.enum(["service", "job"]);

/** The API identifies a workload by name only; the `uid` distinguishes it from a later one of the same name. */
export const WorkloadRef = z
  .object({
    kind: WorkloadKind,
    region: z.string(),
    name: z.string(),
    /** See `identityOf`. */
    uid: optional(z.string()),
  })
  .readonly();
export type WorkloadRef = z.output<typeof WorkloadRef>;

export const WriteOperation = z.enum(writeOperationIds);

/**
 * A stored Call. Only its outline is checked: it was typed when it was built, and sealed since. Writes have no query.
 */
const WriteCall = z
  .object({
    op: WriteOperation,
    path: z.record(z.string(), z.string()),
    body: optional(z.record(z.string(), z.unknown())),
  })
  .transform(({ op, path, body }): Call<WriteOperationId> => {
    const call: unknown = { op, path, query: undefined, body };
    return call as Call<WriteOperationId>; // typed when it was built; see above
  });

const Footprint: z.ZodType<PolicyFootprint> = z
  .object({
    containers: optional(z.array(ContainerFacts).readonly()),
    instanceMiB: z.number().optional(),
    instances: optional(z.number()),
  })
  .readonly();

/** A proposed write: the exact Call, the workload as read before, and the diff in words. */
export const Change = z
  .object({
    call: WriteCall,
    workload: WorkloadRef,
    before: Snapshot,
    /** One change per line: `instances 2 → 6`. Empty: nothing would change, and nothing needs to be sent. */
    diff: z.array(z.string()).readonly(),
    /** Why the image that it brings isn't known where it will run: then it is disruptive. */
    newImage: z.string().optional(),
    /** The revision to go back to if the one that it makes doesn't get ready: the last one known to have been ready. */
    backTo: z
      .union([
        z.literal("nowhere"),
        z.object({ revision: z.number(), images: optional(z.array(z.string()).readonly()) }).readonly(),
      ])
      .optional(),
    /** What becomes of Gantry, which itself runs in this workload: lines of the diff. The requester is asked about them first. */
    itself: z.array(z.string()).readonly().optional(),
    /** It goes to a kept revision that isn't known to have been ready, or that somebody left: that is a deploy. */
    isDeploy: z.boolean().optional(),
    /** An automatic way back: not sent once the version that it leaves got healthy. */
    isWayBack: z.boolean().optional(),
    /** The requester wants a direct message when the job ends. */
    notifies: z.boolean().optional(),
    /** The images and sizes that follow, if neither the Call nor the earlier state tells them. See `footprintOf`. */
    footprint: Footprint.optional(),
  })
  .readonly();
export type Change = z.output<typeof Change>;

/** What is known of a Run that was accepted, whatever its end. */
const accepted = {
  /** What the cluster warned of when it accepted the request. */
  warnings: z.array(Redacted).readonly().optional(),
  /** The revision that it found right before it was sent, and whether that was ready. */
  over: z.object({ revision: z.number(), isReady: z.boolean() }).readonly().optional(),
};

/**
 * How a Run ended. Accepted and took effect are different outcomes.
 * - `done`: the workload was read back and is as requested. `alsoMoved` lists other fields that changed meanwhile.
 * - `asked`: accepted, but reading back doesn't show it yet. With `unseen` it never will: the API doesn't report that.
 * - `failed`: refused, never sent, or without effect.
 * - `unknown`: the request may have reached the service, but no answer came. It is never resent automatically.
 */
export const Outcome = z.discriminatedUnion("kind", [
  z
    .object({ kind: z.literal("done"), after: Snapshot, alsoMoved: z.array(z.string()).readonly(), ...accepted })
    .readonly(),
  z
    .object({ kind: z.literal("asked"), after: Snapshot, why: z.string(), unseen: z.string().optional(), ...accepted })
    .readonly(),
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
