import type { Message, SharedFile, State } from "../workspace/state.ts";
import type { WireFile, WireMessage, WireUpdate } from "./wire.ts";

/** The viewer, and when they loaded the page. As in Slack, a reload forgets ephemeral messages up to `sinceTs`. */
export type Viewer = { readonly user: string; readonly sinceTs: string };

function fileJson({ id, name, title, bytes }: SharedFile): WireFile {
  return { id, name, title, size: bytes.byteLength };
}

function messageJson(message: Message): WireMessage {
  const { ts, channel, user, text, blocks, attachments, isBroadcast, isMrkdwn } = message;
  const shown = { ts, channel, user, text, blocks, attachments, isBroadcast, isMrkdwn };
  return {
    ...shown,
    files: message.files.map(fileJson),
    ...(message.threadTs === undefined ? {} : { threadTs: message.threadTs }),
    isEphemeral: message.ephemeralTo !== undefined,
    isEdited: message.editedTs !== undefined,
  };
}

function isFor(
  viewer: Viewer,
  { ephemeralTo, ts }: { readonly ephemeralTo?: string | undefined; readonly ts: string },
) {
  return ephemeralTo === undefined || (ephemeralTo === viewer.user && ts > viewer.sinceTs);
}

/** Messages that appeared, changed or went for a person after a revision. */
export function messageUpdates(state: State, viewer: Viewer, revision: number): Pick<WireUpdate, "messages" | "gone"> {
  const isMember = (channel: string): boolean => state.channels.get(channel)?.members.has(viewer.user) === true;
  const isNews = (each: { readonly revision: number; readonly channel: string }): boolean =>
    each.revision > revision && isMember(each.channel);
  return {
    messages: state.messages.filter((each) => isNews(each) && isFor(viewer, each)).map(messageJson),
    gone: state.deletions
      .filter((each) => isNews(each) && isFor(viewer, each))
      .map(({ channel, ts }) => ({ channel, ts })),
  };
}
