import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** This close to the end counts as at the end. */
const nearPx = 60;

/**
 * Keeps the end of a growing list in sight, unless the person has scrolled up. `of` identifies the list: a new one
 * begins at its end.
 */
export function useStickToEnd(of: string): {
  readonly pane: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
} {
  const pane = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [outer, inner] = [pane.current, content.current];
    if (outer === null || inner === null) return undefined;
    let isAtEnd = true;
    let lastTop = 0;
    const stick = (): void => {
      if (isAtEnd) outer.scrollTop = outer.scrollHeight;
    };
    const onScroll = (): void => {
      // Browsers scroll by themselves when content above grows; only scrolling up is the person's choice.
      if (outer.scrollHeight - outer.scrollTop - outer.clientHeight < nearPx) isAtEnd = true;
      else if (outer.scrollTop < lastTop) isAtEnd = false;
      lastTop = outer.scrollTop;
    };
    const sizes = new ResizeObserver(stick);
    sizes.observe(inner);
    sizes.observe(outer);
    outer.addEventListener("scroll", onScroll, { passive: true });
    stick();
    return () => {
      sizes.disconnect();
      outer.removeEventListener("scroll", onScroll);
    };
  }, [of]);
  return { pane, content };
}
