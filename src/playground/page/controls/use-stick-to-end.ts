import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

/** This close to the end counts as at the end. */
const nearPx = 60;
const marginPx = 8;

/** "end": stay at the end. "start": stay at the start of the last message. "free": the person has scrolled away. */
type Mode = "end" | "start" | "free";

/** What came and is out of sight: a new message, or the rest of one that is longer than the pane. */
export type Below = "nothing" | "message" | "rest";

/** Follows a growing list. `place` scrolls; `note` reads what the person's scrolling means; `tell` hears what is below. */
function follow(outer: HTMLElement, inner: HTMLElement, tell: (below: Below) => void) {
  let mode: Mode = "end";
  /** The last message when the end was in sight; null before the first look, which brings nothing new. */
  let seen: Element | undefined | null = null;
  let newest: Element | undefined;
  let lastTop = 0;
  const messages = inner.getElementsByTagName("article");
  const isLong = (message: Element): boolean => message.getBoundingClientRect().height > outer.clientHeight;
  const startOf = (message: Element): number =>
    outer.scrollTop + message.getBoundingClientRect().top - outer.getBoundingClientRect().top - marginPx;
  const look = (): void => {
    const last = messages[messages.length - 1];
    const isAtEnd = outer.scrollHeight - outer.scrollTop - outer.clientHeight < nearPx;
    if (isAtEnd || seen === null) seen = last;
    if (last === seen || last === undefined) tell("nothing");
    else tell(startOf(last) - outer.scrollTop < outer.clientHeight ? "rest" : "message");
  };
  return {
    place: () => {
      const last = messages[messages.length - 1];
      // A message longer than the pane is read from its start. Later it may grow, so this is decided once.
      if (last !== newest && mode !== "free") mode = last !== undefined && isLong(last) ? "start" : "end";
      newest = last;
      if (mode === "end") outer.scrollTop = outer.scrollHeight;
      if (mode === "start" && last !== undefined) outer.scrollTop = startOf(last);
      lastTop = outer.scrollTop;
      look();
    },
    note: () => {
      const { scrollTop, scrollHeight, clientHeight } = outer;
      const isDown = scrollTop > lastTop;
      // Browsers scroll by themselves when content above grows; only scrolling up is the person's choice.
      if (scrollHeight - scrollTop - clientHeight < nearPx) mode = "end";
      else if (scrollTop < lastTop || (mode === "start" && isDown)) mode = "free";
      lastTop = scrollTop;
      look();
    },
  };
}

/**
 * Keeps the newest message in sight, unless the person has scrolled up; then `below` says that something came. `of`
 * identifies the list: a new one begins at its end.
 */
export function useStickToEnd(of: string): {
  readonly pane: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly below: Below;
  readonly toEnd: () => void;
} {
  const [below, setBelow] = useState<Below>("nothing");
  const pane = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [outer, inner] = [pane.current, content.current];
    if (outer === null || inner === null) return undefined;
    const { place, note } = follow(outer, inner, setBelow);
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
  const toEnd = useCallback(() => pane.current?.scrollTo({ top: pane.current.scrollHeight }), []);
  return { pane, content, below, toEnd };
}
