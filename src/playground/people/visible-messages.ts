import { drawBlocks } from "../draw/blocks.ts";
import { drawMrkdwn } from "../draw/mrkdwn.ts";
import { newPen } from "../draw/pen.ts";
import type { JsonObject } from "../json.ts";
import type { Channel, Message, State } from "../workspace/state.ts";

export type SeenFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly size: number;
  readonly content: string;
};

/** One message as one person sees it. */
export type Seen = {
  readonly ts: string;
  readonly threadTs: string | undefined;
  /** The author's name. */
  readonly author: string;
  /** The drawn blocks, or the text if there are none. */
  readonly text: string;
  /** The drawn top-level text: used by notifications and screen readers. */
  readonly notification: string;
  readonly blocks: readonly JsonObject[];
  readonly isEphemeral: boolean;
  readonly isEdited: boolean;
  readonly files: readonly SeenFile[];
  /** Live mentions in the blocks or the top-level text: "@channel", "@dana". */
  readonly mentions: readonly string[];
  /** Live links: URLs, and "#ops" for a channel. */
  readonly links: readonly string[];
  readonly revision: number;
};

export function drawMessage(state: State, message: Message): Seen {
  const pen = newPen(state);
  const notification = drawMrkdwn(pen, message.text);
  const body = message.blocks.length === 0 ? notification : drawBlocks(pen, message.blocks);
  return {
    ts: message.ts,
    threadTs: message.threadTs,
    author: state.users.get(message.user)?.name ?? message.user,
    text: body,
    notification,
    blocks: message.blocks,
    isEphemeral: message.ephemeralTo !== undefined,
    isEdited: message.editedTs !== undefined,
    files: message.files.map(({ id, name, title, bytes }) => {
      return { id, name, title, size: bytes.byteLength, content: new TextDecoder().decode(bytes) };
    }),
    mentions: [...new Set(pen.mentions)],
    links: [...new Set(pen.links)],
    revision: message.revision,
  };
}

/** The messages of a channel that a person sees, oldest first; none when they are not in it. */
export function visibleMessages(state: State, channel: Channel, user: string): readonly Message[] {
  if (!channel.members.has(user)) return [];
  return state.messages.filter(
    (message) => message.channel === channel.id && (message.ephemeralTo === undefined || message.ephemeralTo === user),
  );
}
