import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import { IF_STUCK } from "../../../views/kit/verb-words.ts";
import type { FormField } from "../../forms/form.ts";

/** What follows when new instances don't get ready. */
export const OnFailure = z
  .enum(["roll-back", "stop"], { error: "--on-failure takes roll-back or stop." })
  .default("roll-back");

export const onFailureFlag = {
  value: "W",
  summary: "if it doesn't get ready: `roll-back` (default) or `stop`",
} as const;

export const onFailureField: FormField = {
  id: "on-failure",
  label: "If it doesn't get ready",
  hint: "Default: roll back.",
  isOptional: true,
  isMore: true,
  input: {
    kind: "choice",
    style: "menu",
    options: [
      { value: "roll-back", text: "Roll back" },
      { value: "stop", text: "Stay as it is" },
    ],
  },
};

/** What the card says before anybody approves. */
export function failureLine({ revision }: Service, onFailure: z.output<typeof OnFailure>): string {
  if (onFailure === "stop" || revision === undefined) return `stays as it is ${IF_STUCK}`;
  return `back to revision ${revision} automatically ${IF_STUCK}`;
}
