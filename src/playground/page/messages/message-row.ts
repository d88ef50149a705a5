import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireFile, WireMessage, WireSnapshot, WireUser } from "../../wire.ts";
import { Avatar, ConfirmDialog, Download, Icon, IconButton } from "../controls/controls.ts";
import { dayAndTime, fullTime, msOfTs, shortTime, timeOfDay } from "../app/format-time.ts";
import { EditField } from "./edit-field.ts";
import { useApp, perform } from "../app/page-state.ts";
import { hasUnreadReplies, repliesOf, userOf } from "../app/workspace.ts";
import { Menu, type MenuItem } from "../controls/menu.ts";
import { Blocks } from "../blocks/blocks.ts";
import type { BlockContext } from "../blocks/block-context.ts";
import { MrkdwnText } from "../blocks/text-object.ts";
import { useBlockContext } from "../surfaces/use-block-context.ts";

/** Unknown users are shown by id. */
function authorOf(snapshot: WireSnapshot, id: string): WireUser {
  const nothing = { isBot: false, isGuest: false, isAdmin: false, isOutsider: false, isDeactivated: false };
  return userOf(snapshot, id) ?? { id, name: id, realName: id, role: "unknown", ...nothing };
}

function ThreadLink({ message }: { readonly message: WireMessage }): JSX.Element | null {
  const { workspace, snapshot, route, now, go } = useApp();
  const replies = repliesOf(workspace, message.channel, message.ts);
  const last = replies.at(-1);
  if (last === undefined) return null;
  const isUnread = hasUnreadReplies(workspace, snapshot, message);
  const words = replies.length === 1 ? "1 reply" : `${replies.length} replies`;
  return h(
    "button",
    { type: "button", class: "thread-link row bare", onClick: () => go({ ...route, thread: message.ts }) },
    h(Avatar, { user: authorOf(snapshot, last.user), size: "small" }),
    h("span", { class: isUnread ? "thread-count unread" : "thread-count" }, words),
    isUnread ? h("span", { class: "tag" }, "new") : null,
    h("span", { class: "thread-time note" }, `Last reply ${dayAndTime(msOfTs(last.ts), now)}`),
  );
}

/** Above a reply that is also shown in the channel. */
function BroadcastMark({ message }: { readonly message: WireMessage }): JSX.Element | null {
  const { route, go } = useApp();
  const { threadTs, isBroadcast } = message;
  if (isBroadcast !== true || threadTs === undefined) return null;
  return h(
    "button",
    { type: "button", class: "thread-link row bare note", onClick: () => go({ ...route, thread: threadTs }) },
    h(Icon, { name: "thread" }),
    "Replied to a thread",
  );
}

function MessageHead({ message }: { readonly message: WireMessage }): JSX.Element {
  const { snapshot } = useApp();
  const author = authorOf(snapshot, message.user);
  const ms = msOfTs(message.ts);
  return h(
    "div",
    { class: "message-head row" },
    h("span", { class: "author" }, author.isBot ? author.name : author.realName),
    author.isBot ? h("span", { class: "tag" }, "APP") : null,
    author.isGuest ? h("span", { class: "tag" }, "GUEST") : null,
    author.isOutsider ? h("span", { class: "tag" }, "EXTERNAL") : null,
    h("time", { class: "note", dateTime: new Date(ms).toISOString(), title: fullTime(ms) }, timeOfDay(ms)),
  );
}

type MessageRowProps = {
  readonly message: WireMessage;
  /** The previous message is by the same person, moments ago: don't repeat name and picture. */
  readonly isFollowUp: boolean;
  readonly inThread: boolean;
};

function rowClass({ message, isFollowUp }: MessageRowProps, you: string): string {
  const isCalling = message.text.includes(`<@${you}`);
  return [
    "message",
    isFollowUp ? "follow-up" : "",
    message.isEphemeral ? "ephemeral" : "",
    isCalling ? "calling" : "",
  ].join(" ");
}

export function MessageRow(props: MessageRowProps): JSX.Element {
  const { message, isFollowUp, inThread } = props;
  const { snapshot } = useApp();
  const [isEditing, setEditing] = useState(false);
  const author = authorOf(snapshot, message.user);
  const ms = msOfTs(message.ts);
  // The time of a message without a head, shown while the mouse is over it.
  const times = { class: "gutter-time note", dateTime: new Date(ms).toISOString(), title: fullTime(ms) };
  return h(
    "article",
    {
      class: rowClass(props, snapshot.you),
      "aria-label": `${author.name}, ${timeOfDay(ms)}`,
      "data-ts": message.ts,
    },
    message.isEphemeral ? h("p", { class: "mark row note" }, h(Icon, { name: "eye" }), "Only visible to you") : null,
    h("div", { class: "gutter" }, isFollowUp ? h("time", times, shortTime(ms)) : h(Avatar, { user: author })),
    h(
      "div",
      { class: "message-main" },
      isFollowUp ? null : h(MessageHead, { message }),
      inThread ? null : h(BroadcastMark, { message }),
      isEditing ? h(EditField, { message, onEnd: () => setEditing(false) }) : h(MessageBody, { message }),
      inThread ? null : h(ThreadLink, { message }),
    ),
    isEditing ? null : h(MessageActions, { message, inThread, onEdit: () => setEditing(true) }),
  );
}

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
function MessageActions(props: {
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
    h(Menu, { class: "icon-button bare", label: "More actions for this message", items }, h(Icon, { name: "more" })),
    isDeleting ? h(ConfirmDialog, { ...question, onDecision: decide }) : null,
  );
}

function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function FileCard({ file }: { readonly file: WireFile }): JSX.Element {
  const { openFile } = useApp();
  return h(
    "div",
    { class: "file-card row" },
    h(
      "button",
      { type: "button", class: "file-open row bare", onClick: () => openFile(file) },
      h(Icon, { name: "file" }),
      h(
        "span",
        { class: "file-words" },
        h("span", { class: "file-name cut" }, file.title || file.name),
        h("small", null, sizeWords(file.size)),
      ),
    ),
    h(Download, { file }),
  );
}

function Words(props: { readonly message: WireMessage; readonly context: BlockContext }): JSX.Element | null {
  const { message, context } = props;
  if (message.blocks.length > 0) return h(Blocks, { blocks: message.blocks, context });
  return message.text === "" ? null : h(MrkdwnText, { text: message.text, context });
}

/** A message's content: blocks or text, and files. */
function MessageBody({ message }: { readonly message: WireMessage }): JSX.Element {
  const { context } = useBlockContext({ in: "message", channel: message.channel, ts: message.ts });
  return h(
    "div",
    { class: "message-body" },
    h(Words, { message, context }),
    message.files.map((file) => h(FileCard, { key: file.id, file })),
    message.isEdited ? h("span", { class: "note" }, "(edited)") : null,
  );
}
