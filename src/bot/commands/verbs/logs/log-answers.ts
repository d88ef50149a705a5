import { z } from "zod";
import { Ask } from "../../../ask.ts";
import { SeenLines } from "../../../logs/new-lines.ts";
import { daysBefore, logDate, parseLogDate } from "../../../../api/log-pages.ts";
import type { Excerpt } from "../../../logs/excerpt.ts";
import type { EndedAt } from "../../../logs/runs.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { UserError } from "../../../errors.ts";

/** A log that is followed, and how far: what any replica needs to go on. */
export const FollowedLog = z.object({
  /** Names one workload and keeps the filters. */
  ask: Ask,
  kind: z.enum(["service", "job"]),
  name: z.string(),
  /** The job instance whose log is read. */
  instance: z.string().optional(),
  /** The day of the log that was read last. */
  date: z.string(),
  seen: SeenLines,
  /** Instances whose lines were shown: from the second one on, lines say whose they are. */
  instances: z.array(z.string()),
  /** When the workload was last read. */
  readMs: z.number(),
});
export type FollowedLog = z.infer<typeof FollowedLog>;

/** Result of one poll of a followed log. */
export type LogPoll = {
  readonly log: FollowedLog;
  /** Text to show; "" without new lines. */
  readonly text: string;
  readonly shown: number;
  /** New lines that aren't shown, because there were too many. */
  readonly skipped: number;
  /** Why nothing will follow: "the service was deleted". */
  readonly over?: string;
};

export type LogExcerpt = {
  readonly workload: { readonly kind: "service" | "job"; readonly name: string };
  /** Days in the workload API's form: "2026.11.20". */
  readonly day: { readonly date: string; readonly zone: string; readonly today: string };
  readonly excerpt: Excerpt;
  /** Buttons for other pages repeat its filters. */
  readonly ask: Ask;
  /** Identifies the end of this page; undefined without lines. */
  readonly mark: string | undefined;
  /** Identifies the beginning of the page, or of its last so many records. */
  readonly startMark?: (shown?: number) => string | undefined;
  /** What the lines were chosen by, if not by their number. */
  readonly view?: LogView;
  /** Set for lines that are newer than a page shown before: right after it, or with a gap in between. */
  readonly since?: "contiguous" | "gap";
  /** The real name of the person who asked. */
  readonly requester: string;
  /** It was requested in a channel, so a private excerpt can be posted there. */
  readonly canShare: boolean;
};

export type LogView =
  /** `only`: no line is around it, so these are the nearest, all before or all after it. */
  | { readonly kind: "around"; readonly at: Date; readonly only: "before" | "after" | undefined }
  /** The run that ended last. `endedAt`: its lines are those before, because only that is known. */
  | { readonly kind: "previous"; readonly how: string | undefined; readonly endedAt: EndedAt | undefined }
  /** All lines of the day. `left`: older ones than these exist. `hasGap`: while it was read, too many new lines came. */
  | { readonly kind: "day"; readonly left: boolean; readonly hasGap: boolean };

/** The workload's name within the length that Slack takes. */
export function logName({ workload }: Pick<LogExcerpt, "workload">): string {
  return truncate(visible(workload.name), 255);
}

/** "today", "yesterday" or the day, in the zone of the log. */
export function dayWords({ day: { date, today } }: Pick<LogExcerpt, "day">): string {
  if (date === today) return "today";
  return date === daysBefore(today, 1) ? "yesterday" : isoDay(date);
}

/**
 * Turns a typed day into a day of the log, `2026.11.20`. Pure. `today` and `yesterday` are in the zone in which the
 * workload API counts the days of its log. Throws a `UserError` for invalid and for future days.
 */
export function logDay(typed: string, zone: string, now: Date): string {
  const today = logDate(now, zone);
  const word = typed.toLowerCase();
  if (word === "today") return today;
  if (word === "yesterday") return daysBefore(today, 1);
  const day = parseLogDate(typed);
  if (day === undefined) {
    throw new UserError(`I don't know the day “${typed}”.`, { next: "Use `2026-11-20`, `today` or `yesterday`." });
  }
  if (day > today) {
    throw new UserError(
      `${isoDay(day)} is in the future. In ${zone}, the zone of the logs, today is ${isoDay(today)}.`,
      { next: "Choose today or an earlier day." },
    );
  }
  return day;
}

/** `2026-11-20`, as people write it. */
export function isoDay(date: string): string {
  return date.replaceAll(".", "-");
}

/** A job that never ran has no logs yet. */
export class NotStarted extends UserError {}
