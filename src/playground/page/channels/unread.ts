import type { WireMessage, WireSnapshot } from "../../wire.ts";
import { channelMessages, repliesOf, type Workspace } from "../app/workspace.ts";

/** `count` includes direct messages and mentions only. */
type Unread = { readonly isUnread: boolean; readonly count: number };

function isNew(message: WireMessage, you: string, readTs: string): boolean {
  return message.user !== you && !message.isEphemeral && message.ts > readTs;
}

function mentions({ text, blocks }: WireMessage, you: string): boolean {
  return /<!(?:channel|here|everyone)/.test(text) || text.includes(`<@${you}`) || JSON.stringify(blocks).includes(you);
}

/** A person's unread messages in a channel. */
export function unreadIn(workspace: Workspace, snapshot: WireSnapshot, channel: string): Unread {
  const readTs = snapshot.reads[channel] ?? "";
  const fresh = channelMessages(workspace, channel).filter((each) => isNew(each, snapshot.you, readTs));
  const isDirect = channel.startsWith("D");
  const calling = isDirect ? fresh : fresh.filter((each) => mentions(each, snapshot.you));
  return { isUnread: fresh.length > 0, count: calling.length };
}

/** Whether a thread has unread replies. */
export function hasUnreadReplies(workspace: Workspace, snapshot: WireSnapshot, root: WireMessage): boolean {
  const readTs = snapshot.reads[threadKey(root)] ?? "";
  return repliesOf(workspace, root.channel, root.ts).some((each) => isNew(each, snapshot.you, readTs));
}

/** The key of a thread in `reads`. */
export function threadKey({ channel, ts }: Pick<WireMessage, "channel" | "ts">): string {
  return `${channel}/${ts}`;
}

type NotRead = { readonly after: string; readonly upTo: string };

/**
 * The first unread message when a conversation was opened; the line "New" is above it. Without a read mark there is no
 * line: everything is new.
 */
export function firstUnread(messages: readonly WireMessage[], you: string, notRead: NotRead): string | undefined {
  if (notRead.after === "") return undefined;
  return messages.find((each) => isNew(each, you, notRead.after) && each.ts <= notRead.upTo)?.ts;
}
