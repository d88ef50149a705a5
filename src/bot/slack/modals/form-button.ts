import { z } from "zod";
import type { FormValues } from "../../commands/forms/form.ts";
import { type FormCommand, formCommand } from "../../commands/grammar/parse.ts";
import { OPEN_MENU, valuesFor, workloadOfMenu } from "../../views/forms/open-menu.ts";
import { jsonIn } from "../receive/view-payload.ts";

/** The value of a button that opens a form; its action_id begins with `form:open`. */
const FormOpening = z.object({
  verb: z.string(),
  values: z.record(z.string(), z.string()).default({}),
  region: z.string().optional(),
});

const PREFIX = "form:open";

/** The form that a button opens, and its first values. Undefined for other buttons, and for verbs that no longer exist. */
export function openingIn(
  actionId: string,
  value: string,
  blockId = "",
): { readonly command: FormCommand; readonly values: FormValues } | undefined {
  if (actionId === OPEN_MENU) return chosenIn(value, blockId);
  if (!actionId.startsWith(PREFIX)) return undefined;
  const opening = FormOpening.safeParse(jsonIn(value)).data;
  const command = opening === undefined ? undefined : formCommand(opening.verb);
  if (opening === undefined || command === undefined) return undefined;
  const { values, region } = opening;
  return { command, values: { ...values, ...(region !== undefined && { region }) } };
}

/** The form of the chosen verb, about the workload of the menu's row. */
function chosenIn(verb: string, blockId: string): ReturnType<typeof openingIn> {
  const workload = workloadOfMenu(blockId);
  const command = formCommand(verb);
  if (workload === undefined || command === undefined) return undefined;
  return { command, values: { ...valuesFor(verb, workload), region: workload.region } };
}
