import { Fragment, h, type JSX, type RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Choice, ChoiceGroup } from "./choice.ts";
import type { BlockContext } from "../block-context.ts";
import { plainWithEmoji } from "../text/text-object.ts";
import type { Offers } from "./use-options.ts";

export type ListboxProps = {
  readonly id: string;
  readonly name: string;
  readonly popup: RefObject<HTMLDivElement | null>;
  readonly context: BlockContext;
  readonly offers: Offers;
  /** Indexed over all groups. */
  readonly active: number;
  readonly isMany: boolean;
  readonly chosen: readonly string[];
  readonly onChoose: (choice: Choice) => void;
};

export function optionId(listbox: string, at: number): string {
  return `${listbox}-${at}`;
}

function drawOption(props: ListboxProps, choice: Choice, at: number): JSX.Element {
  const isChosen = props.chosen.includes(choice.key);
  return h(
    "div",
    {
      id: optionId(props.id, at),
      role: "option",
      class: at === props.active ? "popup-item active" : "popup-item",
      "aria-selected": isChosen,
      onClick: () => props.onChoose(choice),
    },
    h("span", { class: "popup-check", "aria-hidden": true }, isChosen ? "✓" : ""),
    h("span", { class: "plain" }, ...plainWithEmoji(props.context, choice.words)),
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
export function Listbox(props: ListboxProps): JSX.Element {
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
      class: "popup",
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
