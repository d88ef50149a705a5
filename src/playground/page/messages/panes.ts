import { h, type JSX } from "preact";
import { Composer } from "./composer.ts";
import { MessageList } from "./message-list.ts";
import { Icon, PaneHead, useFocusReturn } from "../controls/controls.ts";
import { useApp } from "../app/page-state.ts";
import { channelName, messageAt, repliesOf, threadKey } from "../app/workspace.ts";
import { useEffect, useState } from "preact/hooks";
import { fileText } from "../app/request.ts";
import type { WireFile } from "../../wire.ts";

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
    { class: "side-pane thread-pane", "aria-label": "Thread" },
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
    { ref: pane, class: "side-pane file-pane", "aria-label": `File ${file.name}` },
    h(
      PaneHead,
      { title: "File", detail: file.name, onClose },
      h(
        "a",
        {
          class: "icon-button bare",
          href: `/files/${file.id}`,
          download: file.name,
          "aria-label": "Download",
          title: "Download",
        },
        h(Icon, { name: "download" }),
      ),
    ),
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
