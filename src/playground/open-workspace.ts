import { requestOf } from "./delivery/bot-request.ts";
import { deliver, type Delivery } from "./delivery/deliver.ts";
import type { EventLedger } from "./delivery/event-quota.ts";
import type { Faults } from "./faults.ts";
import type { JsonObject } from "./json.ts";
import { createPeople, type People } from "./people/people.ts";
import { createPerson, type Person } from "./people/person.ts";
import type { Exchange } from "./transcript.ts";
import type { Message } from "./workspace/state.ts";
import { findChannel } from "./workspace/workspace.ts";
import type { World } from "./world.ts";

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

export function openWorkspace(world: World): Workspace {
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
