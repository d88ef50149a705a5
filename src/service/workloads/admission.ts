import { findImage } from "../engines/process/catalogue.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { Job } from "./state/job-store.ts";
import type { LiveService } from "./services/live-service.ts";
import { amountOf, type Amount } from "./quota.ts";
import type { Service } from "./state/service-store.ts";
import { Refusal } from "../engine.ts";

/**
 * Reserves the service's full size and returns a function that undoes it. Throws a `Refusal` when its image is unknown
 * or a quota of the user or the host doesn't allow it.
 */
export function admitService({ surface, ledger }: EngineParts, service: Service): () => void {
  const { running, deleting, definition } = service;
  const runs = running && !deleting;
  if (runs) for (const { image } of definition.containers) findImage(surface.catalogue, image);
  return ledger.reserve(service, serviceAmount(service, runs));
}

/** The same for a running job. */
export function admitJob({ surface, ledger }: EngineParts, job: Omit<Job, "version">): () => void {
  for (const { image } of job.definition.containers) findImage(surface.catalogue, image);
  return ledger.reserve(job, jobAmount(job, true));
}

/**
 * Keeps the reservation that a workload needs while it doesn't run. Checks nothing, because the workload exists
 * already.
 */
export function keepPlace({ ledger }: EngineParts, workload: Service | Job): void {
  ledger.keep(workload, "region" in workload ? serviceAmount(workload, false) : jobAmount(workload, false));
}

/** For the end of a job. One that was deleted before its program ended has no place any more. */
export function keepPlaceAtEnd(parts: EngineParts, job: Job): () => void {
  return () => {
    if (parts.jobs.has(job.uid)) keepPlace(parts, job);
  };
}

function serviceAmount({ definition }: Service, runs: boolean): Amount {
  return amountOf(definition.containers, runs ? definition.size : 0, definition.ports.length);
}

function jobAmount({ definition }: Pick<Job, "definition">, runs: boolean): Amount {
  return amountOf(definition.containers, runs ? 1 : 0, 0);
}

/** Starts a service, or holds it with the reason in its status when a quota doesn't allow it. */
export function runIfAdmitted(parts: EngineParts, live: LiveService): void {
  try {
    admitService(parts, live.service);
  } catch (error) {
    live.held = heldReason(error);
    keepPlace(parts, live.service);
    return;
  }
  live.held = undefined;
  live.runner.want(live.service, { activity: "Starting" });
}

/** Why a saved workload is not started, as a sentence. Rethrows errors other than a `Refusal`. */
export function heldReason(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return error.message.replace(" Nothing was changed.", "");
}
