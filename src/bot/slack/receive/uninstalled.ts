import type { Logger } from "pino";
import { z } from "zod";
import type { Installations } from "../../workflow/access/installation.ts";
import { sourceOf } from "./source-of.ts";

export type UninstalledDeps = { readonly installations: Installations; readonly log: Logger };

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
export async function onUninstalled({ installations, log }: UninstalledDeps, body: unknown): Promise<void> {
  const { event, event_time } = Ended.parse(body);
  const source = sourceOf(body);
  log.warn({ event: event.type, ...source }, "Slack says that the app was removed or its token revoked");
  if (event.type === "team_access_revoked") return installations.left(event.team_ids);
  // Gantry has no tokens of people.
  if (event.type === "tokens_revoked" && event.tokens?.bot.length === 0) return;
  await installations.removed(source, new Date(event_time * 1_000));
}
