import { daysBefore } from "../../../../api/log-pages.ts";
import type { Excerpt } from "../../../logs/excerpt.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import type { Ask } from "../../../ask.ts";
import { isoDay } from "./day.ts";

export type LogExcerpt = {
  readonly workload: { readonly kind: "service" | "job"; readonly name: string };
  /** Days in the workload API's form: "2026.11.20". */
  readonly day: { readonly date: string; readonly zone: string; readonly today: string };
  readonly excerpt: Excerpt;
  /** Buttons for other pages repeat its filters. */
  readonly ask: Ask;
  /** Identifies the end of this page; undefined without lines. */
  readonly mark: string | undefined;
  /** Set for lines that are newer than a page shown before: right after it, or with a gap in between. */
  readonly since?: "contiguous" | "gap";
  /** The real name of the person who asked. */
  readonly requester: string;
  /** It was requested in a channel, so a private excerpt can be posted there. */
  readonly canShare: boolean;
};

/** The workload's name within the length that Slack takes. */
export function logName({ workload }: Pick<LogExcerpt, "workload">): string {
  return truncate(visible(workload.name), 255);
}

/** "today", "yesterday" or the day, in the zone of the log. */
export function dayWords({ day: { date, today } }: Pick<LogExcerpt, "day">): string {
  if (date === today) return "today";
  return date === daysBefore(today, 1) ? "yesterday" : isoDay(date);
}
