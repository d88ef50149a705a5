import { h, type JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import { Chips } from "./chips.ts";
import { fieldAttributes } from "./field-attributes.ts";
import { Listbox, optionId } from "./listbox.ts";
import { charactersOf } from "../text/text-object.ts";
import type { ElementProps } from "./use-element.ts";
import { usePopup } from "./use-popup.ts";
import { type Selecting, useSelecting } from "./use-select.ts";

/** While the list is open, the chosen value is the placeholder; beside chips it is empty. */
function placeholderFor(selecting: Selecting, placeholder: string | undefined, shown: string): string {
  return selecting.chosen.length === 0 ? (placeholder ?? "Select …") : shown;
}

function drawField(props: ElementProps, list: { readonly id: string; readonly selecting: Selecting }): JSX.Element {
  const { id, selecting } = list;
  const { isOpen, isMany, chosen, query, active } = selecting;
  const shown = isMany ? "" : charactersOf(props.context, chosen[0]?.words ?? "");
  const attributes = fieldAttributes(props);
  return h("input", {
    ...attributes,
    class: "field chooser-field",
    type: "text",
    role: "combobox",
    autocomplete: "off",
    spellcheck: false,
    "aria-autocomplete": "list",
    "aria-haspopup": "listbox",
    "aria-expanded": isOpen,
    "aria-controls": isOpen ? id : undefined,
    "aria-activedescendant": isOpen && active >= 0 ? optionId(id, active) : undefined,
    "aria-busy": selecting.isBusy,
    value: isOpen ? query : shown,
    placeholder: placeholderFor(selecting, attributes.placeholder, shown),
    title: shown,
    onInput: (event: Event) => {
      if (event.currentTarget instanceof HTMLInputElement) selecting.type(event.currentTarget.value);
    },
    onClick: selecting.open,
    onKeyDown: selecting.onKeyDown,
    onBlur: selecting.close,
  });
}

/** Every select and multi-select: https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
export function Select(props: ElementProps): JSX.Element {
  const selecting = useSelecting(props);
  const { isOpen, isMany, chosen } = selecting;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const popup = usePopup(isOpen, box);
  const canClear = !isMany && chosen.length > 0 && props.block["optional"] === true;
  const clear = h(
    "button",
    { type: "button", class: "chooser-clear", "aria-label": `Clear ${props.name}`, onClick: selecting.clear },
    "×",
  );
  return h(
    "div",
    { class: isMany ? "element chooser many" : "element chooser" },
    h(
      "div",
      { ref: box, class: "chooser-box" },
      isMany ? h(Chips, { chosen, context: props.context, onRemove: selecting.toggle }) : null,
      drawField(props, { id, selecting }),
      canClear ? clear : null,
      h("span", { class: "chooser-arrow", "aria-hidden": true }),
    ),
    isOpen
      ? h(Listbox, {
          id,
          name: props.name,
          popup,
          context: props.context,
          offers: selecting.offers,
          active: selecting.active,
          isMany,
          chosen: chosen.map(({ key }) => key),
          onChoose: selecting.toggle,
        })
      : null,
    selecting.extras,
  );
}
