import type { InputBlock } from "@slack/types";
import type { FormField } from "../../commands/forms/form.ts";
import { limits } from "../kit/blocks.ts";
import { formElement } from "./form-element.ts";
import { plain } from "../kit/plain.ts";

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
