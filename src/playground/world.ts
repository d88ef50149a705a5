import type { SlackClock } from "./clock.ts";
import type { EventLedger } from "./rate-limits.ts";
import type { Deletion, Enterprise, Message, State } from "./workspace/state.ts";
import { withIds } from "./workspace/workspace.ts";
import type { JsonObject } from "./json.ts";
import type { Links } from "./sockets/links.ts";
import { type Install, installIn, type Installs } from "./installs/installs.ts";
import type { Transcript } from "./transcript.ts";
import type { Faults } from "./faults.ts";
import { slackbot } from "./workspace/seeds.ts";

/** A slash command in the composer: its line in the list, and its usage hint. */
type CommandHint = { readonly command: string; readonly description?: string; readonly usageHint?: string };

/** Global shortcuts are listed in the composer, message shortcuts in a message's menu. */
export type Shortcut = {
  readonly name: string;
  readonly callbackId: string;
  readonly type: "global" | "message";
  readonly description?: string;
};

/** The app's manifest as plain data. `commands` include their slash. */
export type App = {
  readonly name: string;
  readonly botDisplayName: string;
  readonly commands: readonly string[];
  readonly scopes: readonly string[];
  readonly events: readonly string[];
  readonly commandHints?: readonly CommandHint[];
  readonly shortcuts?: readonly Shortcut[];
  /** should_escape of the commands. Default: true. */
  readonly escapesNames?: boolean;
  /** settings.socket_mode_enabled. Default: false. */
  readonly usesSocketMode?: boolean;
  /** True if settings.interactivity.message_menu_options_url is set. Default: true. */
  readonly hasOptionsUrl?: boolean;
};

/** A fault outside of Slack that the page can switch on and off. */
export type ExternalFault = { readonly label: string; readonly set: (on: boolean) => void };

/** The parts of one playground. */
export type World = {
  readonly app: App;
  readonly state: State;
  readonly clock: SlackClock;
  readonly transcript: Transcript;
  readonly faults: Faults;
  readonly signingSecret: string;
  /** What all workspaces of this playground share. */
  readonly slack: Slack;
  readonly appToken: { readonly token: string; readonly scopes: readonly string[] };
  readonly ackMs: number;
  readonly triggerMs: number;
  /** Faults outside of Slack by label, and the labels that are switched on, in whichever workspace. */
  readonly externalFaults: readonly ExternalFault[];
  readonly externalFaultsOn: Set<string>;
  readonly events: EventLedger;
  /** Minutes for which the bot already got app_rate_limited. */
  readonly rateLimitNotices: Set<number>;
  readonly url: () => string;
  readonly requestUrl: () => string;
  /** The app's connections in Socket Mode. */
  readonly links: Links;
  /** Called after each change of the state. */
  readonly watchers: Set<() => void>;
};

/** The installation of the app that works in this workspace. */
export function installOf({ slack, state }: Pick<World, "slack" | "state">): Install | undefined {
  return installIn(slack.installs, state.team.id);
}

/** The scopes that the app was installed with, and still has. */
export function scopesIn(world: Pick<World, "faults" | "slack" | "state">): readonly string[] {
  const scopes = installOf(world)?.scopes ?? [];
  return scopes.filter((scope) => !world.faults.missingScopes.includes(scope));
}

/** Records a change: sets the new revision on the changed thing and calls the watchers. */
export function touch(world: World, changed?: { revision: number }): void {
  world.state.revision += 1;
  if (changed !== undefined) changed.revision = world.state.revision;
  for (const watcher of world.watchers) watcher();
}

export type Draft = Pick<Message, "channel" | "user" | "text"> &
  Partial<Pick<Message, "files">> & {
    readonly blocks?: readonly JsonObject[] | undefined;
    readonly threadTs?: string | undefined;
    readonly isBroadcast?: boolean;
    readonly ephemeralTo?: string | undefined;
  };

export function post(world: World, draft: Draft): Message {
  const { threadTs, isBroadcast = false, ephemeralTo, ...rest } = draft;
  const message: Message = {
    files: [],
    ...rest,
    blocks: withIds(draft.blocks ?? []),
    ts: world.clock.ts(),
    revision: 0,
    ...(threadTs === undefined ? {} : { threadTs, ...(isBroadcast && { isBroadcast }) }),
    ...(ephemeralTo === undefined ? {} : { ephemeralTo }),
  };
  world.state.messages.push(message);
  touch(world, message);
  return message;
}

function hasReplies({ state }: World, { channel, ts }: Message): boolean {
  return state.messages.some(
    (each) => each.channel === channel && each.threadTs === ts && each.ephemeralTo === undefined,
  );
}

/**
 * A message with replies leaves a tombstone, which goes with its last reply:
 * https://docs.slack.dev/reference/events/message/message_deleted
 */
export function remove(world: World, message: Message): void {
  const { messages } = world.state;
  const index = messages.indexOf(message);
  if (index < 0) return;
  if (hasReplies(world, message)) {
    // A message in Slack's own words, in the place of the deleted one.
    const { ts, channel } = message;
    const shown = { user: slackbot, text: "This message was deleted.", isTombstone: true } as const; // true, not any boolean
    const tombstone: Message = { ...shown, blocks: [], files: [], ts, channel, revision: 0 };
    messages[index] = tombstone;
    return touch(world, tombstone);
  }
  take(world, message);
  const parent = messages.find((each) => each.channel === message.channel && each.ts === message.threadTs);
  if (parent?.isTombstone === true && !hasReplies(world, parent)) take(world, parent);
}

function take(world: World, message: Message): void {
  world.state.messages.splice(world.state.messages.indexOf(message), 1);
  const gone: Deletion = {
    channel: message.channel,
    ts: message.ts,
    ephemeralTo: message.ephemeralTo,
    revision: world.state.revision + 1,
  };
  world.state.deletions.push(gone);
  touch(world);
}

/** The recipient of an ephemeral message. */
type Addressee = {
  readonly user: string;
  readonly channel: string;
  readonly thread?: string | undefined;
};

/** Posts an ephemeral message from Slackbot. */
export function notice(world: World, to: Addressee, text: string): Message {
  return post(world, { channel: to.channel, user: slackbot, text, ephemeralTo: to.user, threadTs: to.thread });
}

export function isBots({ state }: Pick<World, "state">, message: Message): boolean {
  return message.user === state.bot.user;
}

/** The app's credentials for OAuth, as on its settings page. */
export type OAuthApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where Slack may send people back to; those that begin with one of these are allowed too. */
  readonly redirectUrls: () => readonly string[];
  /** The address of the app's page for installing it. */
  readonly installUrl: () => string;
  /** Tokens expire, and are traded for new ones. */
  readonly rotates: boolean;
};

/** Given to a browser at the end of an installation, and traded once for a token. */
export type Code = {
  readonly owner: Owner;
  readonly installer: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly madeMs: number;
  isUsed: boolean;
};

/** A workspace, or an organization. */
export type Owner = { readonly world: World } | { readonly enterprise: Enterprise };

/** What the workspaces of a playground share. */
export type Slack = {
  readonly installs: Installs;
  /** Undefined for an app that can't be distributed: it is in one workspace from the start. */
  readonly oauth: OAuthApp | undefined;
  readonly codes: Map<string, Code>;
  /** All workspaces, in the order of their list. There is at least one. */
  readonly worlds: () => readonly [World, ...World[]];
};

/** The workspaces of an organization. */
export function worldsOf({ worlds }: Slack, enterpriseId: string): readonly World[] {
  return worlds().filter(({ state }) => state.team.enterprise?.id === enterpriseId);
}

/** The organizations of this Slack. */
export function enterprisesOf({ worlds }: Slack): readonly Enterprise[] {
  const all = worlds().flatMap(({ state }) => state.team.enterprise ?? []);
  return all.filter(({ id }, index) => all.findIndex((each) => each.id === id) === index);
}
