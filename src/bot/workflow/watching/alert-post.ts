import type { Redacted } from "../../../api/redacted.ts";
import { type Failing, failingLines, presentIn, type Reading, readWorkload } from "../../changes/read-workload.ts";
import type { WorkloadRef } from "../../changes/change.ts";
import { Problem } from "../../../api/problem.ts";
import type { HistoryEvent } from "../../changes/history-event.ts";
import { UserError } from "../../errors.ts";
import { findFailures } from "../../logs/failures.ts";
import { incidentCard } from "../../views/cards/incident-card.ts";
import type { IncidentCard } from "../../views/cards/incident-words.ts";
import { handedReply, lastLinesReply, newsReply } from "../../views/cards/incident-replies.ts";
import { messageFor, type Post } from "../../views/kit/post.ts";
import { truncate } from "../../views/kit/text.ts";
import type { Alert, Incident, NoticedEvent } from "../../watch/incident.ts";
import { createTurns } from "../../../platform/turns.ts";
import { covers, muteOf, placeOf, placeOfMute } from "../../watch/due.ts";
import type { Mute, Watch, WatchPlace } from "../../watch/watch.ts";
import type { CardHow, PostKind, Shown, StoredPost, ThreadSoFar } from "../posts.ts";
import type { WorkflowParts } from "../ports.ts";
import type { Profile } from "../stored.ts";
import { seekerOf } from "./notify.ts";
import { type Sight, sightOf, watchRights } from "./rights.ts";

/** What the readers of a place may see of an alert. */
export type AlertContent = {
  /** Incidents that they may no longer see are in it as unwatched, without their later state. */
  readonly alert: Alert;
  /** What they may see. */
  readonly incidents: readonly Incident[];
  /** Watches whose owners may see those in this place. */
  readonly watches: readonly Watch[];
  /** It holds back news of all that they may see; of several, the one that ends first. */
  readonly mute: Mute | undefined;
  /** Where its watches tell, and whether only one person sees the message. */
  readonly place: WatchPlace;
  readonly isDirect: boolean;
  /** Who gets it directly while this place takes no message: for each incident and event, one owner who may see it. */
  readonly instead: readonly string[];
  /** One of these owners may read requests and history, as full members may. */
  readonly readsHistory: boolean;
};

const HOUR_MS = 60 * 60_000;
const MOST_ROWS = 20;
const MOST_STEPS = 200;
/** History is kept for a day or more. */
const KEPT_MS = 24 * HOUR_MS;
/** An alert that ended longer ago than this isn't posted for the first time. */
const NEWS_FOR_MS = 24 * HOUR_MS;

export function alertPost(deps: WorkflowParts): PostKind {
  let lines: readonly Redacted[] | undefined;
  return async (post, key) => {
    const content = await readAlert(deps, post);
    if (typeof content === "string") return { kind: content };
    const one = onlyOne(content);
    const isOfLog = key === LINES || post.payload !== undefined;
    if (!isOfLog || one === undefined) return { kind: "shown", ...shownAlert(deps, content) };
    const readers = await logReaders(deps, content, one);
    if (readers.length === 0) return { kind: "shown", ...shownAlert(deps, content) };
    const logCause = logCauseOf(post, one);
    if (key !== LINES) return { kind: "shown", ...shownAlert(deps, content, { logCause }) };
    if (lines !== undefined) return { kind: "shown", ...shownAlert(deps, content, { logCause, lines }) };
    const gather = async (): Promise<void> => void (lines = await lastLines(deps, content.alert, one, readers));
    return { kind: "unread", gather };
  };
}

/** Key of the reply with the last lines of its log. */
const LINES = "lines";

/** Begins the keys of replies to people whom it was handed to. */
const HANDED = "handed";

/** How often the thread hears that an incident is over or back. */
const MOST_TOLD = 3;

/** What its readers may see of its log. */
type OfLog = {
  /** The error that its last lines report most, in few words. */
  readonly logCause?: string | undefined;
  readonly lines?: readonly Redacted[];
};

/** The alert as readers with this content see it. */
export function shownAlert(deps: WorkflowParts, content: AlertContent, { logCause, lines = [] }: OfLog = {}): Shown {
  const { createdAt, incidents, events, taken } = content.alert;
  return {
    listed: [...incidents, ...events].map(({ id }) => id),
    card: (how) => drawAlert(deps, { ...content, logCause }, how),
    instead: content.instead,
    kept: {
      lacks: (thread) => lackingReplies(content, thread),
      async reply(key) {
        if (key.startsWith(HANDED)) return taken?.isHanded === true ? handedReply(taken) : undefined;
        if (key !== LINES) return newsReply(content.incidents, key.startsWith("over") ? "over" : "again");
        const name = onlyOne(content)?.name;
        return name === undefined ? undefined : lastLinesReply(name, lines);
      },
      saysAfter: (key) => (key === LINES ? logPayload(content, lines, deps.clock.now()) : undefined),
      // A crash loop changes with every poll: update the card often at first, then less and less.
      restMs: Math.min(Math.max(2_000, (deps.clock.now().getTime() - createdAt.getTime()) / 20), 30_000),
    },
  };
}

async function drawAlert(
  deps: WorkflowParts,
  { alert, incidents, readsHistory, mute, place, isDirect, logCause }: AlertContent & Pick<OfLog, "logCause">,
  { isAgain }: CardHow,
): Promise<Post> {
  const [only, ...others] = alert.incidents;
  const isOne = others.length === 0 && only !== undefined && incidents.length === 1;
  const known = isOne && readsHistory ? await historyOf(deps, only) : NOTHING_KNOWN;
  const defaultRegion = deps.settings.region;
  const drawn = incidentCard({ alert, defaultRegion, ...known, logCause, mute, place, isDirect, isAgain });
  const [account, ...otherAccounts] = new Set(alert.incidents.map((incident) => incident.account));
  return account === undefined || otherAccounts.length > 0 ? drawn : messageFor(account, drawn);
}

function lackingReplies(content: AlertContent, { sentKeys, isShown, isNew }: ThreadSoFar): readonly string[] {
  const { incidents, watches } = content;
  const isMuted = content.mute !== undefined;
  const one = onlyOne(content);
  const { taken } = content.alert;
  const times = incidents.reduce((sum, each) => sum + each.times, 0);
  // A restore is no news of the workload.
  const isOver =
    incidents.length > 0 && incidents.every(({ overAt, end }) => overAt !== undefined && end !== "restored");
  // "It went well" is news when the card can't show it.
  const isWanted = !isShown || watches.some(({ events }) => events.includes("recovered"));
  // The card counts what comes and goes.
  const isFlapping = times > MOST_TOLD * incidents.length;
  const wasOver = sentKeys.some((key) => /^(?:unsure )?over\b/u.test(key));
  const wanted = [
    // Somebody asked for it, so a mute doesn't hold it back. In a direct message, others than that person would be told.
    ...(taken?.isHanded === true && !content.isDirect ? [`${HANDED} ${taken.at.getTime()}`] : []),
    ...(one?.name !== undefined && !isOver ? [LINES] : []),
    ...(isOver && isWanted && !isNew && !isMuted && !isFlapping ? [`over ${times}`] : []),
    ...(!isOver && one !== undefined && one.times > 1 && wasOver && !isMuted && !isFlapping ? [`again ${times}`] : []),
  ];
  return wanted.filter((key) => !sentKeys.includes(key));
}

function onlyOne({ alert, incidents }: AlertContent): Incident | undefined {
  return alert.incidents.length === 1 ? incidents[0] : undefined;
}

async function readAlert(deps: WorkflowParts, post: StoredPost): Promise<AlertContent | "unknown" | "nothing"> {
  const alert = await deps.store.alertOf({ id: post.key, teamId: post.teamId });
  if (alert === undefined) return "nothing";
  const now = deps.clock.now();
  const isPosted = post.card !== undefined;
  const isListed = (id: string): boolean => post.listed.includes(id);
  const readers = await readersOf(deps, post);
  const incidents: Incident[] = [];
  const shown: Incident[] = [];
  const watches = new Set<Watch>();
  const instead = new Set<string>();
  const { stepAside } = createTurns();
  for (const incident of alert.incidents) {
    await stepAside();
    const who = await readers((watch) => covers(watch, incident, deps.settings.jobsRegion), incident);
    if (who === "unknown") return "unknown";
    if (who.length > 0) incidents.push(incident);
    if (who.length > 0 || isListed(incident.id)) shown.push(who.length > 0 ? incident : unwatched(incident, now));
    for (const watch of who) watches.add(watch);
    for (const { owner } of who.slice(0, 1)) instead.add(owner.userId);
  }
  const events: Alert["events"][number][] = [];
  for (const event of alert.events) {
    const isAbout = (watch: Watch): boolean =>
      watch.events.includes(event.event) && covers(watch, event, deps.settings.jobsRegion);
    // What was said isn't taken back.
    const who = isListed(event.id) ? [] : await readers(isAbout, event);
    if (who === "unknown") return "unknown";
    if (isListed(event.id) || who.length > 0) events.push(event);
    for (const { owner } of who.slice(0, 1)) instead.add(owner.userId);
  }
  const isLate = !isPosted && events.length === 0 && shown.every((each) => isLongOver(each, now));
  if (isLate) return "nothing";
  const mute = await muteOfAll(deps, post, incidents);
  const readsHistory = await someMember(deps, [...watches]);
  return {
    alert: { ...alert, incidents: shown, events },
    incidents,
    watches: [...watches],
    mute,
    place: watchPlaceOf(post),
    isDirect: isPerson(post.place),
    instead: [...instead],
    readsHistory,
  };
}

async function someMember({ people }: WorkflowParts, watches: readonly Watch[]): Promise<boolean> {
  const hasMember = (profiles: readonly Profile[]): boolean => profiles.some(({ standing }) => standing === "member");
  const owners = await people.someProfiles(
    watches.map(({ owner }) => owner.userId),
    hasMember,
  );
  return hasMember([...owners.values()]);
}

function isLongOver({ overAt }: Incident, now: Date): boolean {
  return overAt !== undefined && now.getTime() - overAt.getTime() > NEWS_FOR_MS;
}

/** The incident as its readers see it after they have lost their permission. */
function unwatched(incident: Incident, now: Date): Incident {
  const { overAt = now } = incident;
  const nothing = { seen: undefined, restartsBefore: undefined, changedBefore: undefined, overUnseenSince: undefined };
  return { ...incident, ...nothing, overAt, end: "unwatched" };
}

type Readers = (
  isAbout: (watch: Watch) => boolean,
  subject: Incident | NoticedEvent,
) => Promise<readonly Watch[] | "unknown">;

/** Watches that tell of something in the place of a message, as far as their owners may see it there. */
async function readersOf(deps: WorkflowParts, { teamId, place, insteadOf }: StoredPost): Promise<Readers> {
  const watchPlace = insteadOf ?? place;
  const all = (await deps.store.watchesOf({ teamId, ownerId: watchPlace, place: watchPlace })).filter(
    (watch) => placeOf(watch) === watchPlace,
  );
  // Instead of the channel, a person reads it in their direct message: of their own watches, and as policy allows it there.
  const watches = insteadOf === undefined ? all : all.flatMap((watch) => inDirectMessage(watch, place));
  const sees: Sight = sightOf(deps, { endsLost: insteadOf === undefined });
  return async (isAbout, subject) => {
    const who: Watch[] = [];
    let isUnknown = false;
    for (const watch of watches.filter(isAbout)) {
      const answer = await sees(watch, subject);
      if (answer === true) who.push(watch);
      isUnknown ||= answer === "unknown";
    }
    return who.length === 0 && isUnknown ? "unknown" : who;
  };
}

function inDirectMessage(watch: Watch, userId: string): readonly Watch[] {
  return watch.owner.userId === userId ? [{ ...watch, place: { kind: "dm" } }] : [];
}

type Known = Pick<IncidentCard, "history" | "isHistoryWhole">;

const NOTHING_KNOWN: Known = { history: undefined, isHistoryWhole: false };

/** Requests about the workload since an hour before it failed, newest first, and whether that is all. */
async function historyOf({ store, clock }: WorkflowParts, incident: Incident): Promise<Known> {
  const { teamId, account, name, kind, region, openedAt, overAt } = incident;
  if (name === undefined) return NOTHING_KNOWN;
  const since = new Date(openedAt.getTime() - HOUR_MS);
  const about = { teamId, workload: { name, account }, since };
  const [rows, steps] = await Promise.all([
    store.history({ ...about, show: "ended", limit: MOST_ROWS }),
    store.history({ ...about, limit: MOST_STEPS }),
  ]);
  const isInTime = ({ workload, at }: HistoryEvent): boolean =>
    workload?.kind === kind && workload.region === region && (overAt === undefined || at <= overAt);
  const history = rows.filter(isInTime);
  const ended = new Set(history.map(({ changeId }) => changeId));
  // What is under way, or was when it ended, has no row of its end in that time.
  const areEnded = steps.filter(isInTime).every(({ kind, changeId }) => kind !== "claimed" || ended.has(changeId));
  const areAll = rows.length < MOST_ROWS && steps.length < MOST_STEPS;
  return { history, isHistoryWhole: areEnded && areAll && clock.now().getTime() - openedAt.getTime() < KEPT_MS };
}

async function muteOfAll(
  { store }: WorkflowParts,
  { teamId, place, insteadOf }: StoredPost,
  incidents: readonly Incident[],
): Promise<Mute | undefined> {
  const watchPlace = insteadOf ?? place;
  const mutes = (await store.mutesOf(teamId)).filter((mute) => placeOfMute(mute) === watchPlace);
  const open = incidents.filter(({ overAt }) => overAt === undefined);
  // What is over needs no mute beside what still fails.
  const own = (open.length > 0 ? open : incidents).map(({ name }) => muteOf(mutes, name));
  const held = own.filter((mute) => mute !== undefined);
  if (held.length < own.length) return undefined;
  return held.toSorted((one, other) => one.until.getTime() - other.until.getTime())[0];
}

function watchPlaceOf({ place, insteadOf = place }: StoredPost): WatchPlace {
  return isPerson(insteadOf) ? { kind: "dm" } : { kind: "channel", channelId: insteadOf };
}

function isPerson(place: string): boolean {
  return /^[UW]/u.test(place);
}

const WITHIN_MS = 8_000;
/** Characters of a cause that are kept. */
const CAUSE = 240;

/** Watches whose owner may read its log there. */
async function logReaders(
  deps: WorkflowParts,
  { watches }: AlertContent,
  { kind, region, name }: Incident,
): Promise<readonly Watch[]> {
  const readers: Watch[] = [];
  for (const watch of watches) {
    const rights = await watchRights(deps, watch);
    const mayRead = name !== undefined && rights.kind === "may" && (await rights.readsLog({ kind, region, name }));
    if (mayRead) readers.push(watch);
  }
  return readers;
}

/** The last lines of its log; none when it can't be read. */
async function lastLines(
  deps: WorkflowParts,
  { id }: Alert,
  incident: Incident,
  readers: readonly Watch[],
): Promise<readonly Redacted[]> {
  const { kind, region, name } = incident;
  if (name === undefined) return [];
  const workload = { kind, region, name, uid: undefined };
  const signal = deps.clock.limit(WITHIN_MS);
  for (const watch of readers) {
    try {
      const account = await deps.accounts.reopen(watch.account, seekerOf(watch));
      const api = deps.api.as(account);
      return await failingLines(
        workload,
        { ...(await currentInstances(deps, workload, { api, signal })), sentence: incident.seen?.reason },
        {
          api,
          signal,
          clock: deps.clock,
          logZone: deps.settings.logZone,
          redact: (lines) =>
            deps.logs.redact(lines, { account: account.username, workload, who: `alert ${id}`, api, signal }),
        },
      );
    } catch (error) {
      // Without them the card says what is known.
      if (!(error instanceof UserError) && !signal.aborted) throw error;
    }
  }
  return [];
}

/** The error that these lines report most, with how often the incident had begun by then; undefined when they report none. */
function logPayload(content: AlertContent, lines: readonly Redacted[], now: Date): string | undefined {
  const nowMs = now.getTime();
  const [worst] = findFailures({
    lines: lines.map((text) => ({ text })),
    mayHaveOlder: true,
    nowMs,
    startMs: nowMs,
  }).failures;
  return worst && `${onlyOne(content)?.times} ${truncate(worst.message, CAUSE)}`;
}

/** Undefined also when it has come back since, maybe for another reason. */
function logCauseOf({ payload = "" }: StoredPost, { times }: Incident): string | undefined {
  const [, readAt, cause] = /^(\d+) (.+)$/su.exec(payload) ?? [];
  return readAt === String(times) ? cause : undefined;
}

/** One call: lists name no instances. None for a service of another API than ours, which doesn't name them either. */
async function currentInstances(
  deps: WorkflowParts,
  workload: WorkloadRef,
  reading: Reading,
): Promise<Pick<Failing, "instance" | "present">> {
  if (workload.kind === "service" && (await deps.api.engine()) === undefined) return {};
  const read = await readWorkload(workload, reading);
  if (read instanceof Problem) return {};
  return { instance: read.job?.instance_names?.at(-1), present: presentIn(read) };
}
