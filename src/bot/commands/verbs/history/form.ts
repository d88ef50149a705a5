import type { FormField, FormOption, FormValues } from "../../forms/form.ts";
import type { FormShape, RawArguments } from "../../forms/make-form.ts";
import { workloadField } from "../../forms/fields.ts";

const A_DAY = "day";

const periods: readonly FormOption[] = [
  { value: "30m", text: "30 minutes" },
  { value: "1h", text: "1 hour" },
  { value: "12h", text: "12 hours" },
  { value: "1d", text: "1 day" },
  { value: "7d", text: "7 days" },
  { value: "2w", text: "2 weeks" },
  { value: "4w", text: "4 weeks" },
  { value: A_DAY, text: "Since a date" },
];

const dayField: FormField = {
  id: A_DAY,
  label: "Date",
  hint: "From 00:00 UTC.",
  input: { kind: "date" },
};

const jsonField: FormField = {
  id: "json",
  label: "File",
  isOptional: true,
  isMore: true,
  input: { kind: "tick", text: "Every step, up to 1,000 rows" },
};

export const historyForm: FormShape = { title: "Show history", submit: "Show", fields, toArgs };

function fields({ since }: FormValues): FormField[] {
  return [
    { ...workloadField, hint: "Default: all workloads.", isOptional: true },
    { id: "by", label: "Person", hint: "Default: everybody.", isOptional: true, input: { kind: "person" } },
    {
      id: "since",
      hint: "Default: all history.",
      label: "Period",
      isOptional: true,
      redraws: true,
      input: { kind: "choice", style: "menu", options: periods },
    },
    ...(since === A_DAY ? [dayField] : []),
    jsonField,
  ];
}

/** The form's period and day are one argument. */
function toArgs({ since, [A_DAY]: day, ...raw }: RawArguments): RawArguments {
  const from = since === A_DAY ? day : since;
  return from === undefined ? raw : { ...raw, since: from };
}
