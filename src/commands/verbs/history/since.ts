import { z } from "zod";

const MINUTE_MS = 60_000;
const unitMs: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 24 * 60 * MINUTE_MS,
  w: 7 * 24 * 60 * MINUTE_MS,
};

/** The start of a period: milliseconds before now, or a UTC day. */
export type Since = { readonly ago: number } | { readonly day: Date };

/** `30m`, `12h`, `7d`, `2w`, or a UTC day such as `2026-11-20`. */
export const Since = z.string().transform((typed, context): Since => {
  const [, count = "", unit = ""] = /^(\d{1,4})([mhdw])$/iu.exec(typed) ?? [];
  const ms = unitMs[unit.toLowerCase()];
  if (ms !== undefined && Number(count) > 0) return { ago: Number(count) * ms };
  const day = dayOf(typed);
  if (day !== undefined) return { day };
  context.addIssue(`I can't read the time “${typed}”. Use 30m, 12h, 7d, 2w or a day such as 2026-11-20.`);
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
  return "day" in since ? since.day : new Date(now.getTime() - since.ago);
}
