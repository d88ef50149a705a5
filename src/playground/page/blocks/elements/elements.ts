import { type FunctionComponent, h, type JSX } from "preact";
import { isObject, type JsonObject, textOf } from "../../../json.ts";
import { Choices } from "./checkboxes.ts";
import { DateField, TextField } from "./fields.ts";
import { Image } from "../image.ts";
import { OverflowMenu } from "./overflow-menu.ts";
import { Select } from "./select.ts";
import { type ElementProps, useElement } from "./use-element.ts";
import { safeLink, wordsOf } from "../text/plain-text.ts";
import { TextObject } from "../text/text-object.ts";

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

const kinds: Readonly<Record<string, FunctionComponent<ElementProps>>> = {
  button: Button,
  overflow: OverflowMenu,
  image: ({ element, context }) => h(Image, { image: element, context, size: "accessory" }),
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

/** A button; one with a url opens it too. https://docs.slack.dev/reference/block-kit/block-elements/button-element */
function Button(props: ElementProps): JSX.Element {
  const { element, context } = props;
  const href = safeLink(textOf(element["url"]));
  const style = textOf(element["style"]);
  const asksFirst = isObject(element["confirm"]);
  const { send, isBusy, extras } = useElement(props, () => {
    if (href !== undefined && asksFirst) open(href, "_blank", "noopener,noreferrer");
  });
  const shared = {
    class: style === "primary" || style === "danger" ? `button ${style}` : "button",
    "aria-label": textOf(element["accessibility_label"]) || undefined,
    // Not `disabled`, which would lose the keyboard focus.
    "aria-busy": isBusy,
    "aria-disabled": isBusy || undefined,
    title: wordsOf(element),
  };
  const click = (): void => {
    if (!isBusy) send({ kind: "click" });
  };
  const label = h("span", { class: "button-label" }, h(TextObject, { text: element["text"], context }));
  if (href === undefined)
    return h("span", { class: "element" }, h("button", { ...shared, type: "button", onClick: click }, label), extras);
  const follow = (event: MouseEvent): void => {
    if (asksFirst || isBusy) event.preventDefault();
    click();
  };
  const anchor = h("a", { ...shared, href, target: "_blank", rel: "noopener noreferrer", onClick: follow }, label);
  return h("span", { class: "element" }, anchor, extras);
}

/** A block or element that the playground can't draw, shown as JSON. */
export function Unsupported(props: { readonly what: "block" | "element"; readonly json: JsonObject }): JSX.Element {
  const type = textOf(props.json["type"]) || "without a type";
  return h(
    "details",
    { class: "not-drawn" },
    h("summary", null, `Not drawn here: ${props.what} `, h("code", null, type)),
    h("pre", { tabIndex: 0 }, JSON.stringify(props.json, null, 2)),
  );
}
