import { randomUUID } from "node:crypto";
import { Refusal } from "../../../engine.ts";
import { annotations } from "../names.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { findCronJob } from "../read/jobs/find-cron-jobs.ts";
import { notFound } from "../read/place.ts";
import { newNotesOf, type Target } from "./target.ts";

/** The Job for a run of a CronJob that somebody asked for, and the id of the request, which it carries. */
export function manualRun(target: Target, from: string): { readonly body: object; readonly request: string } {
  const { region, reading, name } = target;
  const found = findCronJob(region, { ...reading, name: from });
  if (!found) {
    const [unread = ""] = reading.namespaces.flatMap((namespace) => region.cacheOf(namespace).unread(["CronJob"]));
    throw notFound(target, `no CronJob is named ${from}: check the name. Nothing was changed. ${unread}`.trim());
  }
  const { metadata } = found.object;
  if (metadata.deletionTimestamp !== undefined) {
    throw new Refusal(409, `CronJob ${from} is being deleted. Nothing was changed.`);
  }
  const request = randomUUID();
  const apiVersion = region.api.apiVersion("CronJob");
  return { body: manualJob(found.object, { name, request, notes: newNotesOf(target), apiVersion }), request };
}

type Run = {
  readonly name: string;
  readonly request: string;
  /** Further annotations. */
  readonly notes?: Readonly<Record<string, string>>;
  readonly apiVersion: string;
};

/**
 * As `kubectl create job --from` makes it, without apiVersion and kind. The CronJob's history limits count it, and its owner
 * reference doesn't block the deletion of the CronJob, which would need another right:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/staging/src/k8s.io/kubectl/pkg/cmd/create/create_job.go
 */
export function manualJob(
  { metadata, spec }: KubeObject<"CronJob">,
  { name, request, notes, apiVersion }: Run,
): object {
  const { jobTemplate } = spec;
  const owner = { apiVersion, kind: "CronJob", name: metadata.name, uid: metadata.uid, controller: true };
  return {
    metadata: {
      name,
      labels: jobTemplate.metadata?.labels ?? {},
      annotations: {
        ...jobTemplate.metadata?.annotations,
        "cronjob.kubernetes.io/instantiate": "manual",
        [annotations.request]: request,
        ...notes,
      },
      ownerReferences: [owner],
    },
    spec: jobTemplate.spec,
  };
}
