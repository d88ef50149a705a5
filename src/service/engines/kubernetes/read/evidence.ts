import type { KubeObject } from "../cluster/kinds.ts";
import type { Outage } from "../cluster/outages.ts";

/** Warnings about pods that are held up, by the uid of the pod. */
export type PodEvents = ReadonlyMap<string, readonly KubeObject<"Event">[]>;

/** What pods are judged by, beside the objects themselves. */
export type Evidence = {
  readonly now: Date;
  /** When the API server didn't answer: nobody could say then that a pod got ready. */
  readonly outages?: readonly Outage[];
  /** What is reported of pods that are held up. */
  readonly podEvents?: PodEvents;
};

/**
 * The time since then, without that in which the API server didn't answer: deadlines stand still meanwhile. NaN without a
 * time.
 */
export function ageMs(since: string | undefined, evidence: Pick<Evidence, "now" | "outages">): number {
  const from = Date.parse(since ?? "");
  return evidence.now.getTime() - from - awayMs(from, evidence);
}

/** For how long the API server hasn't answered since then. */
export function awayMs(from: number, { now, outages = [] }: Pick<Evidence, "now" | "outages">): number {
  const lengths = outages.map((outage) => {
    const end = Math.min(outage.until?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
    return Math.max(0, end - Math.max(from, outage.from.getTime()));
  });
  return lengths.reduce((sum, ms) => sum + ms, 0);
}

/** In the words of Go's network library, of registries, of containerd, CRI-O and Docker, and of webhooks of the cluster. */
const NO_ANSWER = [
  /\bi\/o timeout\b|TLS handshake timeout|\btimed out\b|context deadline exceeded|Client\.Timeout|code = (?:Unavailable|DeadlineExceeded)/iu,
  /connection (?:refused|reset)|broken pipe|no route to host|network is unreachable|transport is closing|\bEOF\b/iu,
  /no such host|server misbehaving|temporary failure in name resolution/iu,
  // "unexpected status code [manifests 1.0]: 503 Service Unavailable"
  /: (?:429|5\d\d) [A-Z]|toomanyrequests|too many requests/iu,
  // What a start that the container runtime didn't answer leaves behind.
  /failed to reserve (?:container|sandbox) name/iu,
] as const;

/** Whether a message says that something beside the workload didn't answer. That is no evidence against it. */
export function isNoAnswer(message: string | undefined): boolean {
  return message !== undefined && NO_ANSWER.some((words) => words.test(message));
}
