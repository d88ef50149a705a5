import { clockTime, durationIn, TIME, missingName, Target } from "../../grammar/argument-types.ts";
import { z } from "zod";
import { matchesEverything } from "../../../policy/patterns.ts";
import { didYouMean } from "../../../policy/near-names.ts";
import { localTime, momentOf } from "../../../../platform/zones.ts";
import { type DigestTime, type QuietHours, type WatchedEvent, watchedEvents } from "../../../watch/watch.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { isCalendarDay } from "../../../views/kit/time.ts";

/** In a list, or in a mention as Slack sends it. A pattern is never looked up, so such a watch would wait for ever. */
const NO_NAME = /[\s<>|@#!&,;"'`]/u;

/** A workload, all whose names match a pattern, or `*` for all. */
export const Watched = z.string({ error: missingName }).transform((typed, context): Target => {
  if (NO_NAME.test(typed)) {
    const shown = truncate(visible(typed), LONGEST_SHOWN);
    context.addIssue(`“${shown}” can't be the name of a workload. Name one, a pattern such as shop-*, or all.`);
    return z.NEVER;
  }
  if (/^(?:all|everything)$/iu.test(typed) || matchesEverything(typed)) return { kind: undefined, name: "*" };
  // Without its stars, a pattern is checked as a name is.
  const target = Target.safeParse(typed.replaceAll("*", "x"));
  if (!target.success) {
    context.addIssue(target.error.issues[0]?.message ?? missingName);
    return z.NEVER;
  }
  const { kind, object } = target.data;
  const name = kind === undefined ? typed : typed.slice(typed.indexOf("/") + 1);
  if (object === undefined) return { kind, name: matchesEverything(name) ? "*" : name };
  if (!name.includes("*")) return target.data;
  context.addIssue(`A pattern can't be about each ${object}. Write \`${kind}/${name}\`, or name one workload.`);
  return z.NEVER;
});

/** `failing,recovered`, or `all`. */
export const Events = z.string().transform((typed, context): readonly WatchedEvent[] => {
  const words = typed
    .toLowerCase()
    .split(/[,\s]+/u)
    .filter((word) => word !== "");
  if (words.includes("all")) return watchedEvents;
  const known = words.map((word) => watchedEvents.find((event) => event === word));
  const wrong = words.find((_, at) => known[at] === undefined);
  if (wrong === undefined && words.length > 0) return watchedEvents.filter((event) => known.includes(event));
  const near = didYouMean(wrong ?? "", watchedEvents);
  context.addIssue(`--on takes ${watchedEvents.join(", ")}, or all.${near}`);
  return z.NEVER;
});

const LONGEST_SHOWN = 60;

const LONGEST_AFTER_MS = 24 * 3_600_000;

/** How long something has to fail first; `0` for at once. */
export const After = z.string().transform((typed, context): number => {
  const ms = /^0+$/u.test(typed) ? 0 : durationIn(typed);
  if (ms !== undefined && ms <= LONGEST_AFTER_MS) return ms;
  context.addIssue("--after takes a time up to 24h, such as 30s, 2m or 1h. 0 tells at once.");
  return z.NEVER;
});

/** `22:00-07:00`, in the zone of whoever asks. */
export const Quiet = z.string().transform((typed, context): Omit<QuietHours, "zone"> => {
  const [from, to, ...rest] = typed.split(/\s*[-–]\s*/u).map(clockTime);
  if (from !== undefined && to !== undefined && from !== to && rest.length === 0) return { from, to };
  context.addIssue("--quiet takes two times of a day, such as 22:00-07:00.");
  return z.NEVER;
});

const digestDays: Readonly<Record<string, DigestTime["days"]>> = {
  daily: "daily",
  "every day": "daily",
  weekdays: "weekdays",
  workdays: "weekdays",
  mondays: "mondays",
  weekly: "mondays",
};

const atTime = new RegExp(String.raw`^(.*?)(?:\s+(?:at\s+)?(${TIME}))?$`, "iu");

/** `weekdays 09:00`; nine o'clock without a time. */
export const Digest = z.string().transform((typed, context): Omit<DigestTime, "zone"> => {
  const [, words = "", time = "09:00"] = atTime.exec(typed.trim()) ?? [];
  const lower = words.toLowerCase();
  const days = Object.hasOwn(digestDays, lower) ? digestDays[lower] : undefined;
  const at = clockTime(time);
  if (days !== undefined && at !== undefined) return { days, at };
  context.addIssue("--digest takes daily, weekdays or mondays, and a time: weekdays 09:00.");
  return z.NEVER;
});

/** Slack sends a channel as `<#C0OPS|ops>`: docs.slack.dev/interactivity/implementing-slash-commands. A form sends its id. */
export const Channel = z
  .string()
  .max(200)
  .transform((typed, context): string => {
    const [, marked, bare] = /^(?:<#([CG][A-Z0-9]{2,20})(?:\|[^>]*)?>|([CG][A-Z0-9]{4,20}))$/u.exec(typed) ?? [];
    const id = marked ?? bare;
    if (id !== undefined) return id;
    context.addIssue(`“${typed}” isn't a channel. Type # after --in and pick one from Slack's list.`);
    return z.NEVER;
  });

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** When a mute ends. Times are local, in the zone of whoever asks. */
export type Until =
  | { readonly forMs: number }
  /** A date, `tomorrow` or a day of the week; without one, today or tomorrow. */
  | { readonly day?: string | undefined; readonly time: string }
  | "off";

export const LONGEST_MUTE_MS = 30 * 86_400_000;
/** Of a mute without a time. */
export const MUTE_MS = 3_600_000;

/** When tomorrow or a weekday begins: nobody wants to be woken by it. */
const MORNING = "09:00";
const untilWords = new RegExp(String.raw`^(?:(\d{4}-\d{2}-\d{2})|([a-z]{3,9}))?(?:(?:^| )(?:at )?(${TIME}))?$`, "u");

/** `2h`, `until 2026-12-01`, `until 18:00`, `until tomorrow`, `until monday 8am`, `off`. */
export const MuteEnd = z.array(z.string()).transform((words, context): Until => {
  const joined = words.join(" ").toLowerCase();
  const typed = joined.replace(/^(?:for|until|till|to) /u, "").trim();
  if (typed === "off") return typed;
  const forMs = typed === "an hour" ? MUTE_MS : durationIn(typed);
  if (forMs !== undefined && forMs > 0 && forMs <= LONGEST_MUTE_MS) return { forMs };
  if (forMs !== undefined) {
    context.addIssue(`A mute lasts for up to 30 days${forMs === 0 ? ": write 30m or 2h, or off to end it" : ""}.`);
    return z.NEVER;
  }
  const [, date, word, at] = untilWords.exec(typed) ?? [];
  const named = word === undefined ? undefined : ["tomorrow", ...weekdays].find((each) => each.startsWith(word));
  const time = clockTime(at ?? (date === undefined ? (named === undefined ? "" : MORNING) : "00:00"));
  // A number alone is no time: 18 could be minutes.
  const isMeant = word === undefined ? !/^\d+$/u.test(typed) : named !== undefined;
  if (time !== undefined && isMeant && (date === undefined || isCalendarDay(date))) return { day: date ?? named, time };
  context.addIssue(
    "I can't read how long. Use 30m, 2h, 1d, until 18:00, until tomorrow, until monday, a day such as 2026-12-01, or off.",
  );
  return z.NEVER;
});

const DAY_MS = 86_400_000;

/** When a mute ends: the next moment with this local time in the zone. */
export function muteEnd(until: Exclude<Until, "off">, now: Date, zone: string): Date {
  if ("forMs" in until) return new Date(now.getTime() + until.forMs);
  const { day, time } = until;
  if (day !== undefined && /^\d/u.test(day)) return momentOf({ day, time }, zone);
  const noon = Date.parse(`${localTime(now, zone).day}T12:00:00Z`);
  for (let ahead = day === "tomorrow" ? 1 : 0; ; ahead += 1) {
    const date = new Date(noon + ahead * DAY_MS);
    const isMeant = day === undefined || day === "tomorrow" || weekdays[date.getUTCDay()] === day;
    const end = momentOf({ day: date.toISOString().slice(0, 10), time }, zone);
    if (isMeant && end > now) return end;
  }
}
