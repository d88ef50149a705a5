import { isZone, localTime, momentOf } from "../../platform/zones.ts";
import { matchesPattern } from "../policy/patterns.ts";
import { FLAPPING_MS } from "./compare.ts";
import type { Incident } from "./incident.ts";
import type { DigestTime, Mute, QuietHours, Watch } from "./watch.ts";

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
