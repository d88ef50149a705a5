import { boundedMap } from "./bounded-map.ts";

/** A day as `2026-11-26` and a time as `09:00:00`, as the clocks of a zone show them. */
export type LocalTime = { readonly day: string; readonly time: string };

/** By zone name; creating one takes 0.1 ms. Bounded, because upper and lower case don't matter and make many names. */
const clocks = boundedMap<string, Intl.DateTimeFormat>(1_000);

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  clocks.set(zone, clock);
  return clock;
}

/** What the clocks of an IANA time zone show at a moment. Throws RangeError for an unknown zone. */
export function localTime(at: Date, zone: string): LocalTime {
  const [day = "", time = ""] = clockOf(zone).format(at).split(" ");
  return { day, time };
}

/**
 * The inverse of `localTime`; seconds can be left out. A time that the clocks skip or repeat is at most an hour off. The
 * first guess takes the offset at the same time in UTC; the second corrects it when the clocks change in between.
 */
export function momentOf({ day, time }: LocalTime, zone: string): Date {
  const wanted = Date.parse(`${day}T${time}Z`);
  const guess = wanted - aheadMs(new Date(wanted), zone);
  return new Date(wanted - aheadMs(new Date(guess), zone));
}

/** How far the clocks of a zone are ahead of UTC. */
function aheadMs(at: Date, zone: string): number {
  const { day, time } = localTime(at, zone);
  return Date.parse(`${day}T${time}Z`) - Math.floor(at.getTime() / 1_000) * 1_000;
}

/** Whether this runtime knows the time zone. */
export function isZone(zone: string): boolean {
  try {
    clockOf(zone);
    return true;
  } catch {
    return false;
  }
}
