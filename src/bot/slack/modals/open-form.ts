import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import type { FormValues } from "../../commands/forms/form.ts";
import { type FormCommand, formCommand } from "../../commands/grammar/parse.ts";
import { valuesFor } from "../../commands/command.ts";
import { workloadOfMenu } from "../../views/kit/ask-buttons.ts";
import type { Action } from "../../views/kit/action-id.ts";
import { jsonIn } from "../receive/payload.ts";
import { skeletonView } from "../../views/forms/modal.ts";
import type { Origin } from "../../workflow/origin.ts";
import { drawForm, type OpenedForm, chosenName, readsFacts } from "./draw-form.ts";
import { fillLater, refuseLater } from "./fill-form.ts";
import { newMetadata } from "./form-metadata.ts";
import { openForm } from "./update-view.ts";

export type Opening = {
  readonly command: FormCommand;
  readonly values: FormValues;
  readonly origin: Origin;
  readonly triggerId: string;
};

/**
 * Opens a verb's form while the trigger is valid. Reads for the form come afterwards, so a slow workload API doesn't delay
 * it.
 */
export async function openVerbForm(
  deps: WorkspaceParts,
  { command, values, origin, triggerId }: Opening,
): Promise<void> {
  const { like, ...shown } = values;
  const metadata = { ...newMetadata(command, origin), ...(like !== undefined && { like }) };
  const opened: OpenedForm = { command, values: shown, metadata };
  const isFilled = readsFacts(opened) || command.form.prefillsAtOnce === true;
  const view = isFilled
    ? skeletonView({ title: command.form.title, sentence: `Loading ${chosenName(opened) ?? "the form"}…` })
    : drawForm(opened, { fresh: new Set(Object.keys(shown)) });
  const open = await openForm(deps, { triggerId, view, origin });
  if (open === undefined) return;
  const filling = { ...opened, version: { ...open, isCurrent: deps.openViews.changed(open.viewId) }, isNew: true };
  if (isFilled) fillLater(deps, filling);
  else refuseLater(deps, filling);
}

/** The value of a button that opens a form. */
const FormOpening = z.object({
  verb: z.string(),
  values: z.record(z.string(), z.string()).default({}),
  region: z.string().optional(),
});

/** The form that a click opens, and its first values. Undefined for verbs that no longer exist. */
export function openingIn(
  action: Action & { readonly kind: "openForm" | "formMenu" },
  value: string,
  blockId = "",
): Pick<Opening, "command" | "values"> | undefined {
  if (action.kind === "formMenu") {
    // The chosen option is a verb; it is about the workload of the menu's row.
    const workload = workloadOfMenu(blockId);
    const command = formCommand(value);
    if (workload === undefined || command === undefined) return undefined;
    return { command, values: { ...valuesFor(command, workload.name), region: workload.region } };
  }
  const { verb, values, region } = FormOpening.safeParse(jsonIn(value)).data ?? {};
  const command = verb === undefined ? undefined : formCommand(verb);
  return command && { command, values: { ...values, ...(region !== undefined && { region }) } };
}
