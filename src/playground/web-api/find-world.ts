import { type Install, installWith } from "../installs/installs.ts";
import type { Slack, World } from "../world.ts";
import { type JsonObject, textOf } from "../json.ts";
import { type RuleId, type Problem, refuse, Refused } from "../rules/rules.ts";
import { directId } from "../workspace/workspace.ts";
import { findView } from "../workspace/views.ts";

// A call belongs to the workspace of its token. The token of an organization works in several: there, team_id says
// which, or an id of something in one of them. https://docs.slack.dev/enterprise/developing-for-enterprise-orgs

/** Methods that have to name the workspace if the token is an organization's. */
const needTeam: ReadonlySet<string> = new Set([
  "usergroups.list",
  "usergroups.users.list",
  "users.conversations",
  "users.list",
]);

const errors: Readonly<Record<string, RuleId>> = { token_expired: "auth.fresh" };

/** The installation of a token. Throws Refused. */
export function installOfToken({ installs, worlds }: Slack, token: string | undefined): Install {
  if (token === undefined || token === "") refuse("not_authed", "auth.token", "no token");
  const [{ clock, appToken }] = worlds();
  if (token === appToken.token) refuse("not_allowed_token_type", "socket.token", "an app-level token");
  const found = installWith(installs, token, clock.nowMs());
  if (typeof found === "string")
    refuse(found, errors[found] ?? "auth.token", `Slack doesn't accept the token: ${found}`);
  return found;
}

/** Refuses every token but the app's own. */
export function checkAppToken({ installs, worlds }: Slack, token: string | undefined): void {
  const [{ appToken, faults, clock }] = worlds();
  if (token === undefined || token === "") refuse("not_authed", "auth.token", "no token");
  if (faults.appTokenError !== "") refuse(faults.appTokenError, "socket.token", "the app-level token is refused");
  if (token === appToken.token) return;
  const isBots = typeof installWith(installs, token, clock.nowMs()) !== "string";
  refuse(
    isBots ? "not_allowed_token_type" : "invalid_auth",
    "socket.token",
    isBots ? "a bot's token" : "no such token",
  );
}

function holds(world: World, id: string): boolean {
  const { state } = world;
  if (state.channels.has(id) || state.users.has(id) || state.triggers.has(id) || state.uploads.has(id)) return true;
  const isDirect = [...state.users.keys()].some((user) => directId(user, state.bot.user) === id);
  return isDirect || findView(world, id, id) !== undefined;
}

/** Ids in the arguments of a call, by which a workspace can be found. */
const idArguments = ["channel", "channel_id", "user", "users", "user_id", "trigger_id", "view_id", "external_id"];

const notGranted: Problem = {
  rule: "auth.team",
  at: "/team_id",
  message: "the app was not added to this workspace of the organization",
};

/** The workspace that a call with this installation's token works in. Throws Refused. */
export function worldOfCall(
  slack: Slack,
  install: Install,
  { name, args }: { readonly name: string; readonly args: JsonObject },
): World {
  const [first, ...others] = slack.worlds();
  const mine = [first, ...others].filter(({ state }) => install.teams.has(state.team.id));
  // A workspace's token has no use for team_id: Slack ignores it.
  if (!install.isOrgWide) return mine[0] ?? first;
  const teamId = textOf(args["team_id"]);
  const named = mine.find(({ state }) => state.team.id === teamId);
  if (teamId !== "" && teamId !== install.owner && named === undefined) {
    throw new Refused("team_access_not_granted", [notGranted]);
  }
  if (named === undefined && needTeam.has(name)) {
    refuse("missing_argument", "auth.team", `${name} needs team_id with the token of an organization`);
  }
  const ids = [
    ...idArguments.map((name) => textOf(args[name])).filter((id) => id !== ""),
    ...(textOf(args["files"]).match(/F[0-9A-Z]+/gu) ?? []),
  ];
  const found = named ?? mine.find((world) => ids.some((id) => holds(world, id)));
  return found ?? mine[0] ?? slack.worlds().find(({ state }) => state.team.enterprise?.id === install.owner) ?? first;
}
