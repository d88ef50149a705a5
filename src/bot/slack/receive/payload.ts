import { z } from "zod";
import { StateValues } from "../../views/forms/form-element.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Source } from "../../workflow/stored.ts";
import type { WorkspaceParts } from "../parts.ts";

/** A view as each interaction in it carries it: https://docs.slack.dev/reference/interaction-payloads */
export const CarriedView = z.object({
  id: z.string().default(""),
  hash: z.string().optional(),
  type: z.string().optional(),
  callback_id: z.string().default(""),
  private_metadata: z.string().default(""),
  state: z.object({ values: StateValues }).default({ values: {} }),
});
export type CarriedView = z.infer<typeof CarriedView>;

/** JSON that Slack carried for us; undefined for any other text. */
export function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/**
 * Who sent it and from where, in every kind of payload: commands and events have ids where the others have objects.
 * https://docs.slack.dev/reference/interaction-payloads
 */
export const Sent = z.object({
  user: z.object({ id: z.string() }).optional(),
  user_id: z.string().optional(),
  team: z.object({ id: z.string() }).nullish(),
  team_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  channel_id: z.string().optional(),
  response_url: z.string().optional(),
});

/** What is answered has a sender. */
type Sender = { readonly user: { readonly id: string } } | { readonly user_id: string };

/** What came from no channel is answered in the person's conversation with the app: it takes messages to a user's id. */
export function originOf({ people }: Pick<WorkspaceParts, "people">, sent: z.infer<typeof Sent> & Sender): Origin {
  const { user, user_id, team, team_id, channel, channel_id, response_url: responseUrl } = sent;
  const userId = user?.id ?? user_id ?? "";
  const teamId = people.bot().teamId ?? team?.id ?? team_id ?? "";
  return { userId, teamId, channelId: channel?.id ?? channel_id ?? userId, responseUrl };
}

const Id = z.object({ id: z.string().nullish() }).nullish();

/** Where the workspace is named, in every kind of payload: https://docs.slack.dev/reference/interaction-payloads */
const Payload = z.object({
  /** Of events: the installation that sees it, first. Its workspace is null when the app is in a whole organization. */
  authorizations: z.array(z.object({ team_id: z.string().nullish(), enterprise_id: z.string().nullish() })).nullish(),
  team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  /** Null when the app is in a whole organization. */
  team: z.object({ id: z.string().nullish(), enterprise_id: z.string().nullish() }).nullish(),
  enterprise: Id,
  user: z.object({ team_id: z.string().nullish() }).nullish().catch(undefined),
  /** Of views in shared channels: the workspace with the app, when the person belongs to another. */
  view: z.object({ app_installed_team_id: z.string().nullish() }).nullish(),
});

/** The workspace that a payload is about, and its organization: as Bolt's `buildSource`. */
export function sourceOf(body: unknown): Source {
  const payload = Payload.safeParse(body).data ?? {};
  const { authorizations, team, view, user, enterprise } = payload;
  const [installed] = authorizations ?? [];
  return {
    teamId: first([view?.app_installed_team_id, installed?.team_id, payload.team_id, team?.id, user?.team_id]),
    enterpriseId: first([installed?.enterprise_id, payload.enterprise_id, enterprise?.id, team?.enterprise_id]),
  };
}

/** Slash commands are sent as a form, which has empty fields. */
function first(ids: readonly (string | null | undefined)[]): string | undefined {
  return ids.find((id) => id !== undefined && id !== null && id !== "") ?? undefined;
}
