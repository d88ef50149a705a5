import type { Post } from "../../views/kit/message.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Shell } from "../../workflow/shell.ts";

/** `responder.announce`, until its callers take the port. */
export function tellChannel(
  { responder }: Pick<Shell, "responder">,
  { channelId }: Pick<Origin, "channelId">,
  post: Post,
): Promise<boolean> {
  return responder.announce(channelId, post);
}
