import { randomBytes } from "node:crypto";
import { createClock } from "./clock.ts";
import { createEventLedger } from "./delivery/event-quota.ts";
import { createFaults } from "./faults/faults.ts";
import { createNetwork, type Network } from "./faults/network.ts";
import { createInstalls } from "./installs/installs.ts";
import type { Slack } from "./installs/slack.ts";
import type { PlaygroundOptions } from "./playground.ts";
import { times } from "./rules/limits.ts";
import { newestTs, restore } from "./saved/saved-workspace.ts";
import { besides, loadWorkspace } from "./saved/workspace-file.ts";
import { createLinks, type Links } from "./sockets/links.ts";
import type { Later } from "./timers.ts";
import { createTranscript } from "./transcript.ts";
import { appId, newState, type Seed, seeds } from "./workspace/seeds.ts";
import type { State } from "./workspace/state.ts";
import type { World } from "./world.ts";

type Shared = Pick<World, "appToken" | "clock" | "externalFaultsOn" | "later" | "slack" | "url"> & {
  readonly network: Network;
};

/** The connections of Socket Mode belong to the app: those of the first workspace are everybody's. */
function newWorld(options: PlaygroundOptions, state: State, shared: Shared & { readonly links?: Links }): World {
  const { clock, later, url, network } = shared;
  const { hosts = [] } = options;
  const transcript = createTranscript(clock.now);
  const faults = createFaults(network);
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watcher of watchers) watcher();
  };
  const { links = createLinks({ appId, url, hosts, now: clock.now, later, transcript, network, changed }) } = shared;
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
  if (oauth !== undefined) retire(state);
  if (saved !== undefined) restore(state, saved);
  return { state, path, notice };
}

function retire({ users, channels, bot }: State): void {
  users.delete(bot.user);
  for (const { members } of channels.values()) members.delete(bot.user);
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

export type OpenedWorlds = {
  readonly slack: Slack;
  readonly worlds: readonly [World, ...World[]];
  /** The file of each workspace that is saved. */
  readonly paths: readonly { readonly world: World; readonly path: string }[];
  /** Notices about the saved workspaces, as sentences. */
  readonly notices: readonly string[];
};

/** All workspaces of a playground: one, or those that an app with OAuth can be installed in. */
export function openWorlds(options: PlaygroundOptions, later: Later): OpenedWorlds {
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
  const clock = createClock(options.now ?? Date.now, lastTs);
  const slack: Slack = newSlack(options, () => worlds);
  const shared = { slack, clock, later, url, appToken, network: createNetwork(), externalFaultsOn: new Set<string>() };
  const world = newWorld(options, first.state, shared);
  const others = rest.map(({ state }) => newWorld(options, state, { ...shared, links: world.links }));
  const worlds: [World, ...World[]] = [world, ...others];
  const paths = opened.flatMap(({ path }, index) => {
    const saved = worlds[index];
    return path === undefined || saved === undefined ? [] : [{ world: saved, path }];
  });
  return { slack, worlds, paths, notices: opened.flatMap(({ notice }) => notice ?? []) };
}
