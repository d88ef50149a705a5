import { h, type JSX, type RefObject } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./controls.ts";
import { usePopup } from "../blocks/elements/use-popup.ts";

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

type OpenMenu = {
  readonly isOpen: boolean;
  readonly opener: RefObject<HTMLButtonElement | null>;
  readonly menu: ReturnType<typeof usePopup>;
  readonly close: () => void;
  readonly toggle: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onFocusOut: (event: FocusEvent) => void;
};

const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  Home: () => 0,
  End: (_at, last) => last,
};

function itemsOf(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
}

/** Moves the focus within a menu: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/ */
function moveFocus(event: KeyboardEvent, menu: HTMLElement | null): void {
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const items = itemsOf(menu);
  const at = items.findIndex((item) => item === document.activeElement);
  items[step(at, items.length - 1)]?.focus();
}

/** The keys and the focus of a menu button: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/ */
export function useMenu(): OpenMenu {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const menu = usePopup(isOpen, opener);
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  const toggle = (): void => {
    setOpen(!isOpen);
    if (!isOpen) requestAnimationFrame(() => itemsOf(menu.current)[0]?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    // Escape closes the menu only, not the page's panes or the modal behind.
    if (event.key === "Escape") event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      close();
    } else moveFocus(event, menu.current);
  };
  const onFocusOut = (event: FocusEvent): void => {
    const to = event.relatedTarget;
    if (!(to instanceof Node) || opener.current?.parentElement?.contains(to) !== true) setOpen(false);
  };
  return { isOpen, opener, menu, close, toggle, onKeyDown, onFocusOut };
}
