import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** This close to the end counts as at the end. */
const nearPx = 60;
const marginPx = 8;

/** "end": stay at the end. "start": stay at the start of the last message. "free": the person has scrolled away. */
type Mode = "end" | "start" | "free";

/** Follows a growing list. `place` scrolls; `note` reads what the person's scrolling means. */
function follow(outer: HTMLElement, inner: HTMLElement): { readonly place: () => void; readonly note: () => void } {
  let mode: Mode = "end";
  let newest: Element | undefined;
  let lastTop = 0;
  const messages = inner.getElementsByTagName("article");
  const isLong = (message: Element): boolean => message.getBoundingClientRect().height > outer.clientHeight;
  const startOf = (message: Element): number =>
    outer.scrollTop + message.getBoundingClientRect().top - outer.getBoundingClientRect().top - marginPx;
  return {
    place() {
      const last = messages[messages.length - 1];
      // A message longer than the pane is read from its start. Later it may grow, so this is decided once.
      if (last !== newest && mode !== "free") mode = last !== undefined && isLong(last) ? "start" : "end";
      newest = last;
      if (mode === "end") outer.scrollTop = outer.scrollHeight;
      if (mode === "start" && last !== undefined) outer.scrollTop = startOf(last);
      lastTop = outer.scrollTop;
    },
    note() {
      const { scrollTop, scrollHeight, clientHeight } = outer;
      const isDown = scrollTop > lastTop;
      // Browsers scroll by themselves when content above grows; only scrolling up is the person's choice.
      if (scrollHeight - scrollTop - clientHeight < nearPx) mode = "end";
      else if (scrollTop < lastTop || (mode === "start" && isDown)) mode = "free";
      lastTop = scrollTop;
    },
  };
}

/**
 * Keeps the newest message in sight, unless the person has scrolled up. `of` identifies the list: a new one begins at
 * its end.
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
    const { place, note } = follow(outer, inner);
    const sizes = new ResizeObserver(place);
    sizes.observe(inner);
    sizes.observe(outer);
    outer.addEventListener("scroll", note, { passive: true });
    place();
    return () => {
      sizes.disconnect();
      outer.removeEventListener("scroll", note);
    };
  }, [of]);
  return { pane, content };
}
