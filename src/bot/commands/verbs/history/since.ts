import { z } from "zod";

const MINUTE_MS = 60_000;
const unitMs: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 24 * 60 * MINUTE_MS,
  w: 7 * 24 * 60 * MINUTE_MS,
};

/** The start of a period: milliseconds before now, a UTC day, or one so many days before today. */
export type Since = { readonly ago: number } | { readonly day: Date } | { readonly daysAgo: number };

const days: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };

/** `30m`, `12h`, `7d`, `2w`, `today`, `yesterday`, or a UTC day such as `2026-11-20`. */
export const Since = z.string().transform((typed, context): Since => {
  const [, count = "", unit = ""] = /^(\d{1,4})([mhdw])$/iu.exec(typed) ?? [];
  const ms = unitMs[unit.toLowerCase()];
  if (ms !== undefined && Number(count) > 0) return { ago: Number(count) * ms };
  const daysAgo = days[typed.toLowerCase()];
  if (daysAgo !== undefined) return { daysAgo };
  const day = dayOf(typed);
  if (day !== undefined) return { day };
  context.addIssue(
    `I can't read the time “${typed}”. Use 30m, 12h, 7d, 2w, today, yesterday or a day such as 2026-11-20.`,
  );
  return z.NEVER;
});

/** Undefined for days that don't exist: Date.parse would take February 30 for March 2. */
function dayOf(typed: string): Date | undefined {
  if (!/^\d{4}[-.]\d{2}[-.]\d{2}$/u.test(typed)) return undefined;
  const iso = typed.replaceAll(".", "-");
  const day = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(iso) ? day : undefined;
}

export function sinceMoment(since: Since, now: Date): Date {
  if ("day" in since) return since.day;
  if ("ago" in since) return new Date(now.getTime() - since.ago);
  const dayMs = 24 * 60 * MINUTE_MS;
  return new Date(Math.floor(now.getTime() / dayMs) * dayMs - since.daysAgo * dayMs);
}
