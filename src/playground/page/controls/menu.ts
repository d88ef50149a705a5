import { h, type JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon, type IconName } from "./icon.ts";
import { useMenu } from "./use-menu.ts";

export type MenuItem = {
  readonly label: string;
  /** A second line. */
  readonly detail?: string;
  readonly isDanger?: boolean;
  readonly run: () => void;
};

/** A button that opens a menu. */
export function Menu(props: {
  readonly icon: IconName;
  readonly label: string;
  readonly items: readonly MenuItem[];
}): JSX.Element {
  const { icon, label, items } = props;
  const { isOpen, opener, menu, close, toggle, onKeyDown, onFocusOut } = useMenu();
  const id = useId();
  const choose = (item: MenuItem): void => {
    close();
    item.run();
  };
  const opens = { "aria-haspopup": "menu", "aria-expanded": isOpen, "aria-controls": isOpen ? id : undefined } as const; // "menu" is one of ARIA's words
  return h(
    "span",
    { class: "menu-holder", onKeyDown, onFocusOut },
    h(
      "button",
      {
        ref: opener,
        type: "button",
        class: "icon-button",
        title: label,
        "aria-label": label,
        ...opens,
        onClick: toggle,
      },
      h(Icon, { name: icon }),
    ),
    isOpen
      ? h(
          "div",
          { id, ref: menu, popover: "manual", role: "menu", "aria-label": label, class: "menu" },
          items.map((item) => h(Item, { key: item.label, item, onChoose: () => choose(item) })),
        )
      : null,
  );
}

function Item({ item, onChoose }: { readonly item: MenuItem; readonly onChoose: () => void }): JSX.Element {
  return h(
    "button",
    {
      type: "button",
      role: "menuitem",
      tabIndex: -1,
      class: item.isDanger === true ? "menu-item danger" : "menu-item",
      onClick: onChoose,
    },
    h("span", { class: "menu-label" }, item.label),
    item.detail === undefined ? null : h("small", null, item.detail),
  );
}
