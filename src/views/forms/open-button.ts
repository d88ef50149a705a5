import type { Button } from "@slack/types";
import type { FormValues } from "../../commands/forms/form.ts";
import { actionButton } from "../kit/blocks.ts";

/** What a button carries that opens a form: of which verb, what stands in it, and where services are looked for. */
export type FormOpening = {
  readonly verb: string;
  readonly values: FormValues;
  readonly region?: string | undefined;
};

/** A button that opens a form, partly filled in; undefined where that is too long for one. */
export function openButton(
  label: string,
  { verb, values, region }: FormOpening,
  style?: "primary" | "danger",
): Button | undefined {
  const value = JSON.stringify({ verb, values, region });
  return actionButton({ label, act: `form:open:${verb}`, value, style });
}
