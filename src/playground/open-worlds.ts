import { randomBytes } from "node:crypto";
import { type Clock, machineClock } from "../platform/clock.ts";
import { createSlackClock } from "./clock.ts";
import { createEventLedger } from "./rate-limits.ts";
import { createFaults, createNetwork, type Network } from "./faults.ts";
import { createInstalls } from "./installs/installs.ts";
import type { App, ExternalFault, OAuthApp, Slack, World } from "./world.ts";
import { times } from "./rules/limits.ts";
import { newestTs, restore } from "./saved-workspace.ts";
import { besides, loadWorkspace } from "./saved-files.ts";
import { createLinks, type Links } from "./sockets/links.ts";
import { createTranscript } from "./transcript.ts";
import { appId, newState, type Seed, seeds } from "./workspace/seeds.ts";
import type { State } from "./workspace/state.ts";

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
