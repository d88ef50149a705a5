import type { Clock } from "./clock.ts";
import type { EventLedger } from "./delivery/event-quota.ts";
import { withIds } from "./workspace/ids.ts";
import type { JsonObject } from "./json.ts";
import type { Deletion, Message, State } from "./workspace/state.ts";
import type { Later } from "./timers.ts";
import type { Transcript } from "./transcript.ts";
import type { Faults } from "./faults/faults.ts";
import { bot, slackbot } from "./workspace/workspace.ts";

/** What the composer shows of a slash command: its line in the list, and its words while one types. */
export type CommandHint = { readonly command: string; readonly description?: string; readonly usageHint?: string };

/** A global shortcut stands in the composer, a message shortcut in the menu of a message. */
export type Shortcut = {
  readonly name: string;
  readonly callbackId: string;
  readonly type: "global" | "message";
  readonly description?: string;
};

/** What the manifest says of the app, as plain data. `commands` are with their slash. */
export type App = {
  readonly name: string;
  readonly botDisplayName: string;
  readonly commands: readonly string[];
  readonly scopes: readonly string[];
  readonly events: readonly string[];
  readonly commandHints?: readonly CommandHint[];
  readonly shortcuts?: readonly Shortcut[];
  /** should_escape of the commands; true when it is not said. */
  readonly escapesNames?: boolean;
  /** settings.interactivity.message_menu_options_url is there; true when it is not said. */
  readonly hasOptionsUrl?: boolean;
};

/** Something that goes wrong outside of Slack, which whoever starts the playground can switch on and off. */
export type ExternalFault = { readonly label: string; readonly set: (on: boolean) => void };

/** All parts of one playground, handed to whatever acts in it. */
export type World = {
  readonly app: App;
  readonly state: State;
  readonly clock: Clock;
  readonly transcript: Transcript;
  readonly faults: Faults;
  readonly signingSecret: string;
  readonly botToken: string;
  readonly ackMs: number;
  /** Switches of the page for what goes wrong elsewhere, by label; and those that are on. */
  readonly externalFaults: readonly ExternalFault[];
  readonly externalFaultsOn: Set<string>;
  readonly events: EventLedger;
  /** The minutes for which the bot was told that it gets too many events. */
  readonly rateLimitNotices: Set<number>;
  readonly later: Later;
  readonly url: () => string;
  readonly requestUrl: () => string;
  /** Called after each change of the state. */
  readonly watchers: Set<() => void>;
};

/** Notes a change: what changed gets the new revision, and who watches is told. */
export function touch(world: World, changed?: { revision: number }): void {
  world.state.revision += 1;
  if (changed !== undefined) changed.revision = world.state.revision;
  for (const watcher of world.watchers) watcher();
}

export type Draft = Pick<Message, "channel" | "user" | "text"> &
  Partial<Pick<Message, "blocks" | "attachments" | "files" | "isBroadcast" | "isMrkdwn" | "parsesNames">> & {
    readonly threadTs?: string | undefined;
    readonly ephemeralTo?: string | undefined;
    readonly metadata?: JsonObject | undefined;
  };

/** Puts a message into the workspace. */
export function post(world: World, draft: Draft): Message {
  const { threadTs, ephemeralTo, metadata, ...rest } = draft;
  const message: Message = {
    attachments: [],
    files: [],
    isBroadcast: false,
    isMrkdwn: true,
    parsesNames: false,
    ...rest,
    blocks: withIds(draft.blocks ?? []),
    ts: world.clock.ts(),
    revision: 0,
    ...(threadTs === undefined ? {} : { threadTs }),
    ...(ephemeralTo === undefined ? {} : { ephemeralTo }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  world.state.messages.push(message);
  touch(world, message);
  return message;
}

export function remove(world: World, message: Message): void {
  const index = world.state.messages.indexOf(message);
  if (index < 0) return;
  world.state.messages.splice(index, 1);
  const gone: Deletion = {
    channel: message.channel,
    ts: message.ts,
    ephemeralTo: message.ephemeralTo,
    revision: world.state.revision + 1,
  };
  world.state.deletions.push(gone);
  touch(world);
}

/** Whom Slack tells something, and where. */
export type Addressee = {
  readonly user: string;
  readonly channel: string;
  readonly thread?: string | undefined;
};

/** What only one person sees, said by Slack itself. */
export function notice(world: World, to: Addressee, text: string): Message {
  return post(world, { channel: to.channel, user: slackbot, text, ephemeralTo: to.user, threadTs: to.thread });
}

export function isBots(message: Message): boolean {
  return message.user === bot.user;
}
