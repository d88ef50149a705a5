import type { Install } from "../installs/installs.ts";
import type { JsonObject } from "../json.ts";
import type { User } from "../workspace/state.ts";
import { installOf, type World } from "../world.ts";

// How payloads name the workspace, the organization and the installation.
// https://docs.slack.dev/enterprise/developing-for-enterprise-orgs

/** The fields of a slash command, which carries everything as text. */
export function commandTeam(world: World): Readonly<Record<string, string>> {
  const { enterprise } = world.state.team;
  const isOrgWide = String(installOf(world)?.isOrgWide ?? false);
  if (enterprise === undefined) return { is_enterprise_install: isOrgWide };
  return { enterprise_id: enterprise.id, enterprise_name: enterprise.name, is_enterprise_install: isOrgWide };
}

/** The fields of an interaction. Outside of a message, an org-wide installation gets no team: only the user has it. */
export function interactionTeam(world: World, at: { readonly user: User; readonly isInMessage: boolean }): JsonObject {
  const { team } = world.state;
  const { user, isInMessage } = at;
  const { enterprise } = team;
  const isOrgWide = installOf(world)?.isOrgWide ?? false;
  const ofOrg = enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name };
  return {
    // The app's workspace, even if the user belongs to another one:
    // https://github.com/slackapi/java-slack-sdk/issues/1041
    team: isOrgWide && !isInMessage ? null : { id: team.id, domain: team.domain, ...ofOrg },
    enterprise: enterprise === undefined ? null : { ...enterprise },
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    is_enterprise_install: isOrgWide,
  };
}

/** The fields of an event, for the installation that hears it. */
export function eventTeam({ state: { team, bot } }: World, install: Install | undefined): JsonObject {
  const enterprise = team.enterprise?.id ?? null;
  const heard = { enterprise_id: enterprise, team_id: team.id, user_id: bot.user, is_bot: true };
  return {
    team_id: team.id,
    ...(enterprise === null ? {} : { enterprise_id: enterprise }),
    authorizations: [{ ...heard, is_enterprise_install: install?.isOrgWide ?? false }],
  };
}
