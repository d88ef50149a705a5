import type { Evidence } from "../../../../../src/service/engines/kubernetes/read/evidence.ts";
import { findServices, type FoundService } from "../../../../../src/service/engines/kubernetes/read/services.ts";
import { regionWith, type Sent } from "./known-objects.ts";

/** The status of the only service at a time of the day on which it was created, given as `12:30:00`. */
export function statusAt(time: string, ...sent: readonly Sent[]): FoundService["status"] | undefined {
  return statusBy({ now: new Date(at(time)) }, ...sent);
}

/** The same by what else is known. */
export function statusBy(evidence: Evidence, ...sent: readonly Sent[]): FoundService["status"] | undefined {
  const [found] = findServices(regionWith(sent), { namespaces: ["team"], username: "dana", ...evidence });
  return found?.status;
}

export function at(time: string): string {
  return `2026-11-22T${time}Z`;
}

/** The status of a pod that isn't ready since this time. */
export function notReady(since: string) {
  return { conditions: [{ type: "Ready", status: "False", lastTransitionTime: at(since) }] };
}

/** The state of a container that ran from one time to another. */
export function ended(from: string, to: string, exitCode = 1) {
  const reason = exitCode === 0 ? "Completed" : "Error";
  return { terminated: { exitCode, reason, startedAt: at(from), finishedAt: at(to) } };
}

/** A Deployment's status without pods. */
export const noPods = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 };
