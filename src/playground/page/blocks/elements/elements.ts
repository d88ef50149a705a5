import { type FunctionComponent, h, type JSX } from "preact";
import type { ElementType } from "../../../block-kit.ts";
import { objectsOf, textOf } from "../../../json.ts";
import { Choices, DateField, TextField } from "./fields.ts";
import { Select } from "./select.ts";
import { type ElementProps, useElement } from "./use-element.ts";
import { safeLink, wordsOf } from "../plain-text.ts";
import { TextObject } from "../text-object.ts";
import { Menu } from "../../controls/menu.ts";

const kinds: Readonly<Record<string, FunctionComponent<ElementProps>>> = {
  button: Button,
  overflow: OverflowMenu,
  static_select: Select,
  multi_static_select: Select,
  external_select: Select,
  users_select: Select,
  conversations_select: Select,
  checkboxes: Choices,
  radio_buttons: Choices,
  datepicker: DateField,
  plain_text_input: TextField,
  number_input: TextField,
} satisfies Record<ElementType, FunctionComponent<ElementProps>>;

/** Any element of a block: https://docs.slack.dev/reference/block-kit/block-elements */
export function Element(props: ElementProps): JSX.Element {
  const type = textOf(props.element["type"]);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  return kind === undefined ? h("span", { class: "not-drawn" }, `Not drawn here: ${type}`) : h(kind, props);
}

/** A button; one with a url opens it too. https://docs.slack.dev/reference/block-kit/block-elements/button-element */
function Button(props: ElementProps): JSX.Element {
  const { element, context } = props;
  const href = safeLink(textOf(element["url"]));
  const style = textOf(element["style"]);
  const { send, isBusy, extras } = useElement(props);
  const shared = {
    class: style === "primary" || style === "danger" ? `button ${style}` : "button",
    // Not `disabled`, which would lose the keyboard focus.
    "aria-busy": isBusy,
    "aria-disabled": isBusy || undefined,
    title: wordsOf(element),
  };
  const click = (): void => {
    if (!isBusy) send(null);
  };
  const label = h("span", { class: "button-label cut" }, h(TextObject, { text: element["text"], context }));
  if (href === undefined)
    return h("span", { class: "element" }, h("button", { ...shared, type: "button", onClick: click }, label), extras);
  const follow = (event: MouseEvent): void => {
    if (isBusy) event.preventDefault();
    click();
  };
  const anchor = h("a", { ...shared, href, target: "_blank", rel: "noopener noreferrer", onClick: follow }, label);
  return h("span", { class: "element" }, anchor, extras);
}

/** The ⋯ menu: https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element */
function OverflowMenu(props: ElementProps): JSX.Element {
  const { send, isBusy, extras } = useElement(props);
  const items = objectsOf(props.element["options"]).map((option) => ({
    label: wordsOf(option),
    detail: wordsOf(option, "description") || undefined,
    run: () => (isBusy ? undefined : send(option)),
  }));
  const menu = { class: "button overflow", label: `More actions: ${props.name}`, isBusy, items };
  return h("span", { class: "element" }, h(Menu, menu, "⋯"), extras);
}
