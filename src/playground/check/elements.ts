import { acts, element } from "./element.ts";
import { datetimepicker, fields, pickers, richTextInput } from "./fields.ts";
import { imageElement } from "./images.ts";
import { menus, overflow } from "./menus.ts";
import { all, byType, type Check, may, must, text, url, word } from "./shape.ts";
import { plain } from "./text-objects.ts";

// Elements allowed in each block: https://docs.slack.dev/reference/block-kit/block-elements

export const button: Check = element("button", {
  ...acts,
  text: must(plain("button.text")),
  value: may(text("button.value")),
  url: may(all(text("button.url"), url)),
  style: may(word("primary", "danger")),
  accessibility_label: may(text("button.label")),
});

const rich = { rich_text_input: richTextInput };

/** The accessory of a section. */
export const accessory: Check = byType(
  { button, overflow, image: imageElement, ...menus, ...pickers },
  "element.block",
);
/** In an actions block. */
export const action: Check = byType(
  { button, overflow, ...menus, ...pickers, datetimepicker, ...rich },
  "element.block",
);
/** In an input block. */
export const input: Check = byType({ ...menus, ...pickers, datetimepicker, ...fields, ...rich }, "element.block");
