import { section } from "../kit/blocks.ts";
import { channel, code, words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { post } from "../kit/post.ts";

/** Why an answer is for the asker's eyes only, and how the bot is let into the channel. */
export function inviteHint(channelId: string, botName: string): Post {
  const invite = `/invite @${botName}`;
  return post(`Only you see this: Gantry cannot post in this channel. To let it in, type ${invite}`, [
    section([
      words("Only you see this: Gantry cannot post in "),
      channel(channelId),
      words(". To let it in, type "),
      code(invite, 100),
      words(" there."),
    ]),
  ]);
}
