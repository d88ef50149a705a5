import { type FunctionComponent, h, type JSX } from "preact";
import type { ElementType } from "../../../block-kit.ts";
import { type JsonObject, objectsOf, textOf } from "../../../json.ts";
import { Choices, DateField, TextField } from "./fields.ts";
import { Select } from "./select.ts";
import { type ElementProps, useElement } from "./use-element.ts";
import { safeLink, wordsOf } from "../plain-text.ts";
import { TextObject } from "../text-object.ts";
import { useId } from "preact/hooks";
import { useMenu } from "../../controls/menu.ts";

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

function drawItems(props: ElementProps, choose: (option: JsonObject) => void): readonly JSX.Element[] {
  return objectsOf(props.element["options"]).map((option) =>
    h(
      "button",
      { type: "button", role: "menuitem", tabIndex: -1, class: "popup-item bare", onClick: () => choose(option) },
      h(TextObject, { text: option["text"], context: props.context }),
      h("small", null, wordsOf(option, "description")),
    ),
  );
}

/** The ⋯ menu: https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element */
function OverflowMenu(props: ElementProps): JSX.Element {
  const { send, isBusy, extras } = useElement(props);
  const { isOpen, opener, menu, close, toggle, onKeyDown, onFocusOut } = useMenu();
  const id = useId();
  const choose = (option: JsonObject): void => {
    close();
    if (!isBusy) send(option);
  };
  const button = {
    ref: opener,
    type: "button" as const, // the literal, not any string
    class: "button overflow",
    "aria-label": `More actions: ${props.name}`,
    "aria-haspopup": "menu" as const, // the literal, not any string
    "aria-expanded": isOpen,
    "aria-controls": isOpen ? id : undefined,
    "aria-busy": isBusy,
    onClick: toggle,
  };
  const list = { id, ref: menu, popover: "manual" as const, role: "menu" as const, class: "popup above", onFocusOut }; // the literals
  return h(
    "span",
    { class: "element", onKeyDown },
    h("button", button, "⋯"),
    isOpen ? h("div", list, ...drawItems(props, choose)) : null,
    extras,
  );
}
