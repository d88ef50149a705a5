import type { State, View } from "../workspace/state.ts";
import { directId, isOutsider, peopleOf } from "../workspace/workspace.ts";
import { installOf, type World } from "../world.ts";
import type { WireChannel, WireFaults, WireSnapshot, WireView } from "../wire.ts";

function peopleIds(state: State): readonly string[] {
  return peopleOf(state).map((user) => user.id);
}

/** Direct conversations are listed even while they are empty. */
function directJson({ bot }: State, you: string, partner: string): WireChannel {
  const id = directId(you, partner);
  return {
    id,
    name: "directmessage",
    kind: "im",
    partner,
    members: [you, partner],
    hasBot: partner === bot.user,
    isArchived: false,
  };
}

function channelsOf(world: World, you: string): readonly WireChannel[] {
  const { state } = world;
  const joined = [...state.channels.values()].filter((channel) => channel.kind !== "im" && channel.members.has(you));
  const apps = state.users.has(state.bot.user) ? [state.bot.user] : [];
  const partners = [...apps, ...peopleIds(state).filter((id) => id !== you)];
  return [
    ...joined.map(({ id, name, kind, members, isArchived }) => {
      return { id, name, kind, members: [...members], hasBot: members.has(state.bot.user), isArchived };
    }),
    ...partners.map((partner) => directJson(state, you, partner)),
  ];
}

function viewJson(view: View | undefined): WireView | null {
  if (view === undefined) return null;
  const { user: _user, revision: _revision, ...shown } = view;
  return shown;
}

function faultsJson(world: World): WireFaults {
  const { app, links, faults, externalFaults, externalFaultsOn } = world;
  const plan = faults.planned()[0];
  const answers: WireFaults["answers"] = typeof plan?.fault === "string" ? plan.fault : "";
  const answersTo = plan?.kind ?? "all";
  const answersIn = plan?.channel ?? "";
  const extra = externalFaults.map(({ label }) => ({ label, on: externalFaultsOn.has(label) }));
  const { slowMs, retryAfterSeconds, deliverTwice, signsWrongly, signatureAgeSeconds } = faults;
  const { tokenError, missingScopes, refusesUploads } = faults;
  const deliveries = { deliverTwice, signsWrongly, signatureAgeSeconds };
  const installation = { tokenError, missingScopes, refusesUploads };
  const sockets = app.usesSocketMode === true ? { ...links.status(), open: links.names() } : null;
  const connections = { isNetworkCut: faults.network.isCut(), sockets };
  const planned = { answers, answersTo, answersIn };
  return { slowMs, retryAfterSeconds, ...deliveries, ...installation, ...connections, ...planned, extra };
}

function appJson({ app, state }: World): WireSnapshot["app"] {
  const hint = (command: string) => app.commandHints?.find((each) => each.command === command);
  return {
    name: app.name,
    user: state.bot.user,
    scopes: app.scopes,
    commands: app.commands.map((command) => ({
      command,
      description: hint(command)?.description ?? "",
      usageHint: hint(command)?.usageHint ?? "",
    })),
    shortcuts: (app.shortcuts ?? []).map((each) => ({ ...each, description: each.description ?? "" })),
  };
}

function installJson(world: World): WireSnapshot["install"] {
  const { oauth, installs } = world.slack;
  if (oauth === undefined) return null;
  const { enterprise } = world.state.team;
  const isOrgWide = enterprise !== undefined && installs.all.has(enterprise.id);
  return {
    isInstalled: installOf(world) !== undefined,
    url: oauth.installUrl(),
    org: isOrgWide ? enterprise.name : null,
  };
}

/** Everything one person may see of the workspace, except messages and exchanges. */
export function snapshotFor(world: World, you: string): WireSnapshot {
  const { state } = world;
  const worlds = world.slack.worlds();
  return {
    you,
    team: state.team.name,
    workspaces: worlds.map((each) => ({ name: each.state.team.name, as: peopleOf(each.state)[0]?.name ?? "" })),
    install: installJson(world),
    app: appJson(world),
    users: [...state.users.values()].map((user) => {
      const { teamId: _team, isTeamHidden: _isHidden, isSignedOut: _isOut, ...shown } = user;
      return { ...shown, isOutsider: isOutsider(state, user) };
    }),
    people: peopleIds(state),
    groups: [...state.groups.values()],
    channels: channelsOf(world, you),
    modal: viewJson(state.modals.get(you)),
    home: viewJson(state.homes.get(you)),
    reads: Object.fromEntries(
      [...state.reads].filter(([key]) => key.startsWith(`${you} `)).map(([key, ts]) => [key.slice(you.length + 1), ts]),
    ),
    faults: faultsJson(world),
  };
}
