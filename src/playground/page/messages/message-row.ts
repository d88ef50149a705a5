import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { WireMessage, WireSnapshot, WireUser } from "../../wire.ts";
import { Avatar, Icon } from "../controls/controls.ts";
import { dayAndTime, fullTime, msOfTs, shortTime, timeOfDay } from "../app/format-time.ts";
import { EditField } from "./edit-field.ts";
import { MessageActions } from "./message-actions.ts";
import { MessageBody } from "./message-body.ts";
import { useApp } from "../app/app-context.ts";
import { hasUnreadReplies } from "../channels/unread.ts";
import { repliesOf, userOf } from "../app/workspace.ts";

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
    { type: "button", class: "thread-link", onClick: () => go({ ...route, thread: message.ts }) },
    h(Avatar, { user: authorOf(snapshot, last.user), size: "small" }),
    h("span", { class: isUnread ? "thread-count unread" : "thread-count" }, words),
    isUnread ? h("span", { class: "tag" }, "new") : null,
    h("span", { class: "thread-time" }, `Last reply ${dayAndTime(msOfTs(last.ts), now)}`),
  );
}

function MessageHead({ message }: { readonly message: WireMessage }): JSX.Element {
  const { snapshot } = useApp();
  const author = authorOf(snapshot, message.user);
  const ms = msOfTs(message.ts);
  return h(
    "div",
    { class: "message-head" },
    h("span", { class: "author" }, author.isBot ? author.name : author.realName),
    author.isBot ? h("span", { class: "tag" }, "APP") : null,
    author.isGuest ? h("span", { class: "tag" }, "GUEST") : null,
    author.isOutsider ? h("span", { class: "tag" }, "EXTERNAL") : null,
    h("time", { dateTime: new Date(ms).toISOString(), title: fullTime(ms) }, timeOfDay(ms)),
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
  const times = { class: "gutter-time", dateTime: new Date(ms).toISOString(), title: fullTime(ms) };
  return h(
    "article",
    {
      class: rowClass(props, snapshot.you),
      "aria-label": `${author.name}, ${timeOfDay(ms)}`,
      "data-ts": message.ts,
    },
    message.isEphemeral ? h("p", { class: "mark" }, h(Icon, { name: "eye" }), "Only visible to you") : null,
    h("div", { class: "gutter" }, isFollowUp ? h("time", times, shortTime(ms)) : h(Avatar, { user: author })),
    h(
      "div",
      { class: "message-main" },
      isFollowUp ? null : h(MessageHead, { message }),
      isEditing ? h(EditField, { message, onEnd: () => setEditing(false) }) : h(MessageBody, { message }),
      inThread ? null : h(ThreadLink, { message }),
    ),
    isEditing ? null : h(MessageActions, { message, inThread, onEdit: () => setEditing(true) }),
  );
}
