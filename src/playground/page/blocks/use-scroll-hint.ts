import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The side on which a pane hides something; "" if all of it is visible. */
type Side = "" | "left" | "right";

/** Rounding of browsers. */
const slackPx = 2;

function hiddenSide({ scrollLeft, scrollWidth, clientWidth }: Element): Side {
  if (scrollWidth - clientWidth <= slackPx) return "";
  return scrollLeft + clientWidth < scrollWidth - slackPx ? "right" : "left";
}

/** Watches a pane that scrolls sideways: phones show no scrollbar that would tell. */
export function useScrollHint(): { readonly pane: RefObject<HTMLDivElement | null>; readonly more: Side } {
  const pane = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState<Side>("");
  useLayoutEffect(() => {
    const { current } = pane;
    if (current === null) return undefined;
    const look = (): void => setMore(hiddenSide(current));
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    if (current.firstElementChild !== null) sizes.observe(current.firstElementChild);
    current.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  return { pane, more };
}
