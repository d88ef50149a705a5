import { h, type JSX } from "preact";
import { Composer } from "./composer.ts";
import { MessageList } from "./message-list.ts";
import { PaneHead } from "../controls/controls.ts";
import { useApp } from "../app/app-context.ts";
import { threadKey } from "../channels/unread.ts";
import { channelName, messageAt, repliesOf } from "../app/workspace.ts";

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
