import { findImage } from "./catalogue.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { Job } from "./job-store.ts";
import type { LiveService } from "./live-service.ts";
import { amountOf, type Amount } from "./quota.ts";
import type { Service } from "./service-store.ts";
import { Refusal } from "../engine.ts";

/**
 * Reserves what a service takes as it is meant to be, and returns how to take that back. Throws a `Refusal` when its
 * image is unknown or its user or this host may not run that much.
 */
export function admitService({ surface, ledger }: EngineParts, service: Service): () => void {
  const { running, deleting, definition } = service;
  const runs = running && !deleting;
  if (runs) for (const { image } of definition.containers) findImage(surface.catalogue, image);
  return ledger.reserve(service, serviceAmount(service, runs));
}

/** The same for a job that runs. */
export function admitJob({ surface, ledger }: EngineParts, job: Omit<Job, "version">): () => void {
  for (const { image } of job.definition.containers) findImage(surface.catalogue, image);
  return ledger.reserve(job, jobAmount(job, true));
}

/** What is left of the reservation while it does not run. It is there already, so nothing is checked. */
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

/** Lets a service run as it is meant to. One that may not is held, and its status says why. */
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

/** Why something saved is not started, as a sentence; anything but a refusal is thrown on. */
export function heldReason(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return error.message.replace(" Nothing was changed.", "");
}
