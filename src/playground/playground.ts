import { checkApp } from "./check/app.ts";
import { createClock } from "./clock.ts";
import { controlRoutes } from "./control/routes.ts";
import { createEventLedger, type EventLedger } from "./delivery/event-quota.ts";
import { times } from "./rules/limits.ts";
import { createPeople, type People } from "./people/people.ts";
import { createPerson, type Person } from "./people/person.ts";
import { bot, findChannel, newState } from "./workspace/workspace.ts";
import type { Message } from "./workspace/state.ts";
import type { Saved } from "./saved/saved-shape.ts";
import { newestTs, restore } from "./saved/saved-workspace.ts";
import { keepSaved, loadWorkspace } from "./saved/workspace-file.ts";
import { createTimers, type Later } from "./timers.ts";
import { createTranscript, type Exchange } from "./transcript.ts";
import { createFaults, type Faults } from "./faults/faults.ts";
import type { App, ExternalFault, World } from "./world.ts";

export type PlaygroundOptions = {
  readonly app: App;
  readonly signingSecret: string;
  /** xoxb-… */
  readonly botToken: string;
  /** The playground's base URL; a function while the port is not known yet. */
  readonly url: string | (() => string);
  /** The bot's request URL: http://127.0.0.1:3000/slack/events */
  readonly requestUrl: () => string;
  /**
   * Milliseconds since 1970. All timestamps and expiries use it, except signatures: the bot checks those by wall time.
   */
  readonly now?: () => number;
  /** Schedules event retries. Defaults to timers of this process. */
  readonly later?: Later;
  /** Limit for an ack in milliseconds. Defaults to Slack's 3 s. */
  readonly ackMs?: number;
  /** Host names besides loopback that may use the control routes ("gantry.example:8080"). */
  readonly hosts?: readonly string[];
  /** The file in which the workspace outlives a restart; undefined keeps nothing. */
  readonly savedIn?: string;
  /** Told when saving fails. */
  readonly onTrouble?: (sentence: string) => void;
  /** More switches on the page's faults panel, for faults outside of Slack. */
  readonly externalFaults?: readonly ExternalFault[];
};

/** A message with its replies, without ephemeral ones. */
type Thread = Message & { readonly replies: readonly Message[] };

export type Playground = {
  readonly fetch: (request: Request) => Promise<Response>;
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
  readonly messages: (channel: string) => readonly Thread[];
  /** Calls back after every change; returns the unsubscribe function. */
  readonly watch: (watcher: () => void) => () => void;
  /** Notices about the saved workspace, as sentences. */
  readonly notices: readonly string[];
  /** Saves the workspace and ends answers that hang. */
  readonly close: () => void;
};

function newWorld(options: PlaygroundOptions, { later, saved }: { later: Later; saved: Saved | undefined }): World {
  const now = options.now ?? Date.now;
  const { url } = options;
  const state = newState(options.app.botDisplayName);
  if (saved !== undefined) restore(state, saved);
  return {
    app: options.app,
    state,
    clock: createClock(now, newestTs(state)),
    transcript: createTranscript(now),
    faults: createFaults(),
    signingSecret: options.signingSecret,
    botToken: options.botToken,
    ackMs: options.ackMs ?? times.ack.ms,
    externalFaults: options.externalFaults ?? [],
    externalFaultsOn: new Set(),
    events: createEventLedger(),
    rateLimitNotices: new Set(),
    later,
    url: () => (typeof url === "string" ? url : url()).replace(/\/$/, ""),
    requestUrl: options.requestUrl,
    watchers: new Set(),
  };
}

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

/**
 * A simulated Slack workspace for one bot. Serve its `fetch` over HTTP and give its URL to the bot as slackApiUrl.
 * Throws an Error when the app breaks a rule of Slack's manifest.
 */
export function createPlayground(options: PlaygroundOptions): Playground {
  checkApp(options.app);
  const timers = createTimers();
  const { savedIn: path, onTrouble = () => undefined } = options;
  const { saved, notice } = loadWorkspace(path);
  const world = newWorld(options, { later: options.later ?? timers.later, saved });
  const saving = path === undefined ? undefined : keepSaved(world, { path, onTrouble });
  const routes = controlRoutes(world, options.hosts ?? []);
  return {
    fetch: async (request) => routes.fetch(request),
    as: (user) => createPerson(world, user),
    people: createPeople(world),
    transcript: () => world.transcript.exchanges,
    faults: Object.assign(world.faults, {
      removeBot: (channel: string) => void channelNamed(world, channel).members.delete(bot.user),
      inviteBot: (channel: string) => void channelNamed(world, channel).members.add(bot.user),
    }),
    events: world.events,
    messages: (channel) => threads(world, channel),
    watch(watcher) {
      world.watchers.add(watcher);
      return () => void world.watchers.delete(watcher);
    },
    notices: notice === undefined ? [] : [notice],
    close() {
      saving?.close();
      timers.close();
      world.faults.release();
    },
  };
}
