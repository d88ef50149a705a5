import { block } from "./block.ts";
import { acts, element } from "./element.ts";
import { byType, type Check, list, may, must, object, someString, text, word } from "./shape.ts";
import { plain } from "./text-objects.ts";

const feedback = object({
  text: must(plain("button.text")),
  value: must(text("button.value")),
  accessibility_label: may(text("button.label")),
});

const elements = {
  feedback_buttons: element("feedback_buttons", {
    action_id: acts.action_id,
    positive_button: must(feedback),
    negative_button: must(feedback),
  }),
  icon_button: element("icon_button", {
    ...acts,
    icon: must(word("trash")),
    text: must(plain("button.text")),
    value: may(text("button.value")),
    accessibility_label: may(text("button.label")),
    visible_to_user_ids: may(list(someString)),
  }),
};

/** https://docs.slack.dev/reference/block-kit/blocks/context-actions-block */
export const contextActions: Check = block("context_actions", {
  elements: must(list(byType(elements, "element.block"), "context-actions.elements")),
});
