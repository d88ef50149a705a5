import { useEffect, useRef } from "preact/hooks";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";

/** The messages that were unread when the conversation was opened: after one ts, up to another. */
export type NotRead = { readonly after: string; readonly upTo: string };

/**
 * Marks a conversation as read up to its last message while it is visible. Returns the messages that were unread when
 * it was opened, so that the line "New" stays until the person leaves.
 */
export function useMarkRead(conversation: string, lastTs: string | undefined): NotRead {
  const { snapshot, route } = useApp();
  const readTs = snapshot.reads[conversation] ?? "";
  const unread = { conversation, after: readTs, upTo: lastTs ?? "" };
  const opened = useRef(unread);
  if (opened.current.conversation !== conversation || document.visibilityState !== "visible") opened.current = unread;
  useEffect(() => {
    const mark = (): void => {
      if (document.visibilityState !== "visible" || lastTs === undefined || lastTs <= readTs) return;
      // A lost mark is repeated with the next message.
      perform("read", { as: route.as, conversation, ts: lastTs }).catch(() => undefined);
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [conversation, lastTs, readTs]);
  return opened.current;
}
