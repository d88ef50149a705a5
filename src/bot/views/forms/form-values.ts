import { z } from "zod";
import type { FormValues } from "../../commands/forms/form.ts";
import { NONE } from "../kit/menu.ts";

const Chosen = z.object({ value: z.string() });

/** The value of one element. The key depends on the kind of element. */
const ElementState = z.object({
  value: z.string().nullish(),
  selected_option: Chosen.nullish(),
  selected_options: z.array(Chosen).nullish(),
  selected_date: z.string().nullish(),
  selected_user: z.string().nullish(),
  selected_conversation: z.string().nullish(),
});
type ElementState = z.output<typeof ElementState>;

/** `view.state.values`, by block_id and action_id: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export const StateValues = z.record(z.string(), z.record(z.string(), ElementState));
export type StateValues = z.output<typeof StateValues>;

/** The values of a form by field, as typed. Empty fields are left out. Pure. */
export function valuesIn(state: StateValues): FormValues {
  const filled = Object.entries(state).flatMap(([blockId, elements]) => {
    const [value] = Object.values(elements)
      .map(textOf)
      .filter((text) => text.trim() !== "" && text !== NONE);
    return value === undefined ? [] : [[fieldIdOf(blockId), value] as const];
  });
  return Object.fromEntries(filled);
}

/** The field's block of any generation; undefined when the field isn't shown. See `blockIdOf`. */
export function blockOf(fieldId: string, blockIds: readonly string[]): string | undefined {
  return blockIds.find((each) => fieldIdOf(each) === fieldId);
}

function fieldIdOf(blockId: string): string {
  return blockId.replace(/@\d+$/u, "");
}

function textOf(element: ElementState): string {
  const { value, selected_option, selected_options, selected_date, selected_user, selected_conversation } = element;
  if (selected_user !== undefined && selected_user !== null) return `<@${selected_user}>`;
  const many = selected_options?.map((each) => each.value).join("\n");
  return value ?? selected_option?.value ?? many ?? selected_date ?? selected_conversation ?? "";
}
