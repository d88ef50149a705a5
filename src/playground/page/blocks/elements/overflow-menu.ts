import { h, type JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { type JsonObject, objectsOf, textOf } from "../../../json.ts";
import { safeLink, wordsOf } from "../text/plain-text.ts";
import { TextObject } from "../text/text-object.ts";
import { type ElementProps, useElement } from "./use-element.ts";
import { moveFocus } from "../../controls/menu.ts";
import { usePopup } from "./use-popup.ts";

/** The state of the menu, and its key and click handlers. */
function useMenu() {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const menu = usePopup(isOpen, opener);
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  const toggle = (): void => {
    if (isOpen) return close();
    setOpen(true);
    requestAnimationFrame(() => menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    if (event.key === "Escape") event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") close();
    else moveFocus(event, menu.current);
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    const isInside = relatedTarget instanceof Node && menu.current?.contains(relatedTarget) === true;
    if (!isInside && relatedTarget !== opener.current) setOpen(false);
  };
  return { isOpen, opener, menu, close, toggle, onKeyDown, onFocusOut };
}

function drawItems(props: ElementProps, choose: (option: JsonObject) => void): readonly JSX.Element[] {
  return objectsOf(props.element["options"]).map((option) =>
    h(
      "button",
      { type: "button", role: "menuitem", tabIndex: -1, class: "popup-item", onClick: () => choose(option) },
      h(TextObject, { text: option["text"], context: props.context }),
      h("small", null, wordsOf(option, "description")),
    ),
  );
}

/** The ⋯ menu: https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element */
export function OverflowMenu(props: ElementProps): JSX.Element {
  const { send, isBusy, extras } = useElement(props, (value) => {
    const href = value.kind === "option" ? safeLink(textOf(value.option["url"])) : undefined;
    if (href !== undefined) open(href, "_blank", "noopener,noreferrer");
  });
  const { isOpen, opener, menu, close, toggle, onKeyDown, onFocusOut } = useMenu();
  const id = useId();
  const choose = (option: JsonObject): void => {
    close();
    if (!isBusy) send({ kind: "option", option });
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
  const list = { id, ref: menu, popover: "manual" as const, role: "menu" as const, class: "popup", onFocusOut }; // the literals
  return h(
    "span",
    { class: "element", onKeyDown },
    h("button", button, "⋯"),
    isOpen ? h("div", list, ...drawItems(props, choose)) : null,
    extras,
  );
}
