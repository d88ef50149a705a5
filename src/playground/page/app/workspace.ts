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

/** Messages of a channel without replies. */
export function channelMessages(workspace: Workspace, channel: string): readonly WireMessage[] {
  const all = workspace.messages[channel] ?? [];
  return all.filter((each) => each.threadTs === undefined);
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
