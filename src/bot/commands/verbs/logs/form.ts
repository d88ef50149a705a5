import { requestLimits } from "../../../../api/request-limits.ts";
import { logDate, parseLogDate } from "../../../../api/log-pages.ts";
import { attempt, UserError } from "../../../errors.ts";
import { compileGrep } from "../../../logs/grep.ts";
import { logDayLine } from "../../../views/kit/log-text.ts";
import { type FormFacts, type FormField, type FormValues, workloadField, tick } from "../../forms/form.ts";
import type { FormShape } from "../../forms/make-form.ts";

/** Lines around each match, at most. */
export const MOST_CONTEXT = 20;

const fields: readonly FormField[] = [
  workloadField,
  {
    id: "grep",
    label: "Filter",
    hint: "Text or a regular expression. Upper and lower case both match.",
    placeholder: "For example: timeout",
    input: { kind: "text", maxLength: 200 },
  },
  { id: "date", label: "Day", hint: "Default: today.", input: { kind: "date" } },
  {
    id: "size",
    label: "Lines",
    hint: "Default: the last 100.",
    input: { kind: "number", from: 1, to: 1000 },
  },
  {
    id: "instance",
    label: "Instance",
    hint: "Default: all instances of a service, the last instance of a job.",
    isMore: true,
    input: { kind: "instance" },
  },
  {
    id: "from",
    label: "Skip the newest lines",
    hint: "How many to skip. Default: 0.",
    isMore: true,
    input: { kind: "number", from: 0, to: requestLimits.logFrom },
  },
  tick("follow", "Follow", "Show new lines as they come"),
  {
    id: "for",
    label: "Follow for",
    hint: "From 1m to 60m. Default: 10m.",
    placeholder: "For example: 30m",
    isMore: true,
    input: { kind: "text", maxLength: 10 },
  },
  {
    id: "around",
    label: "Around a time",
    hint: "In your time zone. The lines before and after it are shown.",
    placeholder: "For example: 14:03",
    isMore: true,
    input: { kind: "text", maxLength: 40 },
  },
  {
    id: "context",
    label: "Lines around each match",
    hint: "With a filter. Default: none.",
    isMore: true,
    input: { kind: "number", from: 0, to: MOST_CONTEXT },
  },
  tick("previous", "Run", "The run before the last restart"),
  tick("file", "Length", "The whole day, as a file"),
  tick("raw", "Format", "Lines as they were written"),
  tick("private", "Who sees them", "Only me"),
];

export const logsForm = {
  title: "Show logs",
  submit: "Show logs",
  fields: () => fields,
  /** For words, reading the log reports these errors. In a form, the person can still correct the fields. */
  check({ grep = "", date = "" }: FormValues): Record<string, string> {
    const isDay = date.trim() === "" || parseLogDate(date) !== undefined;
    return { ...(!isDay && { date: "Choose a day from the calendar." }), ...wrongGrep(grep.trim()) };
  },
  prefillsAtOnce: true,
} as const satisfies FormShape;

/** The day is chosen in the log's zone, which may not be the reader's. */
export function dayFacts(zone: string, now: Date): FormFacts {
  const today = logDate(now, zone);
  return { notes: [`Today in the logs: ${logDayLine({ date: today, zone, today })}`], values: {} };
}

function wrongGrep(grep: string): Record<string, string> {
  const wrong = grep === "" ? undefined : attempt(() => compileGrep(grep));
  if (!(wrong instanceof UserError)) return {};
  return { grep: `${wrong.message} Plain text works too. Put a backslash before characters such as [ or (.` };
}
