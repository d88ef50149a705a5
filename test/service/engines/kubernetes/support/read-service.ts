import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { findJobs } from "../../../../../src/service/engines/kubernetes/read/jobs.ts";
import { findServices } from "../../../../../src/service/engines/kubernetes/read/services.ts";
import { readJob } from "../../../../../src/service/workloads/jobs/job-answer.ts";
import { readService } from "../../../../../src/service/workloads/services/service-answer.ts";
import { regionWith, type Sent } from "./known-objects.ts";

const reading = { namespaces: ["team"], username: "dana", now: new Date("2026-11-22T12:30:00Z") };

/** The answers for the services among these objects. */
export function servicesOf(sent: readonly Sent[], config: Partial<ClusterConfig> = {}) {
  return foundServices(sent, config).map(({ service, status }) => readService(service, status));
}

export function foundServices(sent: readonly Sent[], config: Partial<ClusterConfig> = {}) {
  return findServices(regionWith(sent, config), reading);
}

export function jobsOf(sent: readonly Sent[], config: Partial<ClusterConfig> = {}) {
  return findJobs(regionWith(sent, config), reading).map(({ job, around }) => readJob(job, around));
}
