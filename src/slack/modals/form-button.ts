import { z } from "zod";
import type { FormValues } from "../../commands/forms/form.ts";
import { type FormCommand, formCommand } from "../../commands/grammar/parse.ts";
import { jsonIn } from "../receive/json-in.ts";

/** What a button that opens a form carries; `form:open:scale`, or a choice of verbs, says it in its action_id. */
const FormOpening = z.object({
  verb: z.string(),
  values: z.record(z.string(), z.string()).default({}),
  region: z.string().optional(),
});

const PREFIX = "form:open";

/** The form that a button opens, and what stands in it; undefined for other buttons, and verbs that are no more. */
export function openingIn(
  actionId: string,
  value: string,
): { readonly command: FormCommand; readonly values: FormValues } | undefined {
  if (!actionId.startsWith(PREFIX)) return undefined;
  const opening = FormOpening.safeParse(jsonIn(value)).data;
  const command = opening === undefined ? undefined : formCommand(opening.verb);
  if (opening === undefined || command === undefined) return undefined;
  const { values, region } = opening;
  return { command, values: { ...values, ...(region !== undefined && { region }) } };
}
