import { type ComponentChildren, Fragment, h, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WireMessage, WireFile } from "../../wire.ts";
import { dayWords, isSameDay, msOfTs } from "../app/format-time.ts";
import { MessageRow } from "./message-row.ts";
import { useApp, perform, fileText } from "../app/page-state.ts";
import { firstUnread, repliesOf, channelName, messageAt, threadKey } from "../app/workspace.ts";
import { useStickToEnd } from "../controls/use-stick-to-end.ts";
import { Composer } from "./composer.ts";
import { Download, PaneHead, useFocusReturn } from "../controls/controls.ts";

const sameBreathMs = 5 * 60_000;

/** Without a mouse every message has a head: the buttons stand there instead of over the text. */
function isFollowUp(message: WireMessage, above: WireMessage | undefined): boolean {
  if (above === undefined || matchMedia("(hover: none)").matches) return false;
  const isSameKind = above.user === message.user && above.isEphemeral === message.isEphemeral;
  return isSameKind && msOfTs(message.ts) - msOfTs(above.ts) < sameBreathMs;
}

function Divider({ label, kind }: { readonly label: string; readonly kind: "day" | "new" }): JSX.Element {
  return h(
    "div",
    { class: `divider row note ${kind}`, role: "separator", "aria-label": label },
    h("span", null, label),
  );
}

type ListProps = {
  /** The list's accessible name: "Messages in #ops". */
  readonly label: string;
  /** A channel's id, or "channel/thread". */
  readonly conversation: string;
  readonly messages: readonly WireMessage[];
  readonly inThread: boolean;
  /** Shown above the first message. */
  readonly children?: ComponentChildren;
};

function Rows({
  messages,
  inThread,
  newTs,
}: Pick<ListProps, "messages" | "inThread"> & { readonly newTs: string | undefined }): JSX.Element {
  const { now, workspace } = useApp();
  const rows = messages.map((message, at) => {
    const above = messages[at - 1];
    const ms = msOfTs(message.ts);
    const isNewDay = above === undefined ? !inThread : !isSameDay(msOfTs(above.ts), ms);
    const isNew = message.ts === newTs;
    // Below a thread's link, the next message would look like a part of that thread.
    const isCut = !inThread && above !== undefined && repliesOf(workspace, above.channel, above.ts).length > 0;
    return h(
      Fragment,
      { key: message.ts },
      isNewDay ? h(Divider, { label: dayWords(ms, now), kind: "day" }) : null,
      isNew ? h(Divider, { label: "New", kind: "new" }) : null,
      h(MessageRow, { message, inThread, isFollowUp: !isNewDay && !isNew && !isCut && isFollowUp(message, above) }),
    );
  });
  return h(Fragment, null, rows);
}

const belowWords = { message: "↓ New message below", rest: "↓ This message goes on below" } as const; // literal keys

/** A list of messages. Screen readers announce new ones; a button says so when one is out of sight. */
export function MessageList(props: ListProps): JSX.Element {
  const { label, conversation, messages, inThread, children } = props;
  const { snapshot } = useApp();
  const { pane, content, below, toEnd } = useStickToEnd(`${snapshot.you} ${conversation}`);
  const last = messages.findLast((message) => !message.isEphemeral);
  const newTs = firstUnread(messages, snapshot.you, useMarkRead(conversation, last?.ts));
  return h(
    "div",
    { class: "message-pane fill column" },
    h(
      "div",
      { ref: pane, class: "message-list fill scroll", role: "log", "aria-label": label, tabIndex: 0 },
      h(
        "div",
        { ref: content, class: "message-list-content column" },
        children,
        h(Rows, { messages, inThread, newTs }),
      ),
    ),
    below === "nothing"
      ? null
      : h("button", { type: "button", class: "btn message-below", onClick: toEnd }, belowWords[below]),
  );
}

/** The messages that were unread when the conversation was opened: after one ts, up to another. */
type NotRead = { readonly after: string; readonly upTo: string };

/**
 * Marks a conversation as read up to its last message while it is visible. Returns the messages that were unread when
 * it was opened, so that the line "New" stays until the person leaves.
 */
function useMarkRead(conversation: string, lastTs: string | undefined): NotRead {
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

/** A message and its replies. */
export function ThreadPane({ ts }: { readonly ts: string }): JSX.Element {
  const { workspace, snapshot, channel, route, go } = useApp();
  const root = messageAt(workspace, channel.id, ts);
  const replies = repliesOf(workspace, channel.id, ts);
  const close = (): void => go({ as: route.as, in: route.in });
  const name = channelName(snapshot, channel);
  const gone = h("p", { class: "pane-note" }, "The first message of this thread was deleted.");
  return h(
    "aside",
    { class: "side-pane column", "aria-label": "Thread" },
    h(PaneHead, { title: "Thread", detail: channel.partner === undefined ? `#${name}` : name, onClose: close }),
    h(MessageList, {
      label: "Messages in this thread",
      conversation: threadKey({ channel: channel.id, ts }),
      messages: root === undefined ? replies : [root, ...replies],
      inThread: true,
      children: root === undefined ? gone : null,
    }),
    h(Composer, { key: ts, label: "Reply", thread: ts }),
  );
}

/** Larger files make a browser slow; the download is complete. */
const mostCharacters = 400_000;

type Loaded = { readonly text: string; readonly isError: boolean };

function useFileText(id: string): Loaded | undefined {
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  useEffect(() => {
    let isShown = true;
    setLoaded(undefined);
    const show = (text: string, isError: boolean): void => {
      if (isShown) setLoaded({ text, isError });
    };
    fileText(id).then(
      (text) => show(text, false),
      (error: unknown) => show(error instanceof Error ? error.message : String(error), true),
    );
    return () => void (isShown = false);
  }, [id]);
  return loaded;
}

/** The text of an uploaded file. */
export function FilePane({ file, onClose }: { readonly file: WireFile; readonly onClose: () => void }): JSX.Element {
  const loaded = useFileText(file.id);
  const pane = useFocusReturn();
  // The element that opened it may be gone with its thread; and the arrow keys scroll the focused element.
  useEffect(() => pane.current?.querySelector<HTMLElement>(".file-text")?.focus(), [file.id]);
  const text = loaded?.text ?? "";
  return h(
    "aside",
    { ref: pane, class: "side-pane column", "aria-label": `File ${file.name}` },
    h(PaneHead, { title: "File", detail: file.name, onClose }, h(Download, { file })),
    loaded?.isError === true
      ? h("p", { class: "pane-note", role: "alert" }, text)
      : h(
          "pre",
          { class: "file-text fill scroll", tabIndex: 0, "aria-label": `Text of ${file.name}` },
          text.slice(0, mostCharacters),
        ),
    text.length > mostCharacters
      ? h("p", { class: "pane-note" }, "The rest isn't shown. Download the file to see all of it.")
      : null,
  );
}
