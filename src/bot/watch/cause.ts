import type { Job, Service } from "../../api/answers.ts";
import { imageOf } from "../../api/image.ts";
import { endWords, jobStatus, serviceStatus, type WorkloadStatus } from "../../api/workload-status.ts";
import type { LastState } from "../../api/workload-shapes.ts";
import type { Cause, Seen } from "./incident.ts";

/** State of a service, to compare the next poll with. Pure. */
export function seenService(service: Service): Seen {
  const { name, uid, restarts, restart_count: count, ready_instances: ready, target_instance_size: size } = service;
  const { last_state: last, revision } = service;
  const { message, ...status } = rolledOut(service);
  const images = imagesOf(service.containers);
  const texts = [message, service.status, restarts?.last_reason, last?.reason];
  const cause = causeOf({ name, status, texts, last, isJob: false });
  return {
    kind: "service",
    name,
    uid,
    level: status.level,
    words: status.words,
    reason: status.reason ?? (cause === "out-of-memory" ? endWords(last) : undefined),
    cause,
    shared: sharedOf(cause, { message, images }),
    restarts: count ?? restarts?.count,
    ready,
    size,
    images,
    revision: revision === undefined ? undefined : String(revision),
  };
}

/** How a job is. Pure. */
export function seenJob(job: Job): Seen {
  const { metadata, message, last_state: last, restart_count: restarts } = job;
  const status = jobStatus(job);
  const images = imagesOf(job.spec?.template?.spec?.containers);
  const cause = causeOf({ name: metadata.name, status, texts: [message, last?.reason], last, isJob: true });
  return {
    kind: "job",
    name: metadata.name,
    uid: metadata.uid,
    level: status.level,
    words: status.words,
    reason: status.reason,
    cause,
    shared: sharedOf(cause, { message, images }),
    restarts,
    ready: undefined,
    size: undefined,
    images,
    revision: undefined,
  };
}

/** Characters of a text that are read: it comes from outside. */
const LONGEST = 2_000;

type Observed = {
  readonly name: string;
  readonly status: WorkloadStatus;
  readonly texts: readonly (string | undefined)[];
  readonly last: LastState;
  readonly isJob: boolean;
};

// Words of Kubernetes, of Docker and of our own engines. A text only names the class; whether it is unwell says its status.
const IMAGE =
  /ImagePull|ErrImage|InvalidImageName|ImageInspectError|RegistryUnavailable|pull access denied|manifest unknown|(?:pull|find|get)\w* (?:the |its )?image|no such image|image\b.*\b(?:not found|doesn't exist|unknown)/iu;
const UNSCHEDULABLE =
  /unschedulable|FailedScheduling|nodes are available|insufficient (?:cpu|memory|ephemeral)|no node|didn't match Pod's node/iu;
const OUT_OF_MEMORY = /\bOOM|out of memory/iu;
const PROBE = /\bprobe\b|unhealthy/iu;
const CRASH_LOOP = /CrashLoop|back-?off restarting|restarting failed container/iu;

/** Undefined while it is well, and while it is only on its way. What a service doesn't report is no cause. */
function causeOf({ name, status, texts, last, isJob }: Observed): Cause | undefined {
  const { level, isRestarting = false } = status;
  if (level === "healthy" || level === "idle") return undefined;
  const text = withoutNames(texts.flatMap((each) => each?.slice(0, LONGEST) ?? []).join(" "), name);
  const isFailing = level === "failing";
  if (isJob && isFailing) return "job-failed";
  if (IMAGE.test(text)) return "image";
  if (UNSCHEDULABLE.test(text)) return "unschedulable";
  const hasEnded = last !== undefined || isRestarting || isFailing;
  if (hasEnded && OUT_OF_MEMORY.test(text)) return "out-of-memory";
  // A job that is tried again is on its way: it fails when its last attempt does.
  if (isJob) return undefined;
  if (isRestarting || CRASH_LOOP.test(text)) return PROBE.test(text) ? "probe" : "crash-loop";
  if (!isFailing) return undefined;
  return PROBE.test(text) ? "probe" : "failing";
}

/**
 * Removes the names of its instances: "probe-0 exited" says nothing about a probe. The workload's own name only after a
 * quote, `=` or `/`, because elsewhere it may be an ordinary word.
 */
function withoutNames(text: string, name: string): string {
  return text.replaceAll(/(["'=/“]?)([\w.-]+)/gu, (all: string, before: string, word: string) =>
    word.startsWith(`${name}-`) || (word === name && before !== "") ? " " : all,
  );
}

/** A version that doesn't get ready is a failure, also while an old one still serves. How one restarts says more. */
function rolledOut(service: Service): WorkloadStatus & { readonly message: string | undefined } {
  const status = serviceStatus(service);
  const { rollout, message } = service;
  if (rollout?.state !== "stuck") return { ...status, message };
  const isFirst = rollout.from === undefined && (rollout.old_ready ?? 0) === 0;
  if (isFirst && status.isRestarting === true) return { ...status, level: "failing", message };
  const reason = rollout.message ?? status.reason;
  const words = isFirst ? "doesn't get ready" : "the new version doesn't get ready";
  return { ...status, level: "failing", words, message: reason, ...(reason !== undefined && { reason }) };
}

type Facts = { readonly message: string | undefined; readonly images: readonly string[] | undefined };

/** What fails for others at the same time: the registry of an image, a node. */
function sharedOf(cause: Cause | undefined, { message, images }: Facts): string | undefined {
  if (cause === "image") {
    const named = images?.find((image) => message?.includes(image)) ?? images?.[0] ?? imageIn(message);
    return named === undefined ? undefined : registryOf(named);
  }
  const node = /\bnode "?([a-z0-9][a-z0-9.-]{0,62})"?/iu.exec(message?.slice(0, LONGEST) ?? "")?.[1];
  return cause === undefined || node === undefined || /^(?:is|was|has|that)$/iu.test(node) ? undefined : `node ${node}`;
}

function imageIn(message: string | undefined): string | undefined {
  return /\bimage "?([\w.-]+(?::\d+)?\/[\w./-]+(?::[\w.-]+)?)/iu.exec(message?.slice(0, LONGEST) ?? "")?.[1];
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
