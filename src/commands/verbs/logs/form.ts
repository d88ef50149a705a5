import { requestLimits } from "../../../api/request-limits.ts";
import { parseLogDate } from "../../../api/log-pages.ts";
import { UserError } from "../../../errors.ts";
import { compileGrep } from "../../../logs/grep.ts";
import type { FormField, FormValues } from "../../forms/form.ts";
import type { FormShape } from "../../forms/make-form.ts";
import { workloadField } from "../../forms/fields.ts";

const fields: readonly FormField[] = [
  workloadField,
  {
    id: "grep",
    label: "Only lines with",
    hint: "Words, or a regular expression; in capitals or not.",
    placeholder: "error",
    isOptional: true,
    input: { kind: "text", maxLength: 200 },
  },
  { id: "date", label: "Day", hint: "Today, if none is chosen.", isOptional: true, input: { kind: "date" } },
  {
    id: "size",
    label: "How many lines",
    hint: "100, if nothing stands here.",
    isOptional: true,
    input: { kind: "number", from: 1, to: 1000 },
  },
  {
    id: "instance",
    label: "Instance",
    hint: "Only the lines of this one; of a job, the last one without it.",
    isOptional: true,
    isMore: true,
    input: { kind: "instance" },
  },
  {
    id: "from",
    label: "Leave out the newest",
    hint: "So many lines.",
    isOptional: true,
    isMore: true,
    input: { kind: "number", from: 0, to: requestLimits.logFrom },
  },
  {
    id: "private",
    label: "Where",
    isOptional: true,
    isMore: true,
    input: { kind: "tick", text: "For me only, instead of a thread" },
  },
];

export const logsForm: FormShape = { title: "Read logs", submit: "Read", fields: () => fields, check };

/** For words, reading the log reports these errors. In a form, the person can still correct the fields. */
function check({ grep = "", date = "" }: FormValues): Record<string, string> {
  const isDay = date.trim() === "" || parseLogDate(date) !== undefined;
  return { ...(!isDay && { date: "“Day” is not a day of the calendar: choose one." }), ...wrongGrep(grep.trim()) };
}

function wrongGrep(grep: string): Record<string, string> {
  try {
    if (grep !== "") compileGrep(grep);
    return {};
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { grep: `${error.message} Plain words work too; put a backslash before characters such as [ or (.` };
  }
}
