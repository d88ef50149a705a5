import { randomBytes } from "node:crypto";
import { type Clock, machineClock } from "../platform/clock.ts";
import { createSlackClock } from "./clock.ts";
import { createEventLedger, type EventLedger } from "./rate-limits.ts";
import { createFaults, createNetwork, type Network, type Faults } from "./faults.ts";
import { createInstalls } from "./installs/installs.ts";
import type { App, ExternalFault, OAuthApp, Slack, World } from "./world.ts";
import { times } from "./rules/limits.ts";
import { newestTs, restore } from "./saved-workspace.ts";
import { besides, loadWorkspace, keepInstalls, keepSaved } from "./saved-files.ts";
import { createLinks, type Links, type LinkTroubles } from "./sockets/links.ts";
import { createTranscript, type Exchange } from "./transcript.ts";
import { appId, newState, type Seed, seeds } from "./workspace/seeds.ts";
import type { State, Message } from "./workspace/state.ts";
import { checkApp } from "./check/app.ts";
import { controlRoutes } from "./control/routes.ts";
import { createInstallDesk, worldNamed } from "./installs/install.ts";
import { requestOf } from "./delivery/bot-request.ts";
import { deliver, type Delivery } from "./delivery/deliver.ts";
import type { JsonObject } from "./json.ts";
import { createPeople, type People } from "./people/people.ts";
import { createPerson, type Person } from "./people/person.ts";
import { findChannel } from "./workspace/workspace.ts";

export type PlaygroundOptions = {
  readonly app: App;
  readonly signingSecret: string;
  /** xoxb-… of an app that is in one workspace from the start, and in no other. */
  readonly botToken?: string;
  /** An app that several workspaces can install; at first, none has it. Instead of `botToken`. */
  readonly oauth?: OAuthApp;
  /** xapp-…, for an app in Socket Mode. Default: a new one. */
  readonly appToken?: string;
  /** Default: connections:write. */
  readonly appTokenScopes?: readonly string[];
  /** The playground's base URL; a function while the port is not known yet. */
  readonly url: string | (() => string);
  /** The bot's request URL: http://127.0.0.1:3000/slack/events */
  readonly requestUrl: () => string;
  /** Default: this machine's. */
  readonly clock?: Clock;
  /** Limit for an ack in milliseconds. Defaults to Slack's 3 s. */
  readonly ackMs?: number;
  /** How long a trigger lives, in milliseconds. Defaults to Slack's 3 s. */
  readonly triggerMs?: number;
  /** Host names besides loopback that may use the control routes ("gantry.example:8080"). */
  readonly hosts?: readonly string[];
  /** The file in which the first workspace outlives a restart; the others have theirs beside it. Undefined keeps nothing. */
  readonly savedIn?: string;
  /** Told when saving fails. */
  readonly onTrouble?: (sentence: string) => void;
  /** More switches on the page's faults panel, for faults outside of Slack. */
  readonly externalFaults?: readonly ExternalFault[];
};

type Shared = Pick<World, "appToken" | "clock" | "externalFaultsOn" | "slack" | "url"> & {
  readonly network: Network;
};

/** The connections of Socket Mode belong to the app: those of the first workspace are everybody's. */
function newWorld(options: PlaygroundOptions, state: State, shared: Shared & { readonly links?: Links }): World {
  const { clock, url, network } = shared;
  const { hosts = [] } = options;
  const transcript = createTranscript(clock);
  const faults = createFaults(clock, network);
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };
  const { links = createLinks({ appId, url, hosts, clock, transcript, network, changed }) } = shared;
  faults.whenCleared.add(links.heal);
  return {
    app: options.app,
    state,
    ...shared,
    transcript,
    faults,
    signingSecret: options.signingSecret,
    links,
    ackMs: options.ackMs ?? times.ack.ms,
    triggerMs: options.triggerMs ?? times.trigger.ms,
    externalFaults: options.externalFaults ?? [],
    events: createEventLedger(),
    rateLimitNotices: new Set(),
    requestUrl: options.requestUrl,
    watchers,
  };
}

type Opened = { readonly state: State; readonly path: string | undefined; readonly notice: string | undefined };

/** A workspace as it was saved, or a new one. Each has a file of its own. */
function openState({ app, savedIn, oauth }: PlaygroundOptions, seed: Seed): Opened {
  const isFirst = seed.mark === "";
  const path = savedIn === undefined || isFirst ? savedIn : besides(savedIn, seed.team.domain);
  const { saved, notice } = loadWorkspace(path);
  const state = newState(app.botDisplayName, seed);
  // Installing brings the bot's user, and a person invites it.
  if (oauth !== undefined) {
    state.users.delete(state.bot.user);
    for (const { members } of state.channels.values()) members.delete(state.bot.user);
  }
  if (saved !== undefined) restore(state, saved);
  return { state, path, notice };
}

function newSlack({ oauth, botToken, app }: PlaygroundOptions, worlds: Slack["worlds"]): Slack {
  const installs = createInstalls();
  const owner = seeds[0].team.id;
  if (botToken !== undefined) {
    const tokens = [{ value: botToken }];
    const install = { owner, isOrgWide: false, installer: "", scopes: app.scopes, teams: new Set([owner]), tokens };
    installs.all.set(owner, install);
  }
  return { installs, oauth, codes: new Map(), worlds };
}

type OpenedWorlds = {
  readonly slack: Slack;
  readonly worlds: readonly [World, ...World[]];
  /** The file of each workspace that is saved. */
  readonly paths: readonly { readonly world: World; readonly path: string }[];
  /** Notices about the saved workspaces, as sentences. */
  readonly notices: readonly string[];
};

/** All workspaces of a playground: one, or those that an app with OAuth can be installed in. */
export function openWorlds(options: PlaygroundOptions): OpenedWorlds {
  const { url: base } = options;
  const url = (): string => (typeof base === "string" ? base : base()).replace(/\/$/, "");
  const { appToken: token = `xapp-1-${appId}-local-${randomBytes(12).toString("hex")}` } = options;
  const appToken = { token, scopes: options.appTokenScopes ?? ["connections:write"] };
  const [seed, ...more] = seeds;
  const first = openState(options, seed);
  const rest = options.oauth === undefined ? [] : more.map((each) => openState(options, each));
  const opened = [first, ...rest];
  const lastTs = opened
    .map(({ state }) => newestTs(state))
    .toSorted()
    .at(-1);
  const clock = createSlackClock(options.clock ?? machineClock, lastTs);
  const slack: Slack = newSlack(options, () => worlds);
  const shared = { slack, clock, url, appToken, network: createNetwork(), externalFaultsOn: new Set<string>() };
  const world = newWorld(options, first.state, shared);
  const others = rest.map(({ state }) => newWorld(options, state, { ...shared, links: world.links }));
  const worlds: [World, ...World[]] = [world, ...others];
  const paths = opened.flatMap(({ path }, index) => {
    const saved = worlds[index];
    return path === undefined || saved === undefined ? [] : [{ world: saved, path }];
  });
  return { slack, worlds, paths, notices: opened.flatMap(({ notice }) => notice ?? []) };
}

/** The first workspace, and the way to the others. */
export type Playground = Workspace & {
  readonly fetch: (request: Request) => Promise<Response>;
  /** A workspace by id, name or domain: "harbour". Throws a sentence if there is none. */
  readonly workspace: (name: string) => Workspace;
  readonly installs: ReturnType<typeof createInstallDesk>;
  /** The app's connections in Socket Mode, and what can happen to them. */
  readonly links: LinkTroubles & Pick<Links, "names">;
  /** Takes the connections of Socket Mode: give it the `upgrade` events of the server that serves `fetch`. */
  readonly upgrade: Links["upgrade"];
  /** Notices about the saved workspaces, as sentences. */
  readonly notices: readonly string[];
  /** Saves the workspaces and ends answers that hang. */
  readonly close: () => void;
};

/**
 * A simulated Slack for one bot. Serve its `fetch` over HTTP and give its URL to the bot as slackApiUrl. Throws an Error
 * when the app breaks a rule of Slack's manifest.
 */
export function createPlayground(options: PlaygroundOptions): Playground {
  checkApp(options.app);
  const { slack, worlds, paths, notices } = openWorlds(options);
  const { savedIn, onTrouble = () => undefined } = options;
  if (savedIn !== undefined && options.oauth !== undefined) keepInstalls(slack, besides(savedIn, "installs"));
  const saving = paths.map(({ world, path }) => keepSaved(world, { path, onTrouble }));
  const routes = controlRoutes(slack, options.hosts ?? []);
  const workspaces = new Map(worlds.map((world) => [world, openWorkspace(world)]));
  const workspaceOf = (world: World): Workspace => workspaces.get(world) ?? openWorkspace(world);
  return {
    ...workspaceOf(worlds[0]),
    fetch: async (request) => routes.fetch(request),
    workspace: (name) => workspaceOf(worldNamed(slack, name)),
    installs: createInstallDesk(slack),
    links: worlds[0].links,
    upgrade: worlds[0].links.upgrade,
    notices,
    close() {
      for (const each of saving) each.close();
      worlds[0].clock.close();
      worlds[0].links.close();
      for (const { faults } of worlds) faults.release();
    },
  };
}

/** A message with its replies, without ephemeral ones. */
type Thread = Message & { readonly replies: readonly Message[] };

/** One workspace, for those who run the playground. */
export type Workspace = {
  readonly teamId: string;
  /** A person by name or id: "dana". */
  readonly as: (user: string) => Person;
  /** Changes users, groups and channels while the bot runs. */
  readonly people: People;
  readonly transcript: () => readonly Exchange[];
  readonly faults: Faults & {
    readonly removeBot: (channel: string) => void;
    readonly inviteBot: (channel: string) => void;
  };
  /** Counts event deliveries; `enable` resumes them after too many failures. */
  readonly events: EventLedger;
  /** Delivers what nobody here can cause: a payload once more, or one that somebody made up. */
  readonly deliver: (payload: JsonObject) => Promise<Delivery>;
  readonly messages: (channel: string) => readonly Thread[];
  /** Calls back after every change; returns the unsubscribe function. */
  readonly watch: (watcher: () => void) => () => void;
};

function channelNamed(world: World, name: string): { readonly id: string; readonly members: Set<string> } {
  const channel = findChannel(world.state, name);
  if (channel === undefined) throw new Error(`there is no channel "${name}"`);
  return channel;
}

function threads(world: World, name: string): readonly Thread[] {
  const { id } = channelNamed(world, name);
  const all = world.state.messages.filter((message) => message.channel === id && message.ephemeralTo === undefined);
  return all
    .filter((message) => message.threadTs === undefined)
    .map((message) => ({ ...message, replies: all.filter((reply) => reply.threadTs === message.ts) }));
}

function openWorkspace(world: World): Workspace {
  const { bot, team } = world.state;
  return {
    teamId: team.id,
    as: (user) => createPerson(world, user),
    people: createPeople(world),
    transcript: () => world.transcript.exchanges,
    faults: Object.assign(world.faults, {
      removeBot: (channel: string) => void channelNamed(world, channel).members.delete(bot.user),
      inviteBot: (channel: string) => void channelNamed(world, channel).members.add(bot.user),
    }),
    events: world.events,
    deliver: (payload) => deliver(world, requestOf(payload)),
    messages: (channel) => threads(world, channel),
    watch(watcher) {
      world.watchers.add(watcher);
      return () => void world.watchers.delete(watcher);
    },
  };
}
