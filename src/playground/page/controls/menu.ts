import { type ComponentChildren, h, type JSX, type RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

export type MenuItem = {
  readonly label: string;
  /** A second line. */
  readonly detail?: string | undefined;
  readonly isDanger?: boolean;
  readonly run: () => void;
};

/** A button that opens a menu: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/ */
export function Menu(props: {
  readonly class: string;
  readonly label: string;
  readonly isBusy?: boolean;
  readonly items: readonly MenuItem[];
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { label, isBusy, items } = props;
  const { isOpen, opener, menu, close, toggle, onKeyDown, onFocusOut } = useMenu();
  const id = useId();
  const choose = (item: MenuItem): void => {
    close();
    item.run();
  };
  const opens = { "aria-haspopup": "menu", "aria-expanded": isOpen, "aria-controls": isOpen ? id : undefined } as const; // "menu" is one of ARIA's words
  const named = { title: label, "aria-label": label, "aria-busy": isBusy };
  return h(
    "span",
    { class: "menu-holder", onKeyDown, onFocusOut },
    h(
      "button",
      { ref: opener, type: "button", class: props.class, ...named, ...opens, onClick: toggle },
      props.children,
    ),
    isOpen
      ? h(
          "div",
          { id, ref: menu, popover: "manual", role: "menu", "aria-label": label, class: "popup above" },
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
      class: item.isDanger === true ? "popup-item bare danger" : "popup-item bare",
      onClick: onChoose,
    },
    h("span", { class: "plain" }, item.label),
    item.detail === undefined ? null : h("small", null, item.detail),
  );
}

const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  Home: () => 0,
  End: (_at, last) => last,
};

function itemsOf(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
}

/** Moves the focus within a menu. */
function moveFocus(event: KeyboardEvent, menu: HTMLElement | null): void {
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const items = itemsOf(menu);
  const at = items.findIndex((item) => item === document.activeElement);
  items[step(at, items.length - 1)]?.focus();
}

/** The keys and the focus of a menu button. */
function useMenu() {
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

const gap = 4;
const edge = 8;

/** Places a popup below its anchor, or above if there is more room, within the window. */
function position(anchor: HTMLElement, popup: HTMLElement): void {
  const box = anchor.getBoundingClientRect();
  popup.style.minWidth = `${Math.min(box.width, innerWidth - 2 * edge)}px`;
  const below = innerHeight - box.bottom - gap - edge;
  const above = box.top - gap - edge;
  const isBelow = below >= Math.min(popup.scrollHeight, 240) || below >= above;
  popup.style.maxHeight = `${Math.max(80, Math.min(320, isBelow ? below : above))}px`;
  const top = isBelow ? box.bottom + gap : box.top - gap - popup.offsetHeight;
  const left = Math.min(box.left, innerWidth - edge - popup.offsetWidth);
  popup.style.top = `${Math.max(edge, top)}px`;
  popup.style.left = `${Math.max(edge, left)}px`;
}

/**
 * Shows a popup while it is open. A popover is in the browser's top layer, so modals and scrolling panes don't clip
 * it. The popup needs `popover: "manual"`.
 */
export function usePopup(isOpen: boolean, anchor: RefObject<HTMLElement | null>): RefObject<HTMLDivElement | null> {
  const popup = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = popup.current;
    const at = anchor.current;
    if (!isOpen || shown === null || at === null) return undefined;
    shown.showPopover();
    const follow = (): void => position(at, shown);
    const sizes = new ResizeObserver(follow);
    sizes.observe(shown);
    follow();
    addEventListener("scroll", follow, true);
    addEventListener("resize", follow);
    return () => {
      sizes.disconnect();
      removeEventListener("scroll", follow, true);
      removeEventListener("resize", follow);
      if (shown.isConnected && shown.matches(":popover-open")) shown.hidePopover();
    };
  }, [isOpen]);
  return popup;
}
