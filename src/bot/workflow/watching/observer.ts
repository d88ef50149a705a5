import { randomUUID } from "node:crypto";
import type { Job, Service } from "../../../api/answers.ts";
import { Problem } from "../../../api/problem.ts";
import { brief } from "../../../api/workload-status.ts";
import { boundedMap } from "../../../platform/bounded-map.ts";
import { mapInTurns } from "../../../platform/turns.ts";
import type { OpenAccount } from "../../accounts/resolve.ts";
import { listJobs, listServices } from "../../commands/lookup/directory.ts";
import { UserError } from "../../errors.ts";
import { isJob, type ReadInList, snapshotIn } from "../../changes/read-workload.ts";
import { isCarried, type Kept, type Seen, seenJob, seenService } from "../../watch/incident.ts";
import {
  compare,
  type Comparison,
  compareAnswer,
  FLAPPING_MS,
  type IncidentUpdate,
  type ListPoll,
  type ListProblem,
} from "../../watch/compare.ts";
import { countsAt, covers, isGap, placeOf, roundEveryMs } from "../../watch/due.ts";
import type { Watch } from "../../watch/watch.ts";
import { seekerOf } from "./notify.ts";
import type { Push } from "./push.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import type { NewNotice, Round, RoundResult } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";

type Observer = {
  readonly known: KnownLists;
  readonly push: Pick<Push, "listen">;
  /** Polls followed requests with the list. */
  readonly followWith: (deps: WorkflowParts, followed: readonly Due[], inList: ReadInList) => void;
};

/**
 * Polls one list for all watches of it, and stores the result in one transaction. Followed requests of the list are polled with it when
 * their workload changed, or when their next poll is due soon.
 */
export async function makeRound(
  deps: WorkflowParts,
  { known, push, followWith }: Observer,
  due: Due,
  signal: AbortSignal,
): Promise<DueEnd> {
  const { store, settings, clock } = deps;
  const round = await store.roundOf(due);
  if (round === undefined) return "done";
  const watches = await store.watchesOn(round, settings.jobsRegion);
  const account = await firstAccount(deps, watches);
  const began = clock.elapsedMs();
  const listed = account === undefined ? undefined : await list(deps, { round, account }, signal);
  if (signal.aborted) return { ms: 0, isFailure: round.failures > 0 };
  const tookMs = clock.elapsedMs() - began;
  const found = await foundBy(deps, { round, listed, known });
  const isRead = listed !== undefined && "seen" in listed;
  const failures = isRead ? 0 : round.failures + 1;
  const everyMs = roundEveryMs({ callsPerDay: settings.watchCallsPerDay, lists: round.lists, tookMs, failures });
  const result: RoundResult = {
    isRead,
    everyMs: Math.max(everyMs, listed?.retryAfterMs ?? 0),
    changed: found.changed,
    gone: found.gone,
    incidents: found.incidents.map(({ incident }) => incident),
    notices: await noticesOf(deps, { round, watches, found }),
  };
  if (isRead) {
    // Before the notices: a card that may tell an incident tells it first.
    const names = new Set(found.changed.map(({ seen }) => seen.name));
    const { taken } = await store.takeFollowed(round, { withinMs: SOON_MS, names });
    const { items } = listed;
    if (taken.length > 0) followWith(deps, taken, async (workload) => snapshotIn(items, workload));
  }
  if (!(await store.endRound(round, result))) return "ended";
  if (isRead) remember(known, round, found);
  await store.placeAfterRound();
  // Listening makes calls of its own, and makes rounds early.
  const mayListen = settings.watchCallsPerDay === undefined;
  if (isRead && mayListen && account !== undefined) push.listen(deps, round, account);
  return "ended";
}

/** Followed requests that are due by about the next round are polled with this one. */
const SOON_MS = 10_000;

/** The account with the name that is watched, opened by the first watch whose owner may still use it. */
async function firstAccount(deps: WorkflowParts, watches: readonly Watch[]): Promise<OpenAccount | undefined> {
  for (const watch of watches) {
    try {
      return await deps.accounts.reopen(watch.account, seekerOf(watch));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
  return undefined;
}

type Listed =
  | {
      readonly seen: readonly Seen[];
      /** Names of services that are rolled out while their old instances serve. */
      readonly carried: ReadonlySet<string>;
      readonly items: ReadonlyMap<string, Service | Job>;
      readonly isComplete: boolean;
      readonly retryAfterMs?: undefined;
    }
  /** `problem`: undefined when it only asks for patience, which is no failure. */
  | { readonly problem: ListProblem | undefined; readonly retryAfterMs: number };

type Opened = { readonly round: Round; readonly account: OpenAccount };

/** One call. Pickers, Home and suggestions use the same list. */
async function list(deps: WorkflowParts, { round, account }: Opened, signal: AbortSignal): Promise<Listed> {
  const { kind, region } = round;
  const { directory, settings } = deps;
  const asked = { api: deps.api.as(account), account, directory, settings, region, signal };
  try {
    const { items, skipped, unlisted } =
      kind === "service"
        ? await listServices(asked)
        : await listJobs({ ...asked, settings: { ...settings, jobsRegion: region } });
    const seen = await mapInTurns<Service | Job, Seen>(items, (item) =>
      shown(isJob(item) ? seenJob(item) : seenService(item)),
    );
    const carried = new Set(items.flatMap((item) => (!isJob(item) && isCarried(item) ? [item.name] : [])));
    const byName = new Map(items.map((item) => [isJob(item) ? item.metadata.name : item.name, item]));
    return { seen, carried, items: byName, isComplete: skipped === 0 && unlisted.length === 0 };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const retryAfterMs = Math.min((error.retryAfterSeconds ?? 0) * 1_000, LONGEST_WAIT_MS);
    const { kind: what, status, sentence } = error;
    // The first 429 may be about this minute only.
    const isPatience = what === "aborted" || (status === 429 && round.failures === 0);
    return { problem: isPatience ? undefined : { words: problemWords(status), sentence }, retryAfterMs };
  }
}

function problemWords(status: number | undefined): string {
  if (status === 429) return "takes no more calls";
  return status === 400 || status === 401 || status === 403 ? "refuses to list" : "doesn't answer";
}

const LONGEST_WAIT_MS = 60 * 60_000;
const LONGEST_REASON = 300;

function shown(seen: Seen): Seen {
  const { reason } = seen;
  return reason === undefined ? seen : { ...seen, reason: brief(reason, LONGEST_REASON) };
}

/** The workloads of the last lists, so that an unchanged list costs no read of the database. */
export type KnownLists = ReturnType<typeof createKnownLists>;

export function createKnownLists() {
  return boundedMap<string, { readonly version: number; readonly kept: ReadonlyMap<string, Kept> }>(MOST_LISTS);
}

const MOST_LISTS = 500;

function remember(known: KnownLists, round: Round, { changed, gone, before }: Found): void {
  const isOther = changed.length > 0 || gone.length > 0;
  const kept = new Map(before);
  for (const each of changed) kept.set(each.seen.name, each);
  for (const name of gone) kept.delete(name);
  known.set(round.due.key, { version: round.version + (isOther ? 1 : 0), kept });
}

type Found = Comparison & {
  readonly before: ReadonlyMap<string, Kept> | undefined;
  /** Incidents that were open before this poll and haven't changed. */
  readonly lasting: ListPoll["incidents"];
  readonly unseenSince: Date | undefined;
};

const nothing: Found = {
  changed: [],
  gone: [],
  incidents: [],
  happened: [],
  before: undefined,
  lasting: [],
  unseenSince: undefined,
};

type RoundFacts = { readonly round: Round; readonly listed: Listed | undefined; readonly known: KnownLists };

async function foundBy({ store }: WorkflowParts, { round, listed, known }: RoundFacts): Promise<Found> {
  const { teamId, account, region, kind, polledAt, at, everyMs } = round;
  if (listed === undefined) return nothing;
  const incidents = await store.incidentsOf(round, FLAPPING_MS);
  const poll = { teamId, account, region, kind, now: at, incidents, unseenSince: undefined, newId: randomUUID };
  if (!("seen" in listed)) {
    const { problem } = listed;
    if (problem === undefined) return nothing;
    const { words, sentence } = problem;
    return { ...nothing, incidents: compareAnswer(poll, { words, sentence: brief(sentence, LONGEST_REASON) }) };
  }
  const isUnseen = polledAt !== undefined && isGap(at.getTime() - polledAt.getTime(), everyMs);
  const unseenSince = isUnseen ? polledAt : undefined;
  const last = known.get(round.due.key);
  const kept = last?.version === round.version ? last.kept : await store.keptOf(round);
  const before = polledAt === undefined ? undefined : kept;
  const ofWorkloads = incidents.filter(({ cause }) => cause !== "api-away");
  const { isComplete } = listed;
  const seen = await withoutOwnRollouts(store, { round, listed, incidents: ofWorkloads });
  const found = await compare({ ...poll, incidents: ofWorkloads, unseenSince, before, seen, isComplete });
  const moved = new Set(found.incidents.map(({ incident }) => incident.id));
  const lasting = ofWorkloads.filter(({ id, overAt }) => overAt === undefined && !moved.has(id));
  return { ...found, incidents: [...compareAnswer(poll, undefined), ...found.incidents], before, lasting, unseenSince };
}

type OwnRollouts = {
  readonly round: Round;
  readonly listed: Exclude<Listed, { readonly problem: unknown }>;
  readonly incidents: ListPoll["incidents"];
};

/** A rollout that somebody requested here, and that the old instances carry, is told on its card: no incident begins. */
async function withoutOwnRollouts(
  store: Pick<WorkflowParts["store"], "changesAbout">,
  { round, listed: { seen, carried }, incidents }: OwnRollouts,
): Promise<readonly Seen[]> {
  const lasting = new Set(incidents.flatMap(({ name, overAt }) => (overAt === undefined ? [name] : [])));
  const doubtful = seen.flatMap(({ name, cause }) =>
    cause !== undefined && carried.has(name) && !lasting.has(name) ? [name] : [],
  );
  const changes = doubtful.length === 0 ? [] : await store.changesAbout(round, doubtful);
  const own = new Set(changes.map(({ change }) => change.workload.name));
  return own.size === 0 ? seen : seen.map((each) => (own.has(each.name) ? { ...each, cause: undefined } : each));
}

type Noticing = { readonly round: Round; readonly watches: readonly Watch[]; readonly found: Found };

/** The notices that this poll adds for each place. */
async function noticesOf({ settings }: WorkflowParts, { round, watches, found }: Noticing): Promise<NewNotice[]> {
  const { at, polledAt } = round;
  const { jobsRegion } = settings;
  const updates = found.incidents.filter(({ news }) => news !== "seen");
  // A watch that began during an incident gets a notice of it.
  const isNew = ({ createdAt }: Watch): boolean => polledAt !== undefined && createdAt > polledAt;
  const lasting: IncidentUpdate[] = watches.some(isNew)
    ? found.lasting.map((incident) => ({ incident, news: "seen" }))
    : [];
  const incidents = await mapInTurns([...updates, ...lasting], ({ incident, news }) => {
    const earliest = new Map<string, number>();
    for (const watch of watches) {
      const when = covers(watch, incident, jobsRegion) ? countsAt(watch, incident)?.getTime() : undefined;
      if (when !== undefined) earliest.set(placeOf(watch), Math.min(when, earliest.get(placeOf(watch)) ?? when));
    }
    return [...earliest].map(([place, when]) => {
      const countsAt = new Date(when);
      return { place, id: incident.id, event: undefined, countsAt, dueAt: countsAt, isOld: news === "seen" };
    });
  });
  const events = await mapInTurns(found.happened, ({ event, seen, words }) => {
    const { account, region, kind } = round;
    const about = { account, region, kind, name: seen.name };
    const places = watches
      .filter((watch) => watch.events.includes(event) && covers(watch, about, jobsRegion))
      .map(placeOf);
    const { level } = seen;
    const noticed = { ...about, event, words, level, at, unseenSince: found.unseenSince };
    return [...new Set(places)].map((place) => ({
      place,
      id: randomUUID(),
      event: noticed,
      countsAt: at,
      dueAt: at,
      isOld: false,
    }));
  });
  return [...incidents, ...events].flat();
}
