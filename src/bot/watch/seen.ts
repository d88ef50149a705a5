import type { Job, Service } from "../../api/answers.ts";
import type { Cause } from "../../api/cause.ts";
import { imageOf } from "../../api/image.ts";
import { jobStatus, serviceStatus, type WorkloadStatus } from "../../api/workload-status.ts";
import type { Seen } from "./incident.ts";

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
