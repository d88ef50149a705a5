import type { WorkloadRef } from "../../changes/change.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import { partsOf, type StoredChange } from "../../changes/stored-change.ts";
import { readOr } from "../../errors.ts";
import { isUnconfirmed } from "../../views/kit/health.ts";
import { short } from "../../views/kit/request-words.ts";
import { age } from "../../views/kit/time.ts";
import type { VerbContext } from "../command.ts";
import { regionOf, type Target } from "../grammar/argument-types.ts";

const ROWS = 10;

/** The deletion that explains why there is no workload of this name, if history has one that this person may see. */
export async function deletionOf({ kind, name }: Target, context: VerbContext): Promise<HistoryEvent | undefined> {
  const { account, region, settings } = context;
  const events = await historyOf(context, { workload: { name, account: account.username }, limit: ROWS });
  const last = events.find(
    (event) =>
      event.kind === "done" &&
      (["service", "job"] as const).some(
        (each) =>
          (kind ?? each) === each && isAbout(event, { kind: each, name, region: regionOf(each, region, settings) }),
      ),
  );
  return last !== undefined && isDeletion(last) ? last : undefined;
}

/** Deletions since the oldest of these requests, in one read of history. */
export async function deletionsSince(
  changes: readonly StoredChange[],
  context: Pick<VerbContext, "records">,
): Promise<readonly HistoryEvent[]> {
  if (changes.length === 0) return [];
  const oldest = Math.min(...changes.map(({ createdAt }) => createdAt.getTime()));
  const events = await historyOf(context, { verbs: ["delete"], since: new Date(oldest), limit: MOST_DELETIONS });
  return events.filter(isDeletion);
}

const MOST_DELETIONS = 100;

/** The deletion of a workload that this request would change, if it came after the request. */
export function deletedSince(change: StoredChange, events: readonly HistoryEvent[]): HistoryEvent | undefined {
  if (change.op === "createService" || change.op === "createJob") return undefined;
  const workloads = partsOf(change).map(({ workload }) => workload);
  return events.find(
    (event) =>
      isDeletion(event) &&
      event.account === change.account.username &&
      event.at > change.createdAt &&
      workloads.some((workload) => isAbout(event, workload)),
  );
}

/** "web was deleted 5m ago by Dana Reyes". */
export function deletionText({ workload, request, at }: HistoryEvent, now: Date): string {
  const ago = age(at.toISOString(), now) ?? "0s";
  const by = request === undefined ? "" : ` by ${short(request.requester.name, 80)}`;
  return `${workload?.name ?? "It"} was deleted ${ago} ago${by}`;
}

function isDeletion(event: HistoryEvent): boolean {
  return event.kind === "done" && event.verb === "delete" && !isUnconfirmed(event);
}

function isAbout({ workload }: HistoryEvent, { kind, region, name }: Pick<WorkloadRef, "kind" | "region" | "name">) {
  return workload?.kind === kind && workload.region === region && workload.name === name;
}

/** Empty when history can't be read: the answer is useful without it. */
async function historyOf(
  { records }: Pick<VerbContext, "records">,
  query: Omit<Parameters<VerbContext["records"]["history"]>[0], "show">,
): Promise<readonly HistoryEvent[]> {
  return (await readOr(records.history({ ...query, show: "ended" }), undefined))?.events ?? [];
}
