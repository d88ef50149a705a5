import { daysBefore, startOfLogDate } from "../../api/log-pages.ts";
import { type Inline, moment, words } from "../kit/inline.ts";

type Day = { readonly date: string; readonly zone: string; readonly today: string };

/** The log's day, and when it began for the reader: "today" is another day for people in other zones. */
export function logDayLine({ date, zone, today }: Day): Inline[] {
  const start = moment(startOfLogDate(date, zone).toISOString());
  const day = `${date.replaceAll(".", "-")} ${zone} · `;
  const yours = words(" your time");
  if (date >= today) return [words(`${day}since `), start, yours];
  return [words(day), start, words(" to "), moment(startOfLogDate(daysBefore(date, -1), zone).toISOString()), yours];
}
