import { useCallback, useEffect, useState } from "preact/hooks";
import { findEmoji, loadEmoji } from "./emoji.ts";

/** Emoji by Slack's names; until the names are there, none is known. */
export function useEmoji(): (name: string) => string | undefined {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    // Without them emoji stand as :names:, which can be read as well.
    loadEmoji("/page/emoji.json").then(setNames, () => undefined);
  }, []);
  return useCallback((name: string) => findEmoji(names, name), [names]);
}
