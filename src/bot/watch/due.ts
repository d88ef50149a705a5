import { isZone, localTime, momentOf } from "../../platform/zones.ts";
import { matchesPattern } from "../policy/patterns.ts";
import { FLAPPING_MS } from "./compare.ts";
import type { Incident } from "./incident.ts";
import type { DigestTime, Mute, QuietHours, Watch } from "./watch.ts";
import type { StoredChange } from "../changes/stored-change.ts";

/** A workload, or all of a list: the workload API not answering is about each of them. */
type About = {
  /** The username whose workload it is. */
  readonly account: string;
  readonly kind: "service" | "job";
  readonly region: string;
  readonly name: string | undefined;
};

/** Whether a watch reports it. Pure. */
export function covers(
  { account, target, digest, pausedWhy }: Watch,
  { account: whose, kind, region, name }: About,
  jobsRegion: string,
): boolean {
  if (digest !== undefined || pausedWhy !== undefined || account.username !== whose) return false;
  if (target.kind !== undefined && target.kind !== kind) return false;
  if (region !== (kind === "job" ? jobsRegion : target.region)) return false;
  return name === undefined || matchesPattern(target.names, name);
}

/** The channel, or the person whose direct message it is. */
export function placeOf({ place, owner }: Watch): string {
  return place.kind === "dm" ? owner.userId : place.channelId;
}

/** The same of a mute. */
export function placeOfMute({ place }: Mute): string | undefined {
  return place.kind === "dm" ? place.userId : place.channelId;
}

/** When a watch may report an incident, before quiet hours are considered; undefined while it may not. Pure. */
export function countsAt({ events, afterMs }: Watch, incident: Incident): Date | undefined {
  const { cause, openedAt, overAt } = incident;
  if (cause === "job-failed") return events.includes("job-failed") ? openedAt : undefined;
  if (cause === "out-of-memory" && events.includes("out-of-memory")) return openedAt;
  if (events.includes("failing")) return new Date(openedAt.getTime() + afterMs);
  // The watch wants only the end, of incidents that lasted long enough.
  const isWanted = events.includes("recovered") && overAt !== undefined;
  return isWanted && overAt.getTime() - openedAt.getTime() >= afterMs ? overAt : undefined;
}

/** Decision about an unreported incident when its notice is due. */
export type Telling =
  | { readonly kind: "tell" }
  | { readonly kind: "wait"; readonly until: Date }
  /** It was over before it counted. */
  | { readonly kind: "drop" };

type Due = {
  readonly incident: Incident;
  readonly countsAt: Date;
  readonly quiet: QuietHours | undefined;
  readonly mute: Mute | undefined;
  /** A mute held it back before: then its end isn't reported either. */
  readonly wasMuted: boolean;
  readonly now: Date;
};

/** Pure. */
export function tellingOf({ incident, countsAt, quiet, mute, wasMuted, now }: Due): Telling {
  const { overAt, times } = incident;
  const isShort = overAt !== undefined && overAt <= countsAt && times === 1;
  if (overAt !== undefined && wasMuted) return { kind: "drop" };
  if (isShort) {
    const until = new Date(overAt.getTime() + FLAPPING_MS);
    return until > now ? { kind: "wait", until } : { kind: "drop" };
  }
  if (mute !== undefined && mute.until > now) return { kind: "wait", until: mute.until };
  const until = quiet && endOfQuiet(quiet, now);
  return until === undefined ? { kind: "tell" } : { kind: "wait", until };
}

/** The mute of a workload in a place that lasts longest. Pure. */
export function muteOf(mutes: readonly Mute[], name: string | undefined): Mute | undefined {
  return mutes
    .filter(({ names }) => (name === undefined ? /^\*+$/u.test(names) : matchesPattern(names, name)))
    .reduce<Mute | undefined>((last, each) => (last === undefined || each.until > last.until ? each : last), undefined);
}

/** When the quiet hours end in which a time lies; undefined outside of them. A zone that isn't known has none. Pure. */
export function endOfQuiet({ from, to, zone }: QuietHours, now: Date): Date | undefined {
  if (!isZone(zone)) return undefined;
  const { day, time } = localTime(now, zone);
  const [at, begin, end] = [minuteOf(time.slice(0, "00:00".length)), minuteOf(from), minuteOf(to)];
  if (at === undefined || begin === undefined || end === undefined || begin === end) return undefined;
  const isQuiet = begin < end ? at >= begin && at < end : at >= begin || at < end;
  if (!isQuiet) return undefined;
  const noon = Date.parse(`${day}T12:00:00Z`) + (at < end ? 0 : DAY_MS);
  const ends = momentOf(
    { day: new Date(noon).toISOString().slice(0, 10), time: to.padStart("00:00".length, "0") },
    zone,
  );
  // Where clocks repeat an hour, that time may have been once already.
  return ends > now ? ends : new Date(ends.getTime() + HOUR_MS);
}

/** `22:00` → 1320. */
function minuteOf(time: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/u.exec(time) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const all = Number(hours) * 60 + Number(minutes);
  return all < DAY_MS / 60_000 ? all : undefined;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** The last moment before this one at which a digest was due. */
export function previousDigest(digest: DigestTime, due: Date): Date {
  let last = nextDigest(digest, new Date(due.getTime() - WEEK_MS - DAY_MS));
  for (;;) {
    const next = nextDigest(digest, last);
    if (next >= due) return last;
    last = next;
  }
}

/** The next moment after this one at which a digest is due. */
export function nextDigest({ days, at: time, zone }: DigestTime, after: Date): Date {
  const { day: today } = localTime(after, zone);
  for (let ahead = 0; ahead <= 8; ahead += 1) {
    const noon = new Date(Date.parse(`${today}T12:00:00Z`) + ahead * DAY_MS);
    const weekday = noon.getUTCDay();
    if (days === "weekdays" && (weekday === 0 || weekday === 6)) continue;
    if (days === "mondays" && weekday !== 1) continue;
    const due = momentOf({ day: noon.toISOString().slice(0, 10), time }, zone);
    if (due > after) return due;
  }
  throw new Error("every eight days hold a Monday");
}

/** The default poll interval of Kubernetes' own tools. */
const EVERY_MS = 10_000;
/** Of the time, so that lists of thousands don't take it all. */
const SHARE = 0.05;
const LONGEST_MS = 60 * 60_000;

export type Pace = {
  /** Calls a day that watching may make with one account; undefined without a limit. */
  readonly callsPerDay: number | undefined;
  /** Lists that are watched with this account: each round costs one call for each. */
  readonly lists: number;
  /** How long the last list took. */
  readonly tookMs: number;
  /** Failed rounds in a row. */
  readonly failures: number;
};

/** The time from one round to the next, in milliseconds. Pure. */
export function roundEveryMs({ callsPerDay, lists, tookMs, failures }: Pace): number {
  const budgetMs = callsPerDay === undefined ? 0 : (DAY_MS * Math.max(1, lists)) / callsPerDay;
  const backOffMs = failures === 0 ? 0 : Math.min(EVERY_MS * 2 ** Math.min(failures - 1, 3), 60_000);
  return Math.round(Math.max(EVERY_MS, budgetMs, backOffMs, Math.min(tookMs / SHARE, LONGEST_MS)));
}

/** Whether the time between two polls is so long that a message has to mention the gap. Pure. */
export function isGap(sinceMs: number, everyMs: number): boolean {
  return sinceMs > Math.max(3 * everyMs, 2 * 60_000);
}

/** A Change that is followed or in trouble, with the card of its request. */
export type ChangeAbout = {
  readonly change: StoredChange;
  /** Slack shows that card as it is, and its thread has all replies. */
  readonly isDrawn: boolean;
};

/** For so long, the watch waits for a card that may still tell. */
const CARD_WITHIN_MS = 2 * 60_000;
const ASK_AGAIN_MS = 5_000;

type Asked = {
  readonly incident: Incident;
  /** A channel, or a person for their direct message. */
  readonly place: string;
  /** Those of the incident's workload. */
  readonly changes: readonly ChangeAbout[];
  /** When the watch may tell. */
  readonly countsAt: Date;
  readonly now: Date;
};

/** Who tells a place of an incident: its watch, or the card of a request there. Pure. */
export function speakerOf({
  incident,
  place,
  changes,
  countsAt,
  now,
}: Asked): "watch" | "card" | { readonly waitUntil: Date } {
  const here = changes.filter(({ change }) => isIn(place, change) && mayBeOf(change, incident));
  const said = here.filter(({ change }) => isSaid(change, incident));
  if (said.some(({ isDrawn }) => isDrawn)) return "card";
  // The card of a job tells only how it ended.
  const isTold = incident.kind === "service" || incident.cause === "job-failed";
  const mayTell = said.length > 0 || (isTold && here.some(({ change }) => change.health === undefined));
  const waitedMs = now.getTime() - Math.max(countsAt.getTime(), incident.overAt?.getTime() ?? 0);
  if (!mayTell || waitedMs > CARD_WITHIN_MS) return "watch";
  return { waitUntil: new Date(now.getTime() + ASK_AGAIN_MS) };
}

function isIn(place: string, { card, requester, notifies }: StoredChange): boolean {
  // The id of a direct message isn't that of its person.
  const shownIn = card?.channelId.startsWith("D") === true ? requester.userId : card?.channelId;
  return place === shownIn || (notifies === true && place === requester.userId);
}

/** The Change was sent before this workload failed. A failure that comes back is told only by a card that is still followed. */
function mayBeOf({ claimedAt, ending, health, workload }: StoredChange, { openedAt, times, seen }: Incident): boolean {
  const { outcome } = ending?.kind === "run" ? ending : {};
  const uid = (outcome?.kind === "done" ? outcome.after?.uid : undefined) ?? workload.uid;
  const isOther = uid !== undefined && seen?.uid !== undefined && uid !== seen.uid;
  const isFirst = times === 1 || health === undefined;
  return isFirst && claimedAt !== undefined && claimedAt <= openedAt && !isOther;
}

/** The Change's latest poll saw what the watch would tell. */
function isSaid({ health, progress, settledAt }: StoredChange, { openedAt, end }: Incident): boolean {
  if (end === "recovered") return health === undefined && progress?.recovered === true;
  const { kind, afterMs } = health ?? progress ?? {};
  if (kind !== "trouble") return false;
  // A failure that began after the last poll is another one. The health of a job has no such time: jobs fail once.
  const isLast = health !== undefined && afterMs !== undefined && settledAt !== undefined;
  return !isLast || openedAt.getTime() - settledAt.getTime() - afterMs <= CARD_WITHIN_MS;
}
