import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

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
