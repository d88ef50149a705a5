import { z } from "zod";
import { type Cause, causes } from "../../api/cause.ts";
import { jobStatus, levels, serviceStatus, type WorkloadStatus } from "../../api/workload-status.ts";
import { optional } from "../optional.ts";
import type { WatchedEvent } from "./watch.ts";
import type { Job, Service } from "../../api/answers.ts";
import { imageOf } from "../../api/image.ts";

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

/** Something that happened to a workload and is no incident. */
export type NoticedEvent = {
  /** A username. */
  readonly account: string;
  readonly region: string;
  readonly kind: "service" | "job";
  readonly name: string;
  readonly event: WatchedEvent;
  /** "image app:1 → app:2". */
  readonly words: string;
  readonly level: Seen["level"];
  readonly at: Date;
  /** Not polled between then and `at`. */
  readonly unseenSince: Date | undefined;
};

/** Incidents and events that share a message. */
export type Alert = {
  readonly id: string;
  readonly teamId: string;
  readonly createdAt: Date;
  readonly incidents: readonly Incident[];
  readonly events: readonly (NoticedEvent & { readonly id: string })[];
  readonly taken: Taken | undefined;
};

type Somebody = { readonly userId: string; readonly name: string };

/** Who is on it. */
export type Taken = Somebody & {
  readonly at: Date;
  /** Who was on it before. */
  readonly from: Somebody | undefined;
  /** That person handed it over; otherwise this one took it. */
  readonly isHanded: boolean;
};

/** State of a service, to compare the next poll with. Pure. */
export function seenService(service: Service): Seen {
  const { name, uid, restarts, restart_count: count, ready_instances: ready, target_instance_size: size } = service;
  const { revision, message, rollout } = service;
  const status = serviceStatus(service);
  const images = imagesOf(service.containers);
  const texts = [message, rollout?.message].filter((text) => text !== undefined);
  return {
    kind: "service",
    name,
    uid,
    ...statusOf(status),
    shared: sharedOf(status.cause, { message: texts.join(" "), images }),
    restarts: count ?? restarts?.count,
    ready,
    size,
    ...(service.size_set_by !== undefined && { isAutoscaled: true }),
    images,
    revision: revision === undefined ? undefined : String(revision),
  };
}

/** It is rolled out while its old instances serve, as many as a rollout of Kubernetes keeps. Pure. */
export function isCarried(service: Service): boolean {
  const { rollout, ready_instances: ready = 0, target_instance_size: size = 0 } = service;
  const isRolling = rollout?.state === "progressing" || rollout?.state === "stuck";
  return isRolling && (rollout.old_ready ?? 0) > 0 && ready >= size - Math.floor(size / 4);
}

/** How a job is. Pure. */
export function seenJob(job: Job): Seen {
  const { metadata, message = "", restart_count: restarts } = job;
  const status = jobStatus(job);
  const images = imagesOf(job.spec?.template?.spec?.containers);
  return {
    kind: "job",
    name: metadata.name,
    uid: metadata.uid,
    ...statusOf(status),
    shared: sharedOf(status.cause, { message, images }),
    restarts,
    ready: undefined,
    size: undefined,
    images,
    revision: undefined,
  };
}

function statusOf({
  level,
  words,
  facts,
  reason,
  cause,
}: WorkloadStatus): Pick<Seen, "level" | "words" | "facts" | "reason" | "cause"> {
  return { level, words, facts, reason, cause };
}

/** Characters of a text that are read: it comes from outside. */
const LONGEST = 2_000;

type Facts = { readonly message: string; readonly images: readonly string[] | undefined };

/** What fails for others at the same time: the registry of an image, a node. */
function sharedOf(cause: Cause | undefined, { message, images }: Facts): string | undefined {
  if (cause === "image") {
    const named = images?.find((image) => message.includes(image)) ?? images?.[0] ?? imageIn(message);
    return named === undefined ? undefined : registryOf(named);
  }
  const node = /\bnode "?([a-z0-9][a-z0-9.-]{0,62})"?/iu.exec(message.slice(0, LONGEST))?.[1];
  return cause === undefined || node === undefined || /^(?:is|was|has|that)$/iu.test(node) ? undefined : `node ${node}`;
}

function imageIn(message: string): string | undefined {
  return /\bimage "?([\w.-]+(?::\d+)?\/[\w./-]+(?::[\w.-]+)?)/iu.exec(message.slice(0, LONGEST))?.[1];
}

/** As Docker reads a reference: a first part with a dot or a port is a host. */
function registryOf(image: string): string {
  const [first = "", ...rest] = imageOf(image).repository.split("/");
  return rest.length > 0 && /[.:]|^localhost$/u.test(first) ? first : "docker.io";
}

const MOST_IMAGES = 20;

function imagesOf(
  containers: readonly { readonly image?: string | undefined }[] | undefined,
): readonly string[] | undefined {
  const images = (containers ?? []).flatMap(({ image }) => (image === undefined ? [] : [image.slice(0, 300)]));
  return images.length === 0 ? undefined : images.slice(0, MOST_IMAGES);
}
