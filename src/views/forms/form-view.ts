import type { ModalView, InputBlock } from "@slack/types";
import type { Form, FormField, FormValues } from "../../commands/forms/form.ts";
import { actionButton, actions, section, type Line, limits } from "../kit/blocks.ts";
import type { Block } from "../kit/message.ts";
import { modal } from "./modal.ts";
import { truncate, plain } from "../kit/text.ts";
import { formElement } from "./form-element.ts";

export type FormViewInput = {
  readonly verb: string;
  readonly form: Pick<Form, "title" | "submit">;
  /** Those that the values ask for, in their order. */
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  /** Complete sentences: what was read for the person. */
  readonly notes: readonly string[];
  /** Over everything else: why the form stands there again, or what it would do. */
  readonly above: readonly Block[];
  /** Whether "More settings" was clicked. */
  readonly isMore: boolean;
  /** Whether it was opened outside of any channel, so that it asks for one. */
  readonly asksWhere: boolean;
  /** By field, how often its value came later: see `blockIdOf`. */
  readonly generations: Readonly<Record<string, number>>;
  /** Comes back with each click and the submission; at most 3,000 characters. */
  readonly metadata: string;
};

const NOTES = 10;
const NOTE = 900;
/** JSON of all fields with what stands in them, in bytes; Slack allows 250,000 for a view. https://docs.slack.dev/reference/methods/views.open */
const ROOM = 200_000;

/** The form of a verb: what is to be said first, what was read, a field each, the rarer ones behind a button. */
export function formView(input: FormViewInput): ModalView {
  const { verb, form, metadata, values } = input;
  const shown = shownFields(input);
  return modal({
    title: form.title,
    close: "Cancel",
    form: { callbackId: `form:${verb}`, submit: form.submit, metadata },
    blocks: [
      ...input.above,
      ...noteBlocks(input.notes),
      ...inputs(shown, input),
      ...(input.asksWhere ? [channelInput(valueOf(values, CHANNEL_FIELD))] : []),
      ...(shown.length < input.fields.length ? actions(moreButton) : []),
    ],
  });
}

const moreButton = actionButton({ label: "More settings", act: "form:more", value: "more" });

function valueOf(values: FormValues, id: string): string {
  return (Object.hasOwn(values, id) ? values[id] : undefined) ?? "";
}

/** A rarer field in which something stands is shown: nothing that counts is hidden. */
function shownFields({ fields, values, isMore }: FormViewInput): readonly FormField[] {
  return fields.filter((field) => isMore || field.isMore !== true || valueOf(values, field.id) !== "");
}

function noteBlocks(notes: readonly string[]): Block[] {
  const [first, ...rest] = notes.slice(0, NOTES).map((note): Line => truncate(note, NOTE));
  return first === undefined ? [] : [section(first, ...rest)];
}

/** A value that would make the view too large for Slack is left out. */
function inputs(fields: readonly FormField[], { values, generations }: FormViewInput): Block[] {
  let room = ROOM;
  return fields.map((field) => {
    const generation = (Object.hasOwn(generations, field.id) ? generations[field.id] : undefined) ?? 0;
    const full = formInput(field, { value: valueOf(values, field.id), generation });
    const size = Buffer.byteLength(JSON.stringify(full));
    if (size > room) return formInput(field, { value: "", generation });
    room -= size;
    return full;
  });
}

type Drawing = {
  /** What stands in the field, "" for nothing. */
  readonly value: string;
  /** How often values came later: see `blockIdOf`. */
  readonly generation: number;
};

/**
 * The id of a field's block, under which Slack wants its error. When a form is drawn again, Slack keeps what was typed in
 * blocks with equal ids, whatever their initial value is; so values that come later stand in blocks of another generation.
 * https://docs.slack.dev/surfaces/modals#updating_views
 */
export function blockIdOf(fieldId: string, generation: number): string {
  return generation > 0 ? `${fieldId}@${generation}` : fieldId;
}

/** A field of a form as Slack draws it. A value that Slack would refuse is left out; the field stays. */
export function formInput(field: FormField, { value, generation }: Drawing): InputBlock {
  const { id, label, hint = "", input } = field;
  return {
    type: "input",
    block_id: blockIdOf(id, generation),
    label: plain(label, limits.inputLabel),
    // Slack does not send a form in which a box that is not optional is left unticked.
    optional: field.isOptional === true || input.kind === "tick",
    ...(hint !== "" && { hint: plain(hint, limits.inputHint) }),
    ...(field.redraws === true && { dispatch_action: true }),
    element: formElement(field, value),
  };
}

export const CHANNEL_FIELD = "channel";

/** Where to ask, for forms that are opened outside of any channel. The person has to be a member of what they choose. */
export function channelInput(chosen = ""): InputBlock {
  return {
    type: "input",
    block_id: CHANNEL_FIELD,
    label: plain("Where to ask", limits.inputLabel),
    optional: true,
    hint: plain(
      "Approvals need a channel. Without one, Gantry answers in your conversation with it.",
      limits.inputHint,
    ),
    element: {
      type: "conversations_select",
      action_id: CHANNEL_FIELD,
      placeholder: plain("Choose a channel…", limits.placeholder),
      filter: { include: ["public", "private"], exclude_bot_users: true },
      default_to_current_conversation: true,
      ...(/^[CG][A-Z0-9]{2,20}$/u.test(chosen) && { initial_conversation: chosen }),
    },
  };
}
