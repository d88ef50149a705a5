import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireMessage, WireSnapshot } from "../../wire.ts";
import { IconButton } from "../controls/controls.ts";
import { Menu, type MenuItem } from "../controls/menu.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { ConfirmDialog } from "../controls/confirm-dialog.ts";

type Own = { readonly edit: () => void; readonly remove: () => void };

/** The menu items of one's own messages, and an admin's of the bot's. Delete comes last, apart from the rest. */
function ownItems(
  message: WireMessage,
  { you, app }: Pick<WireSnapshot, "you" | "app">,
  { edit, remove }: Own,
): [readonly MenuItem[], readonly MenuItem[]] {
  if (message.isEphemeral) return [[], []];
  if (message.user === app.user) return [[], [{ label: "Delete as an admin", isDanger: true, run: remove }]];
  if (message.user !== you) return [[], []];
  return [[{ label: "Edit message", run: edit }], [{ label: "Delete message", isDanger: true, run: remove }]];
}

function copyItems(message: WireMessage, copy: (text: string, what: string) => void): readonly MenuItem[] {
  const { text, blocks } = message;
  return [
    { label: "Copy text", run: () => copy(text, "Text") },
    { label: "Copy as JSON", run: () => copy(JSON.stringify({ text, blocks }, null, 2), "JSON") },
    { label: "Copy timestamp", run: () => copy(message.ts, "Timestamp") },
  ];
}

const question = {
  title: "Delete message",
  text: "Are you sure you want to delete this message? This can't be undone.",
  yes: "Delete",
};

/** Replying in a thread, the app's shortcuts, and copying. Ephemeral messages have neither threads nor shortcuts. */
export function MessageActions(props: {
  readonly message: WireMessage;
  readonly inThread: boolean;
  readonly onEdit: () => void;
}): JSX.Element {
  const { message, inThread, onEdit } = props;
  const [isDeleting, setDeleting] = useState(false);
  const { snapshot, route, go, notify, attempt } = useApp();
  const root = message.threadTs ?? message.ts;
  const copy = (text: string, what: string): void =>
    attempt(navigator.clipboard.writeText(text).then(() => notify(`${what} copied.`)));
  const shortcut = (callbackId: string): void =>
    attempt(perform("shortcut", { as: route.as, callbackId, message: { channel: message.channel, ts: message.ts } }));
  const shortcuts = message.isEphemeral ? [] : snapshot.app.shortcuts.filter((each) => each.type === "message");
  const decide = (isYes: boolean): void => {
    setDeleting(false);
    if (!isYes) return;
    const { channel, ts, user } = message;
    if (user === snapshot.app.user) attempt(perform("people", { do: "removeMessage", channel, ts }));
    else attempt(perform("delete", { as: route.as, channel, ts }));
  };
  const [first, last] = ownItems(message, snapshot, { edit: onEdit, remove: () => setDeleting(true) });
  const items: readonly MenuItem[] = [
    ...first,
    ...shortcuts.map(({ name, callbackId }) => ({
      label: name,
      detail: snapshot.app.name,
      run: () => shortcut(callbackId),
    })),
    ...copyItems(message, copy),
    ...last,
  ];
  const canReply = !message.isEphemeral && !inThread;
  return h(
    "div",
    { class: "message-actions" },
    canReply
      ? h(IconButton, { icon: "thread", label: "Reply in thread", onClick: () => go({ ...route, thread: root }) })
      : null,
    h(Menu, { icon: "more", label: "More actions for this message", items }),
    isDeleting ? h(ConfirmDialog, { ...question, onDecision: decide }) : null,
  );
}
