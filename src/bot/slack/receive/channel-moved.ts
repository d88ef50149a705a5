import { z } from "zod";
import { accept } from "../../workflow/inbox/accept.ts";
import type { People } from "../../workflow/ports.ts";
import type { DepsOf } from "../deps-of.ts";
import { eventKey } from "./message-key.ts";

export type ChannelMovedDeps = DepsOf<typeof accept> & { readonly people: Pick<People, "bot"> };

/** https://docs.slack.dev/reference/events/channel_id_changed */
const Moved = z.object({
  event_id: z.string(),
  team_id: z.string().optional(),
  event: z.object({ old_channel_id: z.string(), new_channel_id: z.string() }),
});

/** A channel has another id, because it is shared with another organization now. Nobody waits for an answer. */
export async function onChannelMoved(deps: ChannelMovedDeps, body: unknown): Promise<void> {
  const { event_id, team_id, event } = Moved.parse(body);
  const { old_channel_id: from, new_channel_id: channelId } = event;
  const teamId = deps.people.bot().teamId ?? team_id ?? "";
  // The lane's owner is the channel: its moves happen in order.
  const interaction = { kind: "move", from, origin: { userId: channelId, teamId, channelId } } as const;
  const id = eventKey(event_id);
  await accept(deps, {
    id,
    interaction,
    async ack(refusal) {
      // Slack was told that it arrived, so it isn't sent again: it stays in memory until the database is back.
      if (refusal !== undefined) deps.retries.keep({ id: `${id}:later`, interaction, tries: 0 }, 0);
    },
  });
}
