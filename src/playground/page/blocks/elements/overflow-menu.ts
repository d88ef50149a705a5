import { h, type JSX } from "preact";
import { useId } from "preact/hooks";
import { type JsonObject, objectsOf } from "../../../json.ts";
import { wordsOf } from "../text/plain-text.ts";
import { TextObject } from "../text/text-object.ts";
import { type ElementProps, useElement } from "./use-element.ts";
import { useMenu } from "../../controls/menu.ts";

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
  const { send, isBusy, extras } = useElement(props);
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
