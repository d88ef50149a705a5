import { type FunctionComponent, h, type JSX } from "preact";
import { textOf } from "../../../json.ts";
import { Button } from "./button.ts";
import { Choices } from "./checkboxes.ts";
import { DateField } from "./date-fields.ts";
import { Image } from "../image.ts";
import { Unsupported } from "../unsupported.ts";
import { OverflowMenu } from "./overflow-menu.ts";
import { Select } from "./select.ts";
import { TextField } from "./text-field.ts";
import type { ElementProps } from "./use-element.ts";

function FileInput(props: ElementProps): JSX.Element {
  return h(
    "div",
    { class: "element file-input" },
    h("input", {
      type: "file",
      disabled: true,
      "aria-labelledby": props.labelId,
      "aria-label": props.labelId === undefined ? props.name : undefined,
      "aria-describedby": props.describedBy,
    }),
    h("small", null, "The playground shows file inputs but takes no files."),
  );
}

function AccessoryImage(props: ElementProps): JSX.Element {
  return h(Image, { image: props.element, context: props.context, size: "accessory" });
}

const kinds: Readonly<Record<string, FunctionComponent<ElementProps>>> = {
  button: Button,
  overflow: OverflowMenu,
  image: AccessoryImage,
  static_select: Select,
  multi_static_select: Select,
  external_select: Select,
  multi_external_select: Select,
  users_select: Select,
  multi_users_select: Select,
  channels_select: Select,
  multi_channels_select: Select,
  conversations_select: Select,
  multi_conversations_select: Select,
  checkboxes: Choices,
  radio_buttons: Choices,
  datepicker: DateField,
  timepicker: DateField,
  datetimepicker: DateField,
  plain_text_input: TextField,
  rich_text_input: TextField,
  number_input: TextField,
  email_text_input: TextField,
  url_text_input: TextField,
  file_input: FileInput,
};

/** Any element of a block: https://docs.slack.dev/reference/block-kit/block-elements */
export function Element(props: ElementProps): JSX.Element {
  const type = textOf(props.element["type"]);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined) return h(Unsupported, { what: "element", json: props.element });
  return h(kind, props);
}
