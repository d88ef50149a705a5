import { forEachInTurns } from "../../platform/turns.ts";
import type { Incident, IncidentCause, Kept, LastChange, Seen } from "./incident.ts";
import type { WatchedEvent } from "./watch.ts";

/** It is the same incident when it comes back within this time. */
export const FLAPPING_MS = 10 * 60_000;

/** A list of one kind in one region, and the state before it. */
export type ListPoll = {
  readonly teamId: string;
  readonly account: string;
  readonly region: string;
  readonly kind: "service" | "job";
  readonly now: Date;
  /** By name; undefined in the very first poll. */
  readonly before: ReadonlyMap<string, Kept> | undefined;
  /** Incidents of this list that last, or ended within `FLAPPING_MS`. */
  readonly incidents: readonly Incident[];
  readonly seen: readonly Seen[];
  /** False: the workload API left something out, so what is missing may still be there. */
  readonly isComplete: boolean;
  /** Not polled since then; undefined when the last poll was a moment ago. */
  readonly unseenSince: Date | undefined;
  readonly newId: () => string;
};

/** `seen`: it goes on, and has changed. */
export type IncidentNews = "began" | "again" | "over" | "seen";
export type IncidentUpdate = { readonly incident: Incident; readonly news: IncidentNews };

/** What happened to a workload that is no incident. */
export type Happened = {
  readonly event: Exclude<WatchedEvent, "failing" | "recovered" | "job-failed">;
  readonly seen: Seen;
  /** "image app:1 → app:2". */
  readonly words: string;
};

export type Comparison = {
  /** To be kept. */
  readonly changed: readonly Kept[];
  /** Names of workloads that are gone. */
  readonly gone: readonly string[];
  readonly incidents: readonly IncidentUpdate[];
  readonly happened: readonly Happened[];
};

/** Compares a poll with the one before, in turns, because a list can have thousands. Pure. */
export async function compare(poll: ListPoll): Promise<Comparison> {
  const { before, seen, isComplete } = poll;
  const changed: Kept[] = [];
  const happened: Happened[] = [];
  const updates: IncidentUpdate[] = [];
  const known = new Map(poll.incidents.map((incident) => [incident.name ?? "", incident]));
  const names = new Set<string>();
  await forEachInTurns(seen, (found) => {
    if (names.has(found.name)) return;
    names.add(found.name);
    const old = before?.get(found.name);
    const now = withImagesOf(old?.seen, found);
    if (old !== undefined && isSame(old.seen, now)) return;
    const events = before === undefined ? [] : happenedTo(old?.seen, now);
    const change = changeIn(poll, events) ?? old?.change;
    const own = updatesOf(poll, known.get(now.name), { seen: now, change });
    changed.push({ seen: now, change });
    updates.push(...own);
    happened.push(...events.filter((each) => !isReportedBy(own, each)));
  });
  if (!isComplete || before === undefined) return { changed, gone: [], incidents: updates, happened };
  const gone = [...before.keys()].filter((name) => !names.has(name));
  for (const name of gone) {
    const incident = known.get(name);
    if (incident !== undefined && incident.overAt === undefined) updates.push(over(poll, incident, "deleted"));
    const last = before.get(name);
    if (last !== undefined) happened.push({ event: "changed", seen: last.seen, words: "was deleted" });
  }
  return { changed, gone, incidents: updates, happened };
}

/** A long list lacks the images: what isn't reported now is as it was reported last. */
function withImagesOf(before: Seen | undefined, now: Seen): Seen {
  return now.images === undefined && before?.images !== undefined ? { ...now, images: before.images } : now;
}

function changeIn({ now }: ListPoll, events: readonly Happened[]): LastChange | undefined {
  const words = events.filter(({ event }) => event === "deployed" || event === "changed").map((each) => each.words);
  return words.length === 0 ? undefined : { at: now.toISOString(), words: words.join(", ") };
}

/** Restarts that an incident reports are no event of their own. */
function isReportedBy(updates: readonly IncidentUpdate[], { event }: Happened): boolean {
  return event === "restarts" && updates.some(({ incident, news }) => news !== "over" && incident.overAt === undefined);
}

/** What the workload API does instead of listing: "doesn't answer", and why as a sentence. */
export type ListProblem = { readonly words: string; readonly sentence: string };

/**
 * The list can't be read, because of `problem`, or can again: an incident of its own, while those of workloads stay as they
 * were seen last. Pure.
 */
export function compareAnswer(
  poll: Omit<ListPoll, "before" | "seen" | "isComplete">,
  problem: ListProblem | undefined,
): readonly IncidentUpdate[] {
  const last = poll.incidents.findLast(({ cause, end }) => cause === "api-away" && end !== "restored");
  if (problem === undefined)
    return last !== undefined && last.overAt === undefined ? [over(poll, last, "recovered")] : [];
  const { words, sentence: reason } = problem;
  const seen = { ...unread, kind: poll.kind, words, reason };
  if (last !== undefined) {
    if (last.overAt !== undefined) return [again(last, seen)];
    return last.seen?.words === words ? [] : [{ incident: { ...last, seen }, news: "seen" }];
  }
  const { incident, news } = began(poll, { cause: "api-away", kept: undefined });
  return [{ incident: { ...incident, seen }, news }];
}

const unread: Omit<Seen, "kind" | "words" | "reason"> = {
  name: "",
  uid: undefined,
  level: "failing",
  facts: undefined,
  cause: undefined,
  shared: undefined,
  restarts: undefined,
  ready: undefined,
  size: undefined,
  images: undefined,
  revision: undefined,
};

const HOUR_MS = 60 * 60_000;

type Where = Pick<ListPoll, "teamId" | "account" | "region" | "kind" | "now" | "unseenSince" | "newId">;

function updatesOf(poll: ListPoll, known: Incident | undefined, kept: Kept): IncidentUpdate[] {
  const { seen } = kept;
  const isLasting = known !== undefined && known.overAt === undefined;
  const isOther = isLasting && known.seen?.uid !== undefined && seen.uid !== undefined && known.seen.uid !== seen.uid;
  const ended = isOther ? [over(poll, known, "replaced")] : [];
  const { cause } = seen;
  if (cause === undefined) {
    if (!isLasting || isOther) return ended;
    const end = endOf(known, seen);
    return end === undefined ? changedIn(known, asVersionOf(known, seen), known.cause) : [over(poll, known, end)];
  }
  if (isLasting && !isOther) return changedIn(known, seen, causeNow(known, { seen, cause }));
  const mayReturn =
    known !== undefined && !isOther && isAkin(known.cause, cause) && known.end !== "restored" && isRecent(poll, known);
  return [...ended, mayReturn ? again(known, seen) : began(poll, { cause, kept })];
}

/** How it ended; undefined while it is only on its way. */
function endOf({ cause }: Incident, { kind, level, words }: Seen): "recovered" | "stopped" | "idle" | undefined {
  if (level === "idle" && words.startsWith("idle")) return "idle";
  if (level === "idle") return kind === "service" || words === "suspended" ? "stopped" : "recovered";
  // A schedule whose last run failed has not got over it before a run is complete.
  return level === "healthy" && cause !== "job-failed" ? "recovered" : undefined;
}

/** How instances end, or don't get ready: what flaps shows now this one and now that. */
const ofRunning: ReadonlySet<IncidentCause> = new Set(["out-of-memory", "probe", "crash-loop", "stuck", "failing"]);

function isAkin(before: IncidentCause, now: IncidentCause): boolean {
  return before === now || (ofRunning.has(before) && ofRunning.has(now));
}

/** Another version fails for reasons of its own: its cause replaces the one before. */
function causeNow(
  known: Incident,
  { seen, cause }: { readonly seen: Seen; readonly cause: IncidentCause },
): IncidentCause {
  const isOther = known.seen !== undefined && versionWords(known.seen, seen) !== undefined;
  return isOther ? cause : moreTelling(known.cause, cause);
}

/** Keeps the version that failed while another one starts, so that `causeNow` sees when the new one fails. */
function asVersionOf({ seen: before }: Incident, seen: Seen): Seen {
  return before === undefined ? seen : { ...seen, images: before.images, revision: before.revision };
}

/** A workload has one incident at a time: its cause becomes clearer, and a restart in between doesn't blur it. */
function moreTelling(before: IncidentCause, now: IncidentCause): IncidentCause {
  if (now === "failing" || now === "stuck" || (now === "crash-loop" && before === "out-of-memory")) return before;
  return now;
}

function isRecent({ now }: Pick<ListPoll, "now">, { overAt }: Incident): boolean {
  return overAt !== undefined && now.getTime() - overAt.getTime() <= FLAPPING_MS;
}

function changedIn(known: Incident, seen: Seen, cause: IncidentCause): IncidentUpdate[] {
  if (cause === known.cause && isSame(known.seen, seen)) return [];
  // Shared by cause: the registry of a failed pull says nothing about a crash.
  const shared = seen.shared ?? (cause === known.cause ? known.shared : undefined);
  return [{ incident: { ...known, cause, seen, shared }, news: "seen" }];
}

function began(
  { teamId, account, region, kind, now, unseenSince, newId }: Where,
  { cause, kept }: { readonly cause: IncidentCause; readonly kept: Kept | undefined },
): IncidentUpdate {
  const { seen, change } = kept ?? {};
  const isLate = change !== undefined && now.getTime() - Date.parse(change.at) > HOUR_MS;
  const incident: Incident = {
    id: newId(),
    teamId,
    account,
    region,
    kind,
    name: seen?.name,
    cause,
    shared: seen?.shared,
    openedAt: now,
    overAt: undefined,
    end: undefined,
    times: 1,
    seen,
    unseenSince,
    overUnseenSince: undefined,
    restartsBefore: seen?.restarts,
    changedBefore: isLate ? undefined : change,
  };
  return { incident, news: "began" };
}

function again(known: Incident, seen: Seen): IncidentUpdate {
  const back = { overAt: undefined, end: undefined, overUnseenSince: undefined, times: known.times + 1 };
  const cause = seen.cause === undefined ? known.cause : moreTelling(known.cause, seen.cause);
  return { incident: { ...known, ...back, cause, seen }, news: "again" };
}

function over({ now, unseenSince }: Where, known: Incident, end: NonNullable<Incident["end"]>): IncidentUpdate {
  return { incident: { ...known, overAt: now, end, overUnseenSince: unseenSince }, news: "over" };
}

function isSame(before: Seen | undefined, now: Seen): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now);
}

function happenedTo(before: Seen | undefined, now: Seen): Happened[] {
  const all: Happened[] = [];
  const add = (event: Happened["event"], words: string): void => void all.push({ event, seen: now, words });
  const isNew = before === undefined || isOtherUid(before, now);
  if (now.kind === "job") {
    const isDone = now.level === "idle" && now.words === "complete";
    if (isDone && (isNew || before.words !== "complete")) add("job-done", "is complete");
    if (isNew) add("changed", "was created");
    return all;
  }
  if (isNew) {
    add("changed", "was created");
    return all;
  }
  const restarts = (now.restarts ?? 0) - (before.restarts ?? 0);
  if (before.restarts !== undefined && restarts > 0) {
    // `restarts` doesn't count those that somebody requested.
    add("restarts", `crashed and restarted${restarts === 1 ? "" : ` ${restarts} times`}`);
  }
  const version = versionWords(before, now);
  if (version !== undefined) add("deployed", version);
  const isResized = differs(before.size, now.size) && now.isAutoscaled !== true && before.isAutoscaled !== true;
  const size = isResized ? `${before.size} → ${now.size} instances` : undefined;
  if (size !== undefined) add("changed", size);
  return all;
}

function isOtherUid(before: Seen, now: Seen): boolean {
  return before.uid !== undefined && now.uid !== undefined && before.uid !== now.uid;
}

function versionWords(before: Seen, now: Seen): string | undefined {
  const images = [before.images?.join(", "), now.images?.join(", ")] as const; // both as text
  if (differs(...images)) return `image ${images[0]} → ${images[1]}`;
  return differs(before.revision, now.revision) ? `version ${before.revision} → ${now.revision}` : undefined;
}

/** What isn't reported hasn't changed. */
function differs<Value>(before: Value | undefined, now: Value | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now;
}
