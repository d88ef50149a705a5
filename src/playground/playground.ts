import { checkApp } from "./check/app.ts";
import { controlRoutes } from "./control/routes.ts";
import { createInstallDesk, type InstallDesk, worldNamed } from "./installs/install.ts";
import type { World } from "./world.ts";
import { openWorlds, type PlaygroundOptions } from "./open-worlds.ts";
import { besides, keepInstalls, keepSaved } from "./saved-files.ts";
import type { Links, LinkTroubles } from "./sockets/links.ts";
import { requestOf } from "./delivery/bot-request.ts";
import { deliver, type Delivery } from "./delivery/deliver.ts";
import type { EventLedger } from "./rate-limits.ts";
import type { Faults } from "./faults.ts";
import type { JsonObject } from "./json.ts";
import { createPeople, type People } from "./people/people.ts";
import { createPerson, type Person } from "./people/person.ts";
import type { Exchange } from "./transcript.ts";
import type { Message } from "./workspace/state.ts";
import { findChannel } from "./workspace/workspace.ts";

/** The first workspace, and the way to the others. */
export type Playground = Workspace & {
  readonly fetch: (request: Request) => Promise<Response>;
  /** A workspace by id, name or domain: "harbour". Throws a sentence if there is none. */
  readonly workspace: (name: string) => Workspace;
  readonly installs: InstallDesk;
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
