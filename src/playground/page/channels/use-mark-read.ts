import { useEffect, useRef } from "preact/hooks";
import { perform } from "../app/request.ts";
import { useShell } from "../app/app-context.ts";

/** What somebody had not read when they began to look: after one ts, up to another. */
export type NotRead = { readonly after: string; readonly upTo: string };

/**
 * Marks a place as read up to its last message while somebody looks at it. Gives what was new when they came: the line
 * "New" stands above it until they leave.
 */
export function useMarkRead(place: string, lastTs: string | undefined): NotRead {
  const { places, route } = useShell();
  const readTs = places.reads[place] ?? "";
  const look = { place, after: readTs, upTo: lastTs ?? "" };
  const opened = useRef(look);
  if (opened.current.place !== place || document.visibilityState !== "visible") opened.current = look;
  useEffect(() => {
    const mark = (): void => {
      if (document.visibilityState !== "visible" || lastTs === undefined || lastTs <= readTs) return;
      // A mark that is lost is made again with the next message.
      perform("read", { as: route.as, place, ts: lastTs }).catch(() => undefined);
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [place, lastTs, readTs]);
  return opened.current;
}
