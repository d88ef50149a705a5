import { type JsonObject, textOf } from "../json.ts";
import { messageJson } from "../web-api/methods/messages.ts";
import type { Channel, Message, User, View, ViewState } from "../workspace/state.ts";
import { newTrigger, viewJson } from "../workspace/views.ts";
import { initialState, stateName } from "../block-kit.ts";
import { teamOf } from "../workspace/workspace.ts";
import { appId } from "../workspace/seeds.ts";
import { newResponseUrl } from "../web-api/response-url.ts";
import { installOf, type World } from "../world.ts";
import type { Install } from "../installs/installs.ts";

// https://docs.slack.dev/reference/interaction-payloads

// Deprecated, but still sent. Bots must not trust it.
const token = "verification-token-is-deprecated";

function channelNameFor(channel: Channel): string {
  if (channel.kind === "im") return "directmessage";
  return channel.kind === "private" ? "privategroup" : channel.name;
}

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
export function commandPayload(
  world: World,
  from: { readonly user: User; readonly channel: Channel },
  typed: { readonly command: string; readonly text: string },
): Readonly<Record<string, string>> {
  return {
    token,
    // The person's workspace: https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling
    team_id: teamOf(world.state, from.user).id,
    team_domain: teamOf(world.state, from.user).domain,
    channel_id: from.channel.id,
    channel_name: channelNameFor(from.channel),
    user_id: from.user.id,
    user_name: from.user.name,
    command: typed.command,
    text: typed.text,
    api_app_id: appId,
    ...commandTeam(world),
    response_url: newResponseUrl(world, { user: from.user.id, channel: from.channel.id }),
    trigger_id: newTrigger(world, from.user.id),
  };
}

function shared(world: World, type: string, at: { readonly user: User; readonly isInMessage: boolean }): JsonObject {
  return { type, ...interactionTeam(world, at), api_app_id: appId, token };
}

function messageFields(world: World, channel: Channel, message: Message): JsonObject {
  const isEphemeral = message.ephemeralTo !== undefined;
  const thread = message.threadTs === undefined ? {} : { thread_ts: message.threadTs };
  return {
    container: {
      type: "message",
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: isEphemeral,
      ...thread,
    },
    channel: { id: channel.id, name: channelNameFor(channel) },
    // Ephemeral messages are not included in the payload.
    ...(isEphemeral ? {} : { message: messageJson(world, message) }),
  };
}

export type Surface =
  | { readonly in: "message"; readonly channel: Channel; readonly message: Message }
  | { readonly in: "view"; readonly view: View };

function surfaceFields(world: World, surface: Surface): JsonObject {
  if (surface.in === "message") return messageFields(world, surface.channel, surface.message);
  return { container: { type: "view", view_id: surface.view.id }, view: viewJson(world, surface.view) };
}

/** state.values of a message at a click: initial values, and the value just picked. */
function messageState(message: Message, action: JsonObject): ViewState {
  const state = initialState(message.blocks);
  const [blockId, actionId, type] = [textOf(action["block_id"]), textOf(action["action_id"]), textOf(action["type"])];
  const name = stateName(type);
  if (name === undefined) return state;
  return { ...state, [blockId]: { ...state[blockId], [actionId]: { type, [name]: action[name] ?? null } } };
}

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export function actionsPayload(
  world: World,
  at: { readonly user: User; readonly surface: Surface },
  action: JsonObject,
): JsonObject {
  const { user, surface } = at;
  const state = surface.in === "view" ? surface.view.state : messageState(surface.message, action);
  const base = {
    ...shared(world, "block_actions", { user, isInMessage: surface.in === "message" }),
    ...surfaceFields(world, surface),
    trigger_id: newTrigger(world, user.id),
    state: { values: state },
    actions: [{ ...action, action_ts: world.clock.ts() }],
  };
  if (surface.in === "view") return base;
  return {
    ...base,
    response_url: newResponseUrl(world, { user: user.id, channel: surface.channel.id, original: surface.message }),
  };
}

/** https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload */
export function suggestionPayload(
  world: World,
  at: { readonly user: User; readonly surface: Surface },
  asked: JsonObject,
): JsonObject {
  return {
    ...shared(world, "block_suggestion", { user: at.user, isInMessage: at.surface.in === "message" }),
    ...surfaceFields(world, at.surface),
    ...asked,
  };
}

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export function submissionPayload(world: World, user: User, view: View): JsonObject {
  return {
    ...shared(world, "view_submission", { user, isInMessage: false }),
    trigger_id: newTrigger(world, user.id),
    view: viewJson(world, view),
    response_urls: [],
  };
}

/** A global shortcut carries no channel. https://docs.slack.dev/interactivity/implementing-shortcuts */
export function globalShortcutPayload(world: World, user: User, callbackId: string): JsonObject {
  return {
    ...shared(world, "shortcut", { user, isInMessage: false }),
    callback_id: callbackId,
    trigger_id: newTrigger(world, user.id),
    action_ts: world.clock.ts(),
  };
}

/** A message shortcut; a reply carries its thread_ts in the message. */
export function messageShortcutPayload(
  world: World,
  at: { readonly user: User; readonly channel: Channel; readonly message: Message },
  callbackId: string,
): JsonObject {
  const { user, channel, message } = at;
  return {
    ...shared(world, "message_action", { user, isInMessage: true }),
    callback_id: callbackId,
    trigger_id: newTrigger(world, user.id),
    action_ts: world.clock.ts(),
    message_ts: message.ts,
    channel: { id: channel.id, name: channelNameFor(channel) },
    message: messageJson(world, message),
    // It answers the shortcut and can't change the message, which may be anybody's.
    response_url: newResponseUrl(world, { user: user.id, channel: channel.id }),
  };
}

/** https://docs.slack.dev/apis/events-api#callback-field */
export function eventPayload(world: World, event: JsonObject, install = installOf(world)): JsonObject {
  const channel = world.state.channels.get(textOf(event["channel"]));
  return {
    token,
    ...eventTeam(world, install),
    api_app_id: appId,
    type: "event_callback",
    event,
    event_id: `Ev${world.clock.ts().replace(".", "")}`,
    event_time: Math.floor(world.clock.nowMs() / 1000),
    is_ext_shared_channel: (channel?.sharedWith.size ?? 0) > 0,
  };
}

/** https://docs.slack.dev/reference/events/app_rate_limited has no inner event. */
export function rateLimitedPayload(world: World): JsonObject {
  const minute = Math.floor(world.clock.nowMs() / 60_000) * 60;
  return {
    token,
    type: "app_rate_limited",
    team_id: world.state.team.id,
    minute_rate_limited: minute,
    api_app_id: appId,
  };
}

/** https://docs.slack.dev/reference/events/app_home_opened; `view` is the published Home tab, if there is one. */
export function homeOpenedEvent(
  world: World,
  opened: { readonly user: User; readonly channel: Channel; readonly tab: "home" | "messages" },
): JsonObject {
  const { user, channel, tab } = opened;
  const home = tab === "home" ? world.state.homes.get(user.id) : undefined;
  return {
    type: "app_home_opened",
    user: user.id,
    channel: channel.id,
    tab,
    event_ts: world.clock.ts(),
    ...(home === undefined ? {} : { view: viewJson(world, home) }),
  };
}

// How payloads name the workspace, the organization and the installation.
// https://docs.slack.dev/enterprise/developing-for-enterprise-orgs

/** The fields of a slash command, which carries everything as text. */
function commandTeam(world: World): Readonly<Record<string, string>> {
  const { enterprise } = world.state.team;
  const isOrgWide = String(installOf(world)?.isOrgWide ?? false);
  if (enterprise === undefined) return { is_enterprise_install: isOrgWide };
  return { enterprise_id: enterprise.id, enterprise_name: enterprise.name, is_enterprise_install: isOrgWide };
}

/** The fields of an interaction. Outside of a message, an org-wide installation gets no team: only the user has it. */
function interactionTeam(world: World, at: { readonly user: User; readonly isInMessage: boolean }): JsonObject {
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
function eventTeam({ state: { team, bot } }: World, install: Install | undefined): JsonObject {
  const enterprise = team.enterprise?.id ?? null;
  const heard = { enterprise_id: enterprise, team_id: team.id, user_id: bot.user, is_bot: true };
  return {
    team_id: team.id,
    ...(enterprise === null ? {} : { enterprise_id: enterprise }),
    authorizations: [{ ...heard, is_enterprise_install: install?.isOrgWide ?? false }],
  };
}
