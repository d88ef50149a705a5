import { z } from "zod";

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 30 * 86_400_000;
const error = "This must be a time such as 30m, 2h or 1d, from 1m to 30d.";

/** `30m`, `2h`, `1d`, as milliseconds. */
export const Duration = z.string({ error }).transform((text, context): number => {
  const [, digits = "", unit = ""] = /^(\d{1,5}) ?([mhd])$/u.exec(text.trim()) ?? [];
  const ms = Number(digits) * (unitMs[unit] ?? 0);
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  context.addIssue(error);
  return z.NEVER;
});

/** 5400000 → "90 minutes": in the largest unit that leaves no rest. */
export function durationInWords(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const;
  const [unit, each] = units.find(([, size]) => ms % size === 0) ?? ["minute", 60_000];
  const count = Math.round(ms / each);
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
