import type { WireChannel, WireExchange, WireMessage, WireSnapshot, WireUpdate, WireUser } from "../../wire.ts";

/** The page's copy of the workspace. */
export type Workspace = {
  readonly snapshot: WireSnapshot | undefined;
  /** By channel id, oldest first. */
  readonly messages: Readonly<Record<string, readonly WireMessage[]>>;
  /** Oldest first. */
  readonly exchanges: readonly WireExchange[];
};

export const emptyWorkspace: Workspace = { snapshot: undefined, messages: {}, exchanges: [] };

/** The page keeps this many exchanges; the workspace keeps more. */
const mostExchanges = 1000;

function withMessages(before: Workspace["messages"], update: WireUpdate): Workspace["messages"] {
  if (update.messages.length + update.gone.length === 0) return before;
  const messages: Record<string, readonly WireMessage[]> = { ...before };
  const channels = new Set([...update.messages, ...update.gone].map((each) => each.channel));
  for (const channel of channels) {
    const news = update.messages.filter((each) => each.channel === channel);
    const out = new Set([...update.gone.filter((each) => each.channel === channel), ...news].map((each) => each.ts));
    messages[channel] = [...(before[channel] ?? []).filter((each) => !out.has(each.ts)), ...news].sort((one, other) =>
      one.ts < other.ts ? -1 : 1,
    );
  }
  return messages;
}

function withExchanges(before: readonly WireExchange[], news: readonly WireExchange[]): readonly WireExchange[] {
  if (news.length === 0) return before;
  const ids = new Set(news.map((each) => each.id));
  const all = [...before.filter((each) => !ids.has(each.id)), ...news].sort((one, other) => one.id - other.id);
  return all.slice(-mostExchanges);
}

/** Applies an update. Ephemeral messages are only kept here: a reload does not get them again. */
export function applyUpdate(before: Workspace, update: WireUpdate): Workspace {
  const base = update.isWhole ? emptyWorkspace : before;
  return {
    snapshot: update.snapshot ?? base.snapshot,
    messages: withMessages(base.messages, update),
    exchanges: withExchanges(base.exchanges, update.exchanges),
  };
}

/** Messages of a channel, without replies that only their thread shows. */
export function channelMessages(workspace: Workspace, channel: string): readonly WireMessage[] {
  const all = workspace.messages[channel] ?? [];
  return all.filter((each) => each.threadTs === undefined || each.isBroadcast === true);
}

export function repliesOf(workspace: Workspace, channel: string, ts: string): readonly WireMessage[] {
  return (workspace.messages[channel] ?? []).filter((each) => each.threadTs === ts);
}

export function messageAt(workspace: Workspace, channel: string, ts: string): WireMessage | undefined {
  return workspace.messages[channel]?.find((each) => each.ts === ts);
}

export function userOf(snapshot: WireSnapshot, id: string): WireUser | undefined {
  return snapshot.users.find((user) => user.id === id);
}

export function userName(snapshot: WireSnapshot, id: string): string {
  return userOf(snapshot, id)?.name ?? id;
}

/** "ops", or the name of the other person in a direct conversation. */
export function channelName(snapshot: WireSnapshot, channel: WireChannel): string {
  return channel.partner === undefined ? channel.name : userName(snapshot, channel.partner);
}

export type Tab = "messages" | "home";

/** The current person and channel. All of it is in the address, so that reloads, bookmarks and "back" return here. */
export type Route = {
  readonly as: string;
  /** A channel by name, or "@name" for a direct conversation. */
  readonly in: string;
  readonly thread?: string;
  readonly tab?: Tab;
};

export const firstRoute: Route = { as: "dana", in: "ops" };

/** Parses the query of an address. */
export function parseRoute(search: string): Route {
  const params = new URLSearchParams(search);
  const thread = params.get("thread");
  return {
    as: params.get("as") ?? firstRoute.as,
    in: params.get("in") ?? firstRoute.in,
    ...(thread === null ? {} : { thread }),
    ...(params.get("tab") === "home" ? { tab: "home" } : {}),
  };
}

export function formatRoute(route: Route): string {
  const params = new URLSearchParams({ as: route.as, in: route.in });
  if (route.thread !== undefined) params.set("thread", route.thread);
  if (route.tab !== undefined && route.tab !== "messages") params.set("tab", route.tab);
  // "@" is valid in a query, and easier to read.
  return `?${params.toString().replaceAll("%40", "@")}`;
}

const tabKey = "playground-app-tab";

/** The tab of the app that was open last, Home the first time, as in Slack. */
export function lastAppTab(): Tab {
  return sessionStorage.getItem(tabKey) === "messages" ? "messages" : "home";
}

export function rememberAppTab(tab: Tab): void {
  sessionStorage.setItem(tabKey, tab);
}

/** A channel's name in a route. */
export function routeName(snapshot: WireSnapshot, channel: WireChannel): string {
  return channel.partner === undefined ? channel.name : `@${channelName(snapshot, channel)}`;
}

/** The channel of a route; the first one if this person is not in it. */
export function routeChannel(snapshot: WireSnapshot, route: Route): WireChannel | undefined {
  return snapshot.channels.find((channel) => routeName(snapshot, channel) === route.in) ?? snapshot.channels[0];
}

/** `count` includes direct messages and mentions only. */
type Unread = { readonly isUnread: boolean; readonly count: number };

function isNew(message: WireMessage, you: string, readTs: string): boolean {
  return message.user !== you && !message.isEphemeral && message.ts > readTs;
}

function mentions({ text, blocks }: WireMessage, you: string): boolean {
  return /<!(?:channel|here|everyone)/.test(text) || text.includes(`<@${you}`) || JSON.stringify(blocks).includes(you);
}

/** A person's unread messages in a channel. */
export function unreadIn(workspace: Workspace, snapshot: WireSnapshot, channel: string): Unread {
  const readTs = snapshot.reads[channel] ?? "";
  const fresh = channelMessages(workspace, channel).filter((each) => isNew(each, snapshot.you, readTs));
  const isDirect = channel.startsWith("D");
  const calling = isDirect ? fresh : fresh.filter((each) => mentions(each, snapshot.you));
  return { isUnread: fresh.length > 0, count: calling.length };
}

/** Whether a thread has unread replies. */
export function hasUnreadReplies(workspace: Workspace, snapshot: WireSnapshot, root: WireMessage): boolean {
  const readTs = snapshot.reads[threadKey(root)] ?? "";
  return repliesOf(workspace, root.channel, root.ts).some((each) => isNew(each, snapshot.you, readTs));
}

/** The key of a thread in `reads`. */
export function threadKey({ channel, ts }: Pick<WireMessage, "channel" | "ts">): string {
  return `${channel}/${ts}`;
}

type NotRead = { readonly after: string; readonly upTo: string };

/**
 * The first unread message when a conversation was opened; the line "New" is above it. Without a read mark there is no
 * line: everything is new.
 */
export function firstUnread(messages: readonly WireMessage[], you: string, notRead: NotRead): string | undefined {
  if (notRead.after === "") return undefined;
  return messages.find((each) => isNew(each, you, notRead.after) && each.ts <= notRead.upTo)?.ts;
}
