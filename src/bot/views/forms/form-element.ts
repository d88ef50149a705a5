import type { ExternalSelect, InputBlock, InputBlockElement, PlainTextElement, PlainTextInput } from "@slack/types";
import { z } from "zod";
import type { FormField, FormInput, FormValues } from "../../commands/forms/form.ts";
import { encodeAction, type Picker } from "../kit/action-id.ts";
import { limits, option, optionsOf, NONE } from "../kit/blocks.ts";
import { plain, visible, visibleLines } from "../kit/text.ts";
import { isCalendarDay } from "../kit/time.ts";

/** The value of a ticked box. */
const TICKED = "yes";
/** Enough for a name of 253 characters after `service/`. */
const NAME_LENGTH = 300;

type Base = { readonly action_id: string; readonly placeholder?: PlainTextElement };
type Of<Kind extends FormInput["kind"]> = FormInput & { readonly kind: Kind };
type Picks = Of<"workload" | "instance" | "region" | "change">;

/** The input element of a field, with its value if the element accepts it. */
export function formElement({ id, input, placeholder = "" }: FormField, value: string): InputBlockElement {
  const base: Base = {
    action_id: id,
    ...(placeholder !== "" && { placeholder: plain(placeholder, limits.placeholder) }),
  };
  switch (input.kind) {
    case "text":
    case "command":
    case "lines":
      return typed(base, { maxLength: input.maxLength, isMultiline: input.kind === "lines", value });
    case "number":
      return number(base, input, value);
    case "choice":
      return choice(base, input, value);
    case "listed":
      return typed(base, { maxLength: limits.optionValue, isMultiline: false, value });
    case "choices": {
      const all = optionsOf(input.options);
      const chosen = all.filter((each) => value.split("\n").some((line) => line === each.value));
      return {
        type: "multi_static_select",
        ...withPlaceholder(base, "Choose…"),
        options: all,
        ...(chosen.length > 0 && { initial_options: chosen }),
      };
    }
    case "channel":
      return {
        type: "conversations_select",
        ...withPlaceholder(base, "Choose a channel…"),
        filter: { include: ["public", "private"], exclude_bot_users: true },
        ...(input.isCurrent && { default_to_current_conversation: true }),
        ...(/^[CG][A-Z0-9]{2,20}$/u.test(value) && { initial_conversation: value }),
      };
    case "tick": {
      const box = { text: plain(input.text, limits.optionText), value: TICKED };
      return { type: "checkboxes", action_id: id, options: [box], ...(value === TICKED && { initial_options: [box] }) };
    }
    case "date":
      // Slack rejects the form for any other initial date.
      return {
        type: "datepicker",
        ...base,
        ...(/^[12]/u.test(value) && isCalendarDay(value) && { initial_date: value }),
      };
    case "person": {
      const [, user] = /^<@([UW][A-Z0-9]{2,20})(?:\|[^>]*)?>$/u.exec(value) ?? [];
      const initial = user === undefined ? {} : { initial_user: user };
      return { type: "users_select", ...withPlaceholder(base, "Choose a person…"), ...initial };
    }
    default:
      return picked(base, input, value);
  }
}

type Drawing = {
  readonly value?: string | undefined;
  /** See `blockIdOf`. */
  readonly generation?: number;
  /** The first empty field that is needed has the cursor. Slack takes one focused element in a view. */
  readonly isFocused?: boolean;
};

/**
 * The id of a field's block; Slack expects errors under it. When a view is updated, Slack keeps what was typed in a block
 * with the same id and ignores its new initial value. A value that arrives later therefore needs a new generation.
 * https://docs.slack.dev/surfaces/modals#updating_views
 */
function blockIdOf(fieldId: string, generation: number): string {
  return generation > 0 ? `${fieldId}@${generation}` : fieldId;
}

/** A field as a Slack block. A value that Slack would refuse is left out. */
export function formInput(field: FormField, drawing: Drawing = {}): InputBlock {
  const { value = "", generation = 0, isFocused = false } = drawing;
  const { id, label, hint = "" } = field;
  return {
    type: "input",
    block_id: blockIdOf(id, generation),
    label: plain(label, limits.inputLabel),
    optional: field.isOptional === true,
    ...(hint !== "" && { hint: plain(hint, limits.inputHint) }),
    ...(field.redraws === true && { dispatch_action: true }),
    element: { ...formElement(field, value), ...(isFocused && { focus_on_load: true }) },
  };
}

/** A menu always has a placeholder. */
function withPlaceholder(base: Base, text: string): Base {
  return { placeholder: plain(text, limits.placeholder), ...base };
}

type Typing = { readonly maxLength: number; readonly isMultiline: boolean; readonly value: string };

function typed(base: Base, { maxLength, isMultiline, value }: Typing): PlainTextInput {
  const max = Math.max(1, Math.min(Math.trunc(maxLength) || 1, limits.inputLength));
  const shown = isMultiline ? visibleLines(value) : visible(value);
  return {
    type: "plain_text_input",
    ...base,
    multiline: isMultiline,
    max_length: max,
    ...(shown !== "" && shown.length <= max && { initial_value: shown }),
  };
}

function number(base: Base, { from, to }: Of<"number">, value: string): InputBlockElement {
  const text = value.trim();
  const fits = /^-?\d{1,15}$/u.test(text) && Number(text) >= from && Number(text) <= to;
  return {
    type: "number_input",
    ...base,
    is_decimal_allowed: false,
    min_value: String(from),
    max_value: String(to),
    ...(fits && { initial_value: text }),
  };
}

function choice(base: Base, { options, style }: Of<"choice">, value: string): InputBlockElement {
  const all = optionsOf(options);
  const chosen = all.find((each) => each.value === value);
  const initial = chosen === undefined ? {} : { initial_option: chosen };
  // Slack refuses an empty menu, so the value is typed.
  if (all.length === 0) return typed(base, { maxLength: limits.inputLength, isMultiline: false, value });
  if (style === "radio" && all.length <= limits.radioOptions) {
    return { type: "radio_buttons", action_id: base.action_id, options: all, ...initial };
  }
  return { type: "static_select", ...withPlaceholder(base, "Choose one…"), options: all, ...initial };
}

/** The options come from Gantry, which identifies the menu by its action_id. */
function picked(base: Base, input: Picks, value: string): InputBlockElement {
  const isAny = input.kind === "workload" && input.of === "any";
  // In a menu of both kinds, two workloads can have the same name.
  const text = input.kind === "workload" && !isAny ? value.replace(/^(?:service|job)\//u, "") : value;
  const initial = option({ value, text });
  // A long name doesn't fit into an option, but into a text field.
  if (value !== "" && initial === undefined) return typed(base, { maxLength: NAME_LENGTH, isMultiline: false, value });
  const element = picker(
    input.kind === "workload" ? input.of : input.kind,
    base.placeholder?.text ?? "Type to search…",
  );
  return { ...element, ...(initial !== undefined && { initial_option: initial }) };
}

/** A menu that requests its options from Gantry, also before anything is typed. */
export function picker(of: Picker, placeholder = ""): ExternalSelect {
  return {
    type: "external_select",
    action_id: encodeAction({ kind: "pick", of }),
    min_query_length: 0,
    ...(placeholder !== "" && { placeholder: plain(placeholder, limits.placeholder) }),
  };
}

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
