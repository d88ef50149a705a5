import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * For panes beside the conversation: on closing, the focus returns to where it came from, or to the composer if that
 * is gone too.
 */
export function useFocusReturn(): RefObject<HTMLElement | null> {
  const pane = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const cameFrom = document.activeElement;
    return () => {
      const { activeElement } = document;
      if (activeElement !== document.body && pane.current?.contains(activeElement) !== true) return;
      const isThere = cameFrom instanceof HTMLElement && cameFrom.isConnected && cameFrom !== document.body;
      const next = isThere ? cameFrom : document.querySelector<HTMLElement>(".composer-field");
      next?.focus();
    };
  }, []);
  return pane;
}
