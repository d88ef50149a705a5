import type { WorkspaceParts } from "../parts.ts";
import { z } from "zod";
import { accept } from "../../workflow/receive/delivery.ts";
import { eventKey } from "./delivery-memory.ts";
import { originOf, sourceOf } from "./payload.ts";

/** https://docs.slack.dev/reference/events/channel_id_changed */
const Moved = z.object({
  event_id: z.string(),
  team_id: z.string().optional(),
  event: z.object({ old_channel_id: z.string(), new_channel_id: z.string() }),
});

/** After a time in which the database may be back. */
const STORE_AGAIN_MS = 5_000;

/** A channel has another id, because it is shared with another organization now. Nobody waits for an answer. */
export async function onChannelMoved(deps: WorkspaceParts, body: unknown): Promise<void> {
  const { event_id, team_id, event } = Moved.parse(body);
  const { old_channel_id: from, new_channel_id: channelId } = event;
  // The lane's owner is the channel: its moves happen in order.
  const origin = originOf(deps, { user_id: channelId, team_id, channel_id: channelId });
  const interaction = { kind: "move", from, origin } as const;
  const id = eventKey(event_id);
  // Slack got its ack and doesn't send the event again, so it is kept in memory until the database answers.
  const later = (times: number): void => {
    deps.clock.after(STORE_AGAIN_MS, () => {
      if (!deps.lanes.isStopping()) deps.lanes.background(again(times));
    });
  };
  const again = async (times: number): Promise<void> => {
    const isBack = await deps.store.isKnown(id).then(
      () => true,
      () => false,
    );
    await (isBack ? store(times) : later(times));
  };
  const store = (times: number): Promise<void> =>
    accept(deps, {
      id: times === 0 ? id : `${id}:${times}`,
      interaction,
      async ack(refusal) {
        if (refusal !== undefined) later(times + 1);
      },
    });
  await store(0);
}

/** https://docs.slack.dev/reference/events/user_change and https://docs.slack.dev/reference/events/team_join */
const Changed = z.object({
  team_id: z.string().optional(),
  /** In seconds. */
  event_time: z.number(),
  event: z.object({ type: z.string(), user: z.looseObject({ id: z.string() }) }),
});

/** Slack sends an event again when it wasn't acked, in between newer ones. */
const LATE_MS = 30_000;

/** Somebody's name or role changed, or somebody joined. Nobody waits for an answer. */
export async function onProfileChanged(deps: WorkspaceParts, body: unknown): Promise<void> {
  const { event, event_time, team_id } = Changed.parse(body);
  const isLate = deps.clock.now().getTime() - event_time * 1_000 > LATE_MS;
  try {
    await deps.people.profileChanged(event.user, { isLate, isNew: event.type === "team_join" });
    await deps.installations.personChanged(deps.people.bot().teamId ?? team_id ?? "", event.user.id);
  } catch (err) {
    deps.log.warn({ err }, "a changed profile could not be stored; it is read again within a day");
  }
}

/**
 * https://docs.slack.dev/reference/events/app_uninstalled, https://docs.slack.dev/reference/events/tokens_revoked and
 * https://docs.slack.dev/reference/events/team_access_revoked
 */
const Ended = z.object({
  /** In seconds. */
  event_time: z.number().default(0),
  event: z.object({
    type: z.string(),
    /** Ids of the users whose tokens were revoked; `bot` has that of the bot. */
    tokens: z.object({ bot: z.array(z.string()).default([]) }).optional(),
    team_ids: z.array(z.string()).default([]),
  }),
});

/** The app was removed from a workspace or an organization, or from some workspaces of one. */
export async function onUninstalled({ installations, log }: WorkspaceParts, body: unknown): Promise<void> {
  const { event, event_time } = Ended.parse(body);
  const source = sourceOf(body);
  log.warn({ event: event.type, ...source }, "Slack says that the app was removed or its token revoked");
  if (event.type === "team_access_revoked") return installations.left(event.team_ids);
  // Gantry has no tokens of people.
  if (event.type === "tokens_revoked" && event.tokens?.bot.length === 0) return;
  await installations.removed(source, new Date(event_time * 1_000));
}
