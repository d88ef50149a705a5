import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireMessage, WireSnapshot } from "../../wire.ts";
import { IconButton } from "../controls/controls.ts";
import { Menu, type MenuItem } from "../controls/menu.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { ConfirmDialog } from "../blocks/elements/confirm-dialog.ts";
import { useBlockContext } from "../surfaces/use-block-context.ts";

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
  const { text, blocks, attachments } = message;
  // The bot's message, with the ids Slack assigned.
  const shown = attachments.length === 0 ? { text, blocks } : { text, blocks, attachments };
  return [
    { label: "Copy text", run: () => copy(text, "Text") },
    { label: "Copy as JSON", run: () => copy(JSON.stringify(shown, null, 2), "JSON") },
    { label: "Copy timestamp", run: () => copy(message.ts, "Timestamp") },
  ];
}

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
    isDeleting ? h(DeleteDialog, { message, onDecision: decide }) : null,
  );
}

const plain = (text: string): { type: string; text: string } => ({ type: "plain_text", text });

const question = {
  title: plain("Delete message"),
  text: plain("Are you sure you want to delete this message? This can't be undone."),
  confirm: plain("Delete"),
  deny: plain("Cancel"),
  style: "danger",
};

/** Asks before a message is deleted. */
function DeleteDialog(props: {
  readonly message: WireMessage;
  readonly onDecision: (isYes: boolean) => void;
}): JSX.Element {
  const { channel, ts } = props.message;
  const { context } = useBlockContext({ in: "message", channel, ts }, "message");
  return h(ConfirmDialog, { confirm: question, context, onDecision: props.onDecision });
}
