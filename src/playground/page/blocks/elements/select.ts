import { Fragment, h, type JSX, type RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { type ElementProps, fieldAttributes } from "./use-element.ts";
import { usePopup } from "../../controls/menu.ts";
import { type Offers, type Selecting, useSelecting } from "./use-select.ts";
import type { Choice, ChoiceGroup } from "../block-context.ts";

function drawField(props: ElementProps, list: { readonly id: string; readonly selecting: Selecting }): JSX.Element {
  const { id, selecting } = list;
  const { isOpen, isMany, chosen, query, active } = selecting;
  const shown = isMany ? "" : (chosen[0]?.words ?? "");
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
    // While the list is open, the chosen value is the placeholder; beside chips it is empty.
    placeholder: chosen.length === 0 ? (attributes.placeholder ?? "Select …") : shown,
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
      isMany ? h(Chips, { chosen, onRemove: selecting.toggle }) : null,
      drawField(props, { id, selecting }),
      canClear ? clear : null,
      h("span", { class: "chooser-arrow", "aria-hidden": true }),
    ),
    isOpen
      ? h(Listbox, {
          id,
          name: props.name,
          popup,
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

/** The chosen values of a multi-select, each with a button that removes it. */
function Chips(props: {
  readonly chosen: readonly Choice[];
  readonly onRemove: (choice: Choice) => void;
}): JSX.Element {
  return h(
    "ul",
    { class: "picked-list", "aria-label": "Chosen" },
    ...props.chosen.map((choice) =>
      h(
        "li",
        { class: "picked", key: choice.key },
        h("span", { class: "cut", title: choice.words }, choice.words),
        h(
          "button",
          { type: "button", "aria-label": `Remove ${choice.words}`, onClick: () => props.onRemove(choice) },
          "×",
        ),
      ),
    ),
  );
}

type ListboxProps = {
  readonly id: string;
  readonly name: string;
  readonly popup: RefObject<HTMLDivElement | null>;
  readonly offers: Offers;
  /** Indexed over all groups. */
  readonly active: number;
  readonly isMany: boolean;
  readonly chosen: readonly string[];
  readonly onChoose: (choice: Choice) => void;
};

function optionId(listbox: string, at: number): string {
  return `${listbox}-${at}`;
}

function drawOption(props: ListboxProps, choice: Choice, at: number): JSX.Element {
  const isChosen = props.chosen.includes(choice.key);
  return h(
    "div",
    {
      id: optionId(props.id, at),
      role: "option",
      class: at === props.active ? "popup-item bare active" : "popup-item bare",
      "aria-selected": isChosen,
      onClick: () => props.onChoose(choice),
    },
    h("span", { class: "popup-check", "aria-hidden": true }, isChosen ? "✓" : ""),
    h("span", { class: "plain" }, choice.words),
    choice.more === "" ? null : h("small", null, choice.more),
  );
}

function drawGroup(props: ListboxProps, group: ChoiceGroup, from: number): JSX.Element {
  const options = group.choices.map((choice, at) => drawOption(props, choice, from + at));
  if (group.label === "") return h(Fragment, null, ...options);
  const id = `${props.id}-group-${from}`;
  const label = h("div", { id, class: "popup-group", role: "presentation" }, group.label);
  return h("div", { role: "group", "aria-labelledby": id }, label, ...options);
}

/** The open list of a select: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
function Listbox(props: ListboxProps): JSX.Element {
  const { groups, notice } = props.offers;
  // After the popup is shown: until then, there is nothing to scroll.
  useEffect(() => {
    document.getElementById(optionId(props.id, props.active))?.scrollIntoView({ block: "nearest" });
  }, [props.active]);
  let from = 0;
  const drawn = groups.map((group) => {
    const drawnGroup = drawGroup(props, group, from);
    from += group.choices.length;
    return drawnGroup;
  });
  return h(
    "div",
    {
      ref: props.popup,
      popover: "manual",
      class: "popup above",
      // The field keeps the focus; aria-activedescendant points into the list.
      onMouseDown: (event: MouseEvent) => event.preventDefault(),
    },
    h(
      "div",
      { id: props.id, role: "listbox", "aria-label": props.name, "aria-multiselectable": props.isMany || undefined },
      ...drawn,
    ),
    notice === "" ? null : h("div", { class: "popup-notice", role: "status" }, notice),
  );
}
