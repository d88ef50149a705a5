import type { BotUser, Channel, Enterprise, State, Team, User, UserGroup } from "./state.ts";

type Named = Pick<User, "id" | "name" | "realName" | "role">;

/**
 * The people and channels of a new workspace. Ids differ from those of all other workspaces, names may be the same. The
 * approver is the workspace's admin.
 */
export type Seed = {
  readonly team: Team;
  readonly bot: BotUser;
  /** Put into ids of people and groups that come later. "" in the first workspace. */
  readonly mark: string;
  readonly people: readonly Named[];
};

/** The id of the app, in every workspace. */
export const appId = "A0GANTRY";

export const slackbot = "USLACKBOT";

/** The workspace of people of another organization that doesn't know the app. */
export const elsewhere: Team = { id: "T0ELSEWHERE", name: "Elsewhere", domain: "elsewhere" };

/** A full member of a workspace. */
export function memberOf(team: Pick<Team, "id">, named: Named): User {
  const flags = { isBot: false, isGuest: false, isAdmin: false, isDeactivated: false, isSignedOut: false };
  return { ...named, ...flags, teamId: team.id, isTeamHidden: false };
}

const playground: Seed = {
  team: { id: "T0PLAYGR", name: "Playground", domain: "playground" },
  bot: { user: "U0BOT", id: "B0BOT" },
  mark: "",
  people: [
    { id: "U0DANA", name: "dana", realName: "Dana Reyes", role: "developer" },
    { id: "U0ALEX", name: "alex", realName: "Alex Kim", role: "approver" },
    { id: "U0OMAR", name: "omar", realName: "Omar Haddad", role: "on call" },
    { id: "U0GWEN", name: "gwen", realName: "Gwen Moss", role: "guest" },
  ],
};

const harbour: Seed = {
  team: { id: "T0HARBOUR", name: "Harbour", domain: "harbour" },
  bot: { user: "U0HBOT", id: "B0HBOT" },
  mark: "H",
  people: [
    { id: "U0HHANA", name: "hana", realName: "Hana Sato", role: "developer" },
    { id: "U0HHUGO", name: "hugo", realName: "Hugo Lind", role: "approver" },
    { id: "U0HIDA", name: "ida", realName: "Ida Brandt", role: "on call" },
    { id: "U0HGUS", name: "gus", realName: "Gus Vega", role: "guest" },
  ],
};

const orchard: Enterprise = { id: "E0ORCHARD", name: "Orchard" };
/** In an organization, the app has one bot user for all of its workspaces. */
const orchardBot: BotUser = { user: "U0OBOT", id: "B0OBOT" };

const orchardEast: Seed = {
  team: { id: "T0OEAST", name: "Orchard East", domain: "orchard-east", enterprise: orchard },
  bot: orchardBot,
  mark: "OE",
  people: [
    { id: "U0OEMMA", name: "emma", realName: "Emma Stone", role: "developer" },
    { id: "U0OERIK", name: "erik", realName: "Erik Berg", role: "approver" },
    { id: "U0OELLA", name: "ella", realName: "Ella Roy", role: "guest" },
  ],
};

const orchardWest: Seed = {
  team: { id: "T0OWEST", name: "Orchard West", domain: "orchard-west", enterprise: orchard },
  bot: orchardBot,
  mark: "OW",
  people: [
    { id: "U0OWILL", name: "will", realName: "Will Park", role: "developer" },
    { id: "U0OWANDA", name: "wanda", realName: "Wanda Fox", role: "approver" },
    { id: "U0OWES", name: "wes", realName: "Wes Dunn", role: "guest" },
  ],
};

/** The workspaces of a playground with several of them: two on their own, and two of one organization. */
export const seeds: readonly [Seed, ...Seed[]] = [playground, harbour, orchardEast, orchardWest];

function idsOf({ people }: Seed, ...roles: readonly string[]): readonly string[] {
  return roles.flatMap((role) => people.filter((each) => each.role === role).map(({ id }) => id));
}

function channelsOf(seed: Seed): readonly Channel[] {
  const members = idsOf(seed, "developer", "approver", "on call");
  const fresh = (id: string, name: string, ids: readonly string[]): Omit<Channel, "kind"> => ({
    id: `C0${seed.mark}${id}`,
    name,
    members: new Set(ids),
    sharedWith: new Set(),
    isArchived: false,
  });
  return [
    { kind: "public", ...fresh("OPS", "ops", [...members, ...idsOf(seed, "guest"), seed.bot.user]) },
    { kind: "public", ...fresh("GENERAL", "general", members) },
    { kind: "private", ...fresh("INCIDENTS", "incidents", idsOf(seed, "developer", "approver")) },
  ];
}

function usersOf({ team, people, bot }: Seed, botName: string): readonly User[] {
  return [
    ...people.map((each) => ({
      ...memberOf(team, each),
      isAdmin: each.role === "approver",
      isGuest: each.role === "guest",
    })),
    memberOf(team, { id: slackbot, name: "slackbot", realName: "Slackbot", role: "Slack itself" }),
    { ...memberOf(team, { id: bot.user, name: botName, realName: botName, role: "app" }), isBot: true },
  ];
}

/** A new workspace: three channels, its people, a guest, one user group, and the bot in #ops. */
export function newState(botName: string, seed: Seed = playground): State {
  const users = idsOf(seed, "on call", "approver");
  const onCall: UserGroup = { id: `S0${seed.mark}ONCALL`, handle: "oncall", name: "On call", users };
  return {
    team: seed.team,
    bot: seed.bot,
    mark: seed.mark,
    users: new Map(usersOf(seed, botName).map((user) => [user.id, user])),
    channels: new Map(channelsOf(seed).map((channel) => [channel.id, channel])),
    groups: new Map([[onCall.id, onCall]]),
    messages: [],
    deletions: [],
    files: new Map(),
    uploads: new Map(),
    modals: new Map(),
    homes: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    reads: new Map(),
    sessions: new Map(),
    revision: 0,
  };
}
