import { z } from "zod";
import { causes } from "../../api/cause.ts";
import { levels } from "../../api/workload-status.ts";
import { optional } from "../optional.ts";

/** What an incident is keyed by. `api-away`: the workload API doesn't answer. */
export const incidentCauses = [...causes, "api-away"] as const; // literal words
export type IncidentCause = (typeof incidentCauses)[number];

/** The stored state of a workload between two polls. Undefined: the workload API didn't report it. */
export const Seen = z
  .object({
    kind: z.enum(["service", "job"]),
    name: z.string(),
    uid: optional(z.string()),
    level: z.enum(levels),
    /** As every view words it. */
    words: z.string(),
    facts: optional(z.string()),
    reason: optional(z.string()),
    /** Why it isn't well; undefined while it is, and while it is only on its way. Older versions gave one to an API that doesn't answer. */
    cause: optional(z.enum(causes)).catch(undefined),
    /** What several workloads have in common when it fails for them at once: an image's registry, a node. */
    shared: optional(z.string()),
    restarts: optional(z.number()),
    ready: optional(z.number()),
    size: optional(z.number()),
    /** An autoscaler sets its size. */
    isAutoscaled: optional(z.boolean()).optional(),
    images: optional(z.array(z.string()).readonly()),
    revision: optional(z.string()),
  })
  .readonly();
export type Seen = z.output<typeof Seen>;

/** What changed about a workload, and when it was seen: "image app:1 → app:2". */
export const LastChange = z.object({ at: z.string(), words: z.string() }).readonly();
export type LastChange = z.output<typeof LastChange>;

/** A workload as it is kept, with the last change that was seen of it. */
export type Kept = { readonly seen: Seen; readonly change: LastChange | undefined };

/** How an incident ended. `stopped`: nothing runs any more, as somebody wanted; `idle`: as an autoscaler wanted; `replaced`: another workload has its name; `unwatched`: no longer polled; `restored`: Gantry was restored from a backup. */
export const incidentEnds = ["recovered", "stopped", "idle", "deleted", "replaced", "unwatched", "restored"] as const; // literal words

/** One thing that went wrong with one workload, from its begin to its end, however often it comes back in between. */
export type Incident = {
  readonly id: string;
  readonly teamId: string;
  readonly account: string;
  readonly region: string;
  /** Of `api-away`: the kind whose list can't be read. */
  readonly kind: "service" | "job";
  /** Undefined for `api-away`, which is about all of them. */
  readonly name: string | undefined;
  readonly cause: IncidentCause;
  readonly shared: string | undefined;
  readonly openedAt: Date;
  /** Undefined while it lasts. */
  readonly overAt: Date | undefined;
  readonly end: (typeof incidentEnds)[number] | undefined;
  /** How often it began: more than once when it flaps. */
  readonly times: number;
  /** Its last state while it lasted. */
  readonly seen: Seen | undefined;
  /** Not polled between then and the begin: it may have begun at any time in between. */
  readonly unseenSince: Date | undefined;
  /** Not polled between then and the end. */
  readonly overUnseenSince: Date | undefined;
  /** Restarts counted when it began. */
  readonly restartsBefore: number | undefined;
  /** What changed in the hour before it. */
  readonly changedBefore: LastChange | undefined;
};
