import type { Post } from "../../views/kit/message.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Shell } from "../../workflow/shell.ts";

/** What changes for everybody in a channel is said to all of them; false where the bot may not post. Never rejects. */
export async function tellChannel(
  { clients, log }: Pick<Shell, "clients" | "log">,
  { channelId }: Pick<Origin, "channelId">,
  { text, blocks }: Post,
): Promise<boolean> {
  try {
    await clients.background.chat.postMessage({ channel: channelId, text, blocks: [...blocks] });
    return true;
  } catch (err) {
    log.warn({ err, channelId }, "a channel could not be told of what changed for it");
    return false;
  }
}
