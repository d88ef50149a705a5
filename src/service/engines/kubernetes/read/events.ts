import type { Event as EventBody } from "../../../../api/schema.ts";
import { KubeError, missingRightOf } from "../cluster/kube-api.ts";
import type { Pod, Event } from "../cluster/kinds.ts";
import { lastAt } from "./evidence.ts";
import { shortened, podHealth } from "./pod-health.ts";
import type { Place } from "./place.ts";
import { restartCount } from "./restarts.ts";

type AskedEvents = {
  readonly workload: { readonly uid: string; readonly namespace: string };
  /** Of these, the ones that aren't well. */
  readonly pods: readonly Pod[];
};

export type ReadEvents = {
  readonly events: readonly EventBody[];
  /** Why some of them are missing, as a sentence. */
  readonly notRead: string | undefined;
};

const PATIENCE_MS = 1_000;
/** Pods of one workload fail alike. */
const PODS = 3;
/** Repeated ones are one event; a pod with more has the rest told by its newest. */
const PAGE = 100;
const TOLD = 10;
/** As long as Kubernetes keeps them by default. */
const RECENT_MS = 60 * 60_000;

/**
 * What the cluster reports of a workload: one request for it, and one for each of at most three unwell pods. Events aren't
 * watched, because a namespace has far more of them than anybody asks for. Never rejects.
 */
export async function readEvents(
  { region, reading, patience }: Place,
  { workload, pods }: AskedEvents,
): Promise<ReadEvents> {
  const within = patience(PATIENCE_MS);
  // The newest first: they are of the version that matters.
  const unwell = pods
    .filter((pod) => podHealth(pod, reading).state !== "ready" || restartCount([pod]) > 0)
    .toSorted((left, right) => created(right) - created(left))
    .slice(0, PODS);
  const answers = await Promise.allSettled(
    [workload, ...unwell.map(({ metadata }) => metadata)].map(async ({ uid, namespace }) => {
      const place = { kind: "Event", namespace } as const;
      const options = { fieldSelector: `involvedObject.uid=${uid}`, limit: PAGE };
      return (await region.api.list(place, options, within)).items;
    }),
  );
  const read = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const failed = answers.find((answer) => answer.status === "rejected");
  return { events: told(read, reading.now), notRead: failed && whyNot(failed.reason) };
}

function created({ metadata }: Pod): number {
  return Date.parse(metadata.creationTimestamp);
}

function whyNot(error: unknown): string {
  const cause = error instanceof KubeError ? error : undefined;
  if (cause?.isEarly === true) return "Events aren't shown: the cluster's API server has just come back.";
  const right = cause && missingRightOf(cause);
  if (right) return `Events aren't shown: Gantry's account may not ${right.verb} events. Add the verb to its Role.`;
  return "Events aren't shown: the cluster didn't answer in time.";
}

/** Normal events that say why a container or pod ended. */
const NOTABLE: ReadonlySet<string> = new Set(["Preempted", "TaintManagerEviction"]);

function isWorthShowing({ type, reason = "", message = "" }: Event): boolean {
  if (reason === "" || message === "") return false;
  if (type !== "Normal") return true;
  // "Container app failed liveness probe, will be restarted"
  return NOTABLE.has(reason) || (reason === "Killing" && /\bfailed \w+ probe\b/u.test(message));
}

function told(events: readonly Event[], now: Date): EventBody[] {
  const from = now.getTime() - RECENT_MS;
  const recent = events.filter((event) => isWorthShowing(event) && !(Date.parse(lastAt(event)) < from));
  const same = [...Map.groupBy(recent, ({ reason, message }) => `${reason} ${message}`).values()];
  return same
    .flatMap(bodyOf)
    .toSorted((left, right) => Date.parse(right.last_at ?? "") - Date.parse(left.last_at ?? ""))
    .slice(0, TOLD);
}

/** One of those that are the same but for the pod. */
function bodyOf(same: readonly Event[]): EventBody[] {
  const newest = same.toSorted((left, right) => Date.parse(lastAt(right)) - Date.parse(lastAt(left)))[0];
  if (!newest) return [];
  const { reason = "", message = "", involvedObject } = newest;
  const isOfOne = same.every((event) => event.involvedObject.uid === involvedObject.uid);
  return [
    {
      reason: shortened(reason),
      message: shortened(message),
      ...(isOfOne && involvedObject.name !== undefined && { object: involvedObject.name }),
      count: same.reduce((sum, event) => sum + (event.series?.count ?? event.count ?? 1), 0),
      last_at: new Date(lastAt(newest)).toISOString(),
    },
  ];
}

/** How a controller says that it can't make a pod, before the reason. */
const CREATING = /^(?:Error creating: |create Pod \S+ in StatefulSet \S+ failed error: )/u;

/** Why a workload has fewer pods than it should: a quota or a rule of the cluster. Only Deployments have a condition for it. */
export function creationFailure({ events }: Pick<ReadEvents, "events">): string | undefined {
  const failed = events.find(({ reason }) => reason === "FailedCreate");
  return failed && `can't create its instances: ${failed.message.replace(CREATING, "")}`;
}
