import { h, type JSX } from "preact";
import type { JsonObject } from "../../json.ts";
import type { WireMessage, WireSnapshot } from "../../live/wire.ts";
import { IconButton } from "../controls/icon-button.ts";
import { Menu, type MenuItem } from "../controls/menu.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { userName } from "../app/workspace.ts";

/** The copied JSON: the bot's message, with the ids Slack assigned. */
function messageJson({ text, blocks, attachments }: WireMessage): string {
  const shown = attachments.length === 0 ? { text, blocks } : { text, blocks, attachments };
  return JSON.stringify(shown, null, 2);
}

/** The text as typed: names instead of ids. */
function typedText(snapshot: WireSnapshot, text: string): string {
  return text
    .replaceAll(/<@([A-Z0-9]+)>/gu, (_all, id: string) => `@${userName(snapshot, id)}`)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

type DoOwn = (action: "edit" | "delete", more: JsonObject) => void;

/** Menu items for one's own messages. */
function ownItems(message: WireMessage, snapshot: WireSnapshot, doOwn: DoOwn): readonly MenuItem[] {
  if (message.user !== snapshot.you || message.isEphemeral) return [];
  const edit = (): void => {
    const text = globalThis.prompt("Edit your message", typedText(snapshot, message.text));
    if (text !== null && text.trim() !== "") doOwn("edit", { text });
  };
  return [
    { label: "Edit message", run: edit },
    { label: "Delete message", run: () => doOwn("delete", {}) },
  ];
}

/** Replying in a thread, the app's shortcuts, and copying. Ephemeral messages have neither threads nor shortcuts. */
export function MessageActions(props: { readonly message: WireMessage; readonly inThread: boolean }): JSX.Element {
  const { message, inThread } = props;
  const { snapshot, route, go, notify, attempt } = useApp();
  const root = message.threadTs ?? message.ts;
  const copy = (text: string, what: string): void =>
    attempt(navigator.clipboard.writeText(text).then(() => notify(`${what} copied.`)));
  const shortcut = (callbackId: string): void =>
    attempt(perform("shortcut", { as: route.as, callbackId, message: { channel: message.channel, ts: message.ts } }));
  const shortcuts = message.isEphemeral ? [] : snapshot.app.shortcuts.filter((each) => each.type === "message");
  const items: readonly MenuItem[] = [
    ...ownItems(message, snapshot, (action, more) =>
      attempt(perform(action, { as: route.as, channel: message.channel, ts: message.ts, ...more })),
    ),
    ...shortcuts.map(({ name, callbackId }) => ({
      label: name,
      detail: snapshot.app.name,
      run: () => shortcut(callbackId),
    })),
    {
      label: "Copy as JSON",
      detail: "text and blocks",
      run: () => copy(messageJson(message), "The message's JSON was"),
    },
    { label: "Copy text", run: () => copy(message.text, "The text was") },
    { label: "Copy ts", detail: message.ts, run: () => copy(message.ts, "The ts was") },
  ];
  const canReply = !message.isEphemeral && !inThread;
  return h(
    "div",
    { class: "message-actions" },
    canReply
      ? h(IconButton, { icon: "thread", label: "Reply in thread", onClick: () => go({ ...route, thread: root }) })
      : null,
    h(Menu, { icon: "more", label: "More actions for this message", items }),
  );
}
