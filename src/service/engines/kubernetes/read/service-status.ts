import type { ServiceRollout, StatusWithReason } from "../../../workloads/services/service-answer.ts";
import type { ServiceState } from "../../../workloads/services/service-status.ts";
import { digestOf, sharedDigest } from "../../../../api/image.ts";
import type { Pod } from "../cluster/kinds.ts";
import { annotations } from "../names.ts";
import type { Autoscaler } from "./owner.ts";
import { ageMs, awayMs, type Evidence, isNoAnswer } from "./evidence.ts";
import { isStranded, type PodHealth, podHealth, READY_WITHIN_MS, wasReady } from "./pod-health.ts";
import { crashCount, lastStateOf, latestEnd, recentRestarts } from "./restarts.ts";
import {
  currentRevision,
  type KeptRevision,
  deploymentRevision,
  type Rollout,
  rolloutOf,
  type ServiceSource,
} from "./rollout.ts";

export type FoundStatus = StatusWithReason & { readonly state: ServiceState };

type Instance = PodHealth & { readonly pod: Pod };

/** How a service is looked at: `kept` are its revisions, if they were read. */
type Look = Evidence & {
  readonly kept?: readonly KeptRevision[] | undefined;
  readonly autoscaler: Autoscaler | undefined;
};

/**
 * The status of a service, with why it is unwell. One failing instance makes it `Failed`, as in every engine, even
 * where others still serve: `ready` tells how many do.
 */
export function serviceStatus(
  source: ServiceSource,
  pods: readonly Pod[],
  { kept, autoscaler, ...evidence }: Look,
): FoundStatus {
  const { deletionTimestamp } = source.object.metadata;
  const instances = pods.map((pod) => ({ pod, ...podHealth(pod, evidence) }));
  const rollout = rolloutOf(source);
  const ready = Math.min(instances.filter(({ state }) => state === "ready").length, rollout.wanted);
  const { minReadySeconds } = source.object.spec;
  const current = currentRevision(source, kept);
  const counts = {
    ready,
    ...(minReadySeconds !== undefined && { minReadySeconds }),
    ...crashesOf(instances, evidence.now),
    ...revisionsOf(source, rollout, { current, kept }),
    imageDigests: digestsOf(source, instances),
    instanceNames: instances
      .filter(({ state }) => state !== "ending" && state !== "over")
      .map(({ pod }) => pod.metadata.name),
  };
  if (deletionTimestamp !== undefined) return { state: "Deleting", since: deletionTimestamp, ...counts };
  const rest = restOf(source, autoscaler);
  if (rest === "idle" || rest === "stopped") {
    // An evicted pod stays as a record, so it is no instance that still stops.
    const isStopping = rollout.replicas > 0 || instances.some(({ state }) => state !== "over");
    if (isStopping) return { state: "Stopping", since: stoppedAt(source), ...counts };
    if (rest === "idle") return { state: "Idle", ...counts };
    const off = autoscaler && `${autoscaler.words} is off until the service is started`;
    return { state: "Stopped", since: stoppedAt(source), message: off, ...counts };
  }
  const updating = { rollout, instances, latest: latestOf({ rollout, instances, current }) };
  const { state, isOutside, ...why } = runState(updating, evidence);
  // Its instances run, but its address, routes or disks don't all exist yet.
  const isBeingMade = source.object.metadata.annotations[annotations.making] !== undefined;
  return {
    ...counts,
    ...why,
    state: state === "Running" && isBeingMade ? "Starting" : state,
    rollout: shownRollout(source, updating, { current, kept, judged: { state, isOutside, ...why } }),
  };
}

/** While an update goes on, instances of the old image are left out by the name in their own definition. */
function digestsOf({ object }: ServiceSource, instances: readonly Instance[]): (string | undefined)[] {
  const ready = instances.filter(({ state }) => state === "ready").map(({ pod }) => pod);
  const { containers, initContainers } = object.spec.template.spec;
  return [...containers, ...initContainers].map(({ name, image }) => {
    const running = ready.filter(({ spec }) =>
      [...spec.containers, ...spec.initContainers].some((each) => each.name === name && each.image === image),
    );
    const statuses = running.map(({ status }) =>
      [...status.containerStatuses, ...status.initContainerStatuses].find((each) => each.name === name),
    );
    return sharedDigest(statuses.map((found) => digestOf(image, [found?.imageID ?? ""])));
  });
}

type Known = { readonly current: KeptRevision | undefined; readonly kept: readonly KeptRevision[] | undefined };

function revisionsOf(source: ServiceSource, rollout: Rollout, { current, kept }: Known) {
  const number =
    current?.number ?? (source.kind === "Deployment" ? deploymentRevision(source.object.metadata) : undefined);
  const { isComplete, completeSince: endedAt } = rollout;
  const revisions = kept?.map(({ images, createdAt, ...revision }) => ({
    number: revision.number,
    images,
    createdAt,
    ...(isComplete && revision.number === number && { outcome: "done" as const, endedAt }),
  }));
  return { ...(number !== undefined && { revision: number }), ...(revisions && { revisions }) };
}

type Updating = {
  readonly rollout: Rollout;
  readonly instances: readonly Instance[];
  /** The version of its newest pods; undefined as long as there are none. */
  readonly latest: { readonly version: string | undefined } | undefined;
};

/** How instances are replaced, or were if the version before is still kept. */
function shownRollout(
  source: ServiceSource,
  { rollout, instances, latest }: Updating,
  { current, kept, judged: { state, isOutside, message } }: Known & { readonly judged: Judged },
): ServiceRollout | undefined {
  const { isObserved, isComplete, isReplacing, wanted, updated, hasNew, completeSince } = rollout;
  if (!isObserved || wanted === 0 || (!isComplete && !isReplacing)) return undefined;
  const { revision: to } = revisionsOf(source, rollout, { current, kept });
  const isNew = ({ pod }: Instance): boolean =>
    isComplete || (latest !== undefined && versionOf(pod) === latest.version);
  const ready = instances.filter((each) => each.state === "ready");
  const serving = new Set(isComplete ? [] : ready.map(({ pod }) => versionOf(pod)));
  // The revision before it may never have got ready either.
  const replaced =
    kept?.find(({ number, version }) => number !== to && serving.has(version)) ??
    kept?.find(({ number }) => to !== undefined && number < to);
  const from = replaced?.number;
  const fresh = ready.filter(isNew).length;
  const counts = { updated, ready: Math.min(fresh, updated), oldReady: ready.length - fresh, target: wanted };
  const isNewest =
    kept?.every(({ createdAt = "" }) => Date.parse(createdAt) <= Date.parse(current?.createdAt ?? "")) === true;
  const known = { from, to, ...(isNewest && { since: current?.createdAt }) };
  if (isComplete)
    return from === undefined ? undefined : { ...counts, ...known, state: "done", endedAt: completeSince };
  const isNamed = hasNew || !namesLate(source);
  const isStuck = state === "Failed" && isOutside !== true;
  return { ...counts, ...(isNamed && known), state: isStuck ? "stuck" : "progressing", message };
}

/** Whether its controller numbers a version only when it makes the first of its pods. */
function namesLate({ kind, object }: ServiceSource): boolean {
  return kind === "Deployment" && (object.spec.paused === true || object.spec.strategy?.type === "Recreate");
}

/**
 * Why a service has no instances; undefined when it should have some. `idle`: an autoscaler brings them back. `asked`: it
 * was asked to have none, which is not stopped, and counts only where no autoscaler sets the size. No node may match a
 * DaemonSet, which then runs as it should.
 */
export function restOf(
  { kind, object }: ServiceSource,
  autoscaler: Autoscaler | undefined,
): "idle" | "asked" | "stopped" | undefined {
  if (object.spec.replicas > 0 || kind === "DaemonSet") return undefined;
  if (autoscaler) return autoscaler.wakes ? "idle" : "stopped";
  return object.metadata.annotations[annotations.idle] === undefined ? "stopped" : "asked";
}

/** Nobody knows when somebody else stopped it. */
function stoppedAt({ object }: ServiceSource): string | undefined {
  const at = object.metadata.annotations[annotations.stoppedAt] ?? "";
  return Number.isNaN(Date.parse(at)) ? undefined : at;
}

/** Only of current instances. How a deleted one ends doesn't matter. */
function crashesOf(
  instances: readonly Instance[],
  now: Date,
): Pick<FoundStatus, "restartCount" | "lastState" | "restarts"> {
  const pods = instances.filter(({ state }) => state !== "ending" && state !== "over").map(({ pod }) => pod);
  const restarts = recentRestarts(pods, now);
  const end = latestEnd(pods);
  return {
    restartCount: crashCount(pods),
    lastState: end && lastStateOf(end),
    ...(restarts !== undefined && { restarts }),
  };
}

type Judged = Pick<FoundStatus, "state" | "message" | "since"> & Pick<PodHealth, "isOutside">;

function runState(updating: Updating, evidence: Evidence): Judged {
  const { rollout, instances } = updating;
  const failing = judged(updating).find(({ state }) => state === "failing");
  if (failing) return { state: "Failed", message: failing.reason, since: failing.since };
  const late = judged(updating).filter(({ state }) => state === "waiting");
  if (rollout.problem && !isExcused(rollout.problem, judged(updating), evidence)) {
    const { what, why, deadlineMs, since } = rollout.problem;
    const reason = deadlineMs === undefined ? undefined : late.find((each) => each.reason !== undefined)?.reason;
    return { state: "Failed", message: `${what}: ${reason ?? why}`, since };
  }
  const { isObserved, isUpdated, isAvailable } = rollout;
  if (isObserved && isUpdated && isAvailable) {
    return { state: "Running", since: times(instances.filter(({ state }) => state === "ready")).at(-1) };
  }
  const waiting = instances.filter(({ state }) => state === "waiting");
  const why = [...waiting, ...instances.filter(({ state }) => state === "over")];
  const reason = why.find((each) => each.reason !== undefined)?.reason;
  const outage = outageOf(rollout, instances, evidence);
  if (outage) {
    const { since, isOutside } = outage;
    return { state: "Failed", message: `no instance is ready: ${reason ?? outage.reason}`, since, isOutside };
  }
  const message =
    rollout.hold ?? reason ?? (rollout.problem?.deadlineMs === undefined ? rollout.problem?.why : undefined);
  return { state: isStarting(rollout, instances) ? "Starting" : "Updating", message, since: times(waiting).at(0) };
}

/** Whether what the controller gave up on says nothing about the new version, whose instances these are. */
function isExcused(
  { why, since = "", deadlineMs }: NonNullable<Rollout["problem"]>,
  instances: readonly Instance[],
  evidence: Evidence,
): boolean {
  // An admission webhook of the cluster, for example.
  if (deadlineMs === undefined) return isNoAnswer(why);
  const gaveUpAt = Date.parse(since);
  const hasBegun = ({ pod }: Instance): boolean =>
    pod.status.containerStatuses.some(({ restartCount, state }) => {
      const { startedAt } = state?.running ?? {};
      return restartCount === 0 && Date.parse(startedAt ?? "") >= gaveUpAt && ageMs(startedAt, evidence) < deadlineMs;
    });
  // The controller's own clock goes on while the API server is away.
  const isCutShort = evidence.now.getTime() - gaveUpAt < awayMs(gaveUpAt - deadlineMs, evidence);
  return isCutShort || instances.some((each) => each.isOutside === true || hasBegun(each));
}

/**
 * Nothing of a finished version is ready any more, for a minute. While an update goes on, its deadline judges. What was
 * never ready is a start: it may take its time.
 */
function outageOf(
  { isObserved, isUpdated, ready }: Rollout,
  instances: readonly Instance[],
  evidence: Evidence,
): { readonly since: string; readonly reason: string; readonly isOutside: boolean } | undefined {
  if (!isObserved || !isUpdated || ready > 0) return undefined;
  const fallen = instances.filter(({ pod, state }) => state === "waiting" && wasReady(pod));
  const stranded = instances.filter(({ pod }) => isStranded(pod, evidence));
  const since = times([...fallen, ...stranded.map(({ pod }) => ({ since: pod.metadata.deletionTimestamp }))]).at(-1);
  if (since === undefined || ageMs(since, evidence) <= READY_WITHIN_MS) return undefined;
  const [lost] = stranded;
  const reason = lost ? `the node of ${lost.pod.metadata.name} stopped reporting` : "nobody says why";
  return { since, reason, isOutside: fallen.every((each) => each.isOutside === true) };
}

/** Until an update is done, its new instances count: old ones that fail are being replaced. */
function judged({ rollout: { isObserved, isUpdated, hasNew }, instances, latest }: Updating): readonly Instance[] {
  if (!isObserved) return [];
  if (isUpdated || !hasNew || !latest) return instances;
  return instances.filter(({ pod }) => versionOf(pod) === latest.version);
}

type Latest = Pick<Updating, "rollout" | "instances"> & { readonly current: KeptRevision | undefined };

/** Without its revisions, that of the newest pod: only after going back, an older one may be the latest for a moment. */
function latestOf({ rollout, instances, current }: Latest): Updating["latest"] {
  if (!rollout.hasNew) return undefined;
  if (current) return current;
  const newest = instances.reduce<Instance | undefined>(
    (one, other) => (one && created(one) >= created(other) ? one : other),
    undefined,
  );
  return newest && { version: versionOf(newest.pod) };
}

function created({ pod }: Instance): number {
  return Date.parse(pod.metadata.creationTimestamp);
}

function versionOf({ metadata: { labels } }: Pod): string | undefined {
  return labels["pod-template-hash"] ?? labels["controller-revision-hash"];
}

/**
 * Nothing of it was ready yet since it was created or started; of a new one, some may be. An outage later is no start: it can
 * be restarted.
 */
function isStarting({ isSettled, isFirst, ready }: Rollout, instances: readonly Instance[]): boolean {
  const late = isFirst ? instances.filter(({ state }) => state === "waiting") : instances;
  return isSettled && (isFirst || ready === 0) && !late.some(({ pod, state }) => state !== "over" && wasReady(pod));
}

function times(instances: readonly Pick<Instance, "since">[]): string[] {
  const known = instances.map(({ since }) => since).filter((since) => since !== undefined);
  return known.toSorted((left, right) => Date.parse(left) - Date.parse(right));
}
