import { boundedMap } from "../../platform/bounded-map.ts";
import type { DigestTime } from "./watch.ts";

/** A day as `2026-11-26` and a time as `09:00`, as the clocks of a zone show them. */
export type LocalTime = { readonly day: string; readonly time: string };

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** To make one takes a fifth of a millisecond, and finding the next digest asks up to forty times. */
const formats = boundedMap<string, Intl.DateTimeFormat>(100);

/** What the clocks of an IANA time zone show at a moment. */
export function localTime(at: Date, zone: string): LocalTime {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  formats.set(zone, format);
  const [day = "", time = ""] = format.format(at).split(" ");
  return { day, time };
}

/** The moment at which the clocks of a zone show this. A time that they skip or show twice is an hour off at most. */
export function momentOf({ day, time }: LocalTime, zone: string): Date {
  const wanted = Date.parse(`${day}T${time}:00Z`);
  const guess = wanted - aheadMs(new Date(wanted), zone);
  return new Date(wanted - aheadMs(new Date(guess), zone));
}

/** How far the clocks of a zone are ahead of UTC. */
function aheadMs(at: Date, zone: string): number {
  const { day, time } = localTime(at, zone);
  return Date.parse(`${day}T${time}:00Z`) - Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
}

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
