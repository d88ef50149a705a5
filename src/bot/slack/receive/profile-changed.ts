import type { Logger } from "pino";
import { z } from "zod";
import type { Installations } from "../../workflow/access/installation.ts";
import type { Clock, People } from "../../workflow/ports.ts";

export type ProfileChangedDeps = {
  readonly people: Pick<People, "profileChanged" | "bot">;
  readonly installations: Pick<Installations, "personChanged">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
};

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
export async function onProfileChanged(deps: ProfileChangedDeps, body: unknown): Promise<void> {
  const { event, event_time, team_id } = Changed.parse(body);
  const isLate = deps.clock.now().getTime() - event_time * 1_000 > LATE_MS;
  try {
    await deps.people.profileChanged(event.user, { isLate, isNew: event.type === "team_join" });
    await deps.installations.personChanged(deps.people.bot().teamId ?? team_id ?? "", event.user.id);
  } catch (err) {
    deps.log.warn({ err }, "a changed profile could not be stored; it is read again within a day");
  }
}
