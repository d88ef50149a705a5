import type { Button } from "@slack/types";
import type { FormValues } from "../../commands/forms/form.ts";
import { actionButton } from "../kit/blocks.ts";

/** The value of a button that opens a form: the verb, the form's values, and the region for lookups. */
export type FormOpening = {
  readonly verb: string;
  readonly values: FormValues;
  readonly region?: string | undefined;
};

/** A button that opens a pre-filled form; undefined when its value would be too long. */
export function openButton(
  label: string,
  { verb, values, region }: FormOpening,
  style?: "primary" | "danger",
): Button | undefined {
  const value = JSON.stringify({ verb, values, region });
  return actionButton({ label, action: { kind: "openForm", verb }, value, style });
}
