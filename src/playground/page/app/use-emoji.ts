import { useCallback, useEffect, useState } from "preact/hooks";
import { findEmoji, loadEmoji } from "./emoji.ts";

/** Looks up emoji by Slack's names; finds none until the names are loaded. */
export function useEmoji(): (name: string) => string | undefined {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    // Without the names, emoji are shown as :names:.
    loadEmoji("/page/emoji.json").then(setNames, () => undefined);
  }, []);
  return useCallback((name: string) => findEmoji(names, name), [names]);
}
